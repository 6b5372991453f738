//! `kitbag list`

use kitbag_lifecycle::LifecycleError;
use kitbag_types::{ListResult, printable};

use super::Session;
use crate::args::ListArgs;
use crate::exit::{DONE, Exit};
use crate::output::{shorten, show_table};

pub(super) fn run(session: &Session<'_>, args: &ListArgs) -> Result<Exit, LifecycleError> {
    let result = session.service.list(args.kind)?;
    if result.capabilities.is_empty() && result.broken.is_empty() && !session.output.is_json() {
        session
            .output
            .note("nothing is installed; `kitbag add ./FOLDER` adds what a folder offers");
        return Ok(DONE);
    }
    session.output.result(&result, || show(&result));
    if !session.output.is_json() {
        for broken in &result.broken {
            for problem in &broken.problems {
                session.output.note(&format!(
                    "warning: the record of `{}` is broken: {} [{}]",
                    printable(&broken.id),
                    printable(&problem.message),
                    problem.code
                ));
            }
        }
    }
    Ok(DONE)
}

fn show(result: &ListResult) -> String {
    let mut rows: Vec<Vec<String>> = result
        .capabilities
        .iter()
        .map(|record| {
            vec![
                record.id.as_str().to_owned(),
                record.kind.to_string(),
                if record.enabled { "yes" } else { "no" }.to_owned(),
                record.version.as_deref().map_or_else(|| "-".to_owned(), |v| shorten(v, 20)),
                record.source.to_string(),
                shorten(&record.description, 60),
            ]
        })
        .collect();
    rows.extend(result.broken.iter().map(|broken| {
        vec![
            shorten(&broken.id, 64),
            shorten(&broken.kind, 10),
            "broken".to_owned(),
            "-".to_owned(),
            "-".to_owned(),
            shorten(&broken.name, 60),
        ]
    }));
    show_table(&["ID", "KIND", "ENABLED", "VERSION", "SOURCE", "DESCRIPTION"], &rows)
}
