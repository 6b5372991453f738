//! `kitbag history`

use kitbag_lifecycle::{Chain, LifecycleError};
use kitbag_types::{Code, HistoryResult, printable};

use super::Session;
use crate::args::HistoryArgs;
use crate::exit::{DONE, Exit};
use crate::output::show_table;

pub(super) fn run(session: &Session<'_>, args: &HistoryArgs) -> Result<Exit, LifecycleError> {
    let chain = if args.verify { Chain::Verify } else { Chain::AsStored };
    let result = session.service.history(args.id.as_deref(), chain)?;
    session.output.result(&result, || show(&result));
    if args.verify && result.ok {
        let head = result.head.map_or_else(String::new, |head| format!("; its head is {head}"));
        session.output.note(&format!("the chain holds{head}"));
    }
    if let Some(seq) = result.first_broken {
        session.output.note(&format!("the chain is broken at entry {seq}"));
        return Ok(session.output.negative(Code::HistoryBroken));
    }
    Ok(DONE)
}

fn show(result: &HistoryResult) -> String {
    let rows: Vec<Vec<String>> = result
        .entries
        .iter()
        .map(|entry| {
            let event = &entry.event;
            let digest = |digest: Option<kitbag_types::Digest>| {
                digest.map_or_else(|| "-".to_owned(), |digest| digest.short())
            };
            vec![
                entry.seq.to_string(),
                event.at.to_string(),
                printable(&event.principal.to_string()).to_string(),
                event.action.to_string(),
                printable(&event.id).to_string(),
                digest(event.before),
                digest(event.after),
                event.note.as_deref().map_or_else(String::new, |note| printable(note).to_string()),
            ]
        })
        .collect();
    show_table(&["SEQ", "AT", "WHO", "ACTION", "ID", "BEFORE", "AFTER", "NOTE"], &rows)
}
