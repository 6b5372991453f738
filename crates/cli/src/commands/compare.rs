//! `kitbag outdated`

use kitbag_lifecycle::LifecycleError;
use kitbag_types::{Code, CompareResult, printable};

use super::Session;
use super::accepted::show_suppressed;
use crate::exit::{DONE, Exit};
use crate::findings::show_findings;
use crate::output::show_table;

pub(super) fn outdated(session: &Session<'_>) -> Result<Exit, LifecycleError> {
    let result = session.service.outdated()?;
    session.clear();
    session.output.result(&result, || show(&result));
    if result.results.is_empty() {
        session.output.note("nothing is installed that has a source");
    }
    Ok(if result.ok { DONE } else { session.output.negative(Code::OutdatedFound) })
}

/// Shows a comparison as a table.
pub(super) fn show(result: &CompareResult) -> String {
    if result.results.is_empty() {
        return String::new();
    }
    let short = |value: &Option<String>| match value {
        Some(value) => value.chars().take("sha256:".len() + 12).collect(),
        None => "-".to_owned(),
    };
    let rows: Vec<Vec<String>> = result
        .results
        .iter()
        .map(|item| {
            vec![
                item.id.as_str().to_owned(),
                item.status.as_str().to_owned(),
                short(&item.installed),
                short(&item.other),
                match (&item.note, item.changed) {
                    (Some(note), _) => printable(note).to_string(),
                    (None, true) => "changed".to_owned(),
                    (None, false) => String::new(),
                },
            ]
        })
        .collect();
    let mut out = show_table(&["ID", "STATUS", "INSTALLED", "OTHER", "NOTE"], &rows);
    for item in &result.results {
        if !item.findings.is_empty() || !item.suppressed.is_empty() {
            out.push_str(&format!("{}\n", item.id));
            out.push_str(&show_findings(&item.findings));
            out.push_str(&show_suppressed(&item.suppressed));
        }
    }
    out
}
