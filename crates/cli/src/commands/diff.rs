//! `kitbag diff`

use kitbag_lifecycle::{Against, LifecycleError};
use kitbag_types::DiffResult;

use super::Session;
use crate::args::DiffArgs;
use crate::exit::{DONE, Exit};
use crate::output::show_changes;

pub(super) fn run(session: &Session<'_>, args: &DiffArgs) -> Result<Exit, LifecycleError> {
    let against = args.to.clone().map_or(Against::Source, Against::Kept);
    let result = session.service.diff(&args.id, &against)?;
    session.output.result(&result, || show(&result));
    Ok(DONE)
}

fn show(result: &DiffResult) -> String {
    let mut out = String::new();
    if !result.local.is_empty() {
        out.push_str("edited by hand:\n");
        out.push_str(&show_changes(&result.local));
    }
    if result.files.is_empty() {
        out.push_str("no difference\n");
        return out;
    }
    if let Some(other) = &result.other {
        let promoted =
            result.promoted.map_or_else(|| "nothing".to_owned(), |digest| digest.short());
        out.push_str(&format!("{promoted} -> {}\n", other.short()));
    }
    out.push_str(&show_changes(&result.files));
    for change in &result.files {
        if let Some(text) = &change.text {
            out.push('\n');
            out.push_str(text);
        }
    }
    out
}
