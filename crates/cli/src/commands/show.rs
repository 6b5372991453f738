//! `kitbag inspect`

use std::fmt::Write as _;

use kitbag_lifecycle::LifecycleError;
use kitbag_types::{InspectResult, printable};

use super::Session;
use super::accepted::show_suppressed;
use crate::args::IdArg;
use crate::exit::{DONE, Exit};
use crate::findings::show_findings;
use crate::names::show_all_names;
use crate::output::show_size;

pub(super) fn run(session: &Session<'_>, args: &IdArg) -> Result<Exit, LifecycleError> {
    let result = session.service.inspect(&args.id)?;
    session.output.result(&result, || show(&result));
    Ok(DONE)
}

fn show(result: &InspectResult) -> String {
    let record = &result.capability;
    let mut out = String::new();
    let mut row = |name: &str, value: String| {
        writeln!(out, "{name:<13} {value}").expect("writing to a string cannot fail");
    };
    row("id", record.id.as_str().to_owned());
    row("kind", record.kind.to_string());
    row("name", printable(&record.name).to_string());
    row("description", printable(&record.description).to_string());
    if let Some(version) = &record.version {
        row("version", printable(version).to_string());
    }
    row("source", format!("{} {}", record.source, printable(&record.source_ref)));
    row("enabled", if record.enabled { "yes" } else { "no" }.to_owned());
    row("installed", format!("{} by {}", record.installed_at, printable(&record.installed_by)));
    row("updated", record.updated_at.to_string());
    row("package", result.status.as_str().to_owned());
    if let Some(package) = &result.package {
        row("digest", package.digest.to_string());
        row("size", show_size(package.files, package.bytes));
        row("promoted", package.promoted_at.to_string());
    }
    for digest in &result.kept {
        row("kept", digest.to_string());
    }
    for file in &result.files {
        row("file", printable(file).to_string());
    }
    if !result.inventory.is_empty() {
        out.push_str("names\n");
        out.push_str(&show_all_names(&result.inventory));
    }
    if !result.findings.is_empty() {
        out.push_str("findings\n");
        out.push_str(&show_findings(&result.findings));
    }
    if !result.suppressed.is_empty() {
        out.push_str("accepted\n");
        out.push_str(&show_suppressed(&result.suppressed));
    }
    out
}
