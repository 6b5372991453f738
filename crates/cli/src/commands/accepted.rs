//! `kitbag accepted` and `unaccept`, and what the other commands take and show of it.

use std::fmt::Write as _;

use kitbag_lifecycle::{Acceptance, LifecycleError, Mode, Scope, UnacceptRequest};
use kitbag_types::{
    AcceptedFinding, AcceptedResult, Suppressed, Suppression, UnacceptResult, printable,
};

use super::Session;
use crate::args::{AcceptArgs, UnacceptArgs};
use crate::exit::{DONE, Exit};
use crate::output::{shorten, show_table};

pub(super) fn list(session: &Session<'_>) -> Result<Exit, LifecycleError> {
    let result = session.service.accepted()?;
    session.output.result(&result, || show(&result));
    if result.accepted.is_empty() {
        session.output.note("no finding was accepted");
    }
    Ok(DONE)
}

pub(super) fn unaccept(session: &Session<'_>, args: &UnacceptArgs) -> Result<Exit, LifecycleError> {
    let result = session.service.unaccept(&UnacceptRequest {
        principal: session.environment.principal(),
        number: args.number,
        mode: if args.dry_run { Mode::Plan } else { Mode::Apply },
    })?;
    session.output.result(&result, || show_withdrawn(&result, args.dry_run));
    Ok(DONE)
}

/// Returns what a command line accepts: one reason, end and scope for all of its hashes.
pub(super) fn acceptances(args: &AcceptArgs) -> Vec<Acceptance> {
    let mut accept: Vec<Acceptance> = Vec::new();
    for hash in &args.accept {
        if accept.iter().any(|one| one.hash == *hash) {
            continue;
        }
        accept.push(Acceptance {
            hash: hash.clone(),
            reason: args.reason.clone().unwrap_or_default(),
            expires: args.expires,
            scope: if args.any_version { Scope::AnyVersion } else { Scope::ThisPackage },
        });
    }
    accept
}

/// Shows what does not count in a report, a line each: never in silence.
pub(super) fn show_suppressed(suppressed: &[Suppressed]) -> String {
    let mut out = String::new();
    for Suppressed { finding, by } in suppressed {
        let line = finding.line.map_or_else(String::new, |line| format!(":{line}"));
        writeln!(out, "  accepted {}{line}: {}", place(by), terms(by))
            .expect("writing to a string cannot fail");
    }
    out
}

/// Shows a step of a plan that accepts a finding.
pub(super) fn show_step(suppression: &Suppression) -> String {
    format!("  accept     {}: {}\n", place(suppression), terms(suppression))
}

fn place(by: &Suppression) -> String {
    let file = by.file.as_deref().map_or_else(String::new, |file| format!(" {}", printable(file)));
    format!("[{}]{file}", by.rule)
}

fn terms(by: &Suppression) -> String {
    let scope = match by.package {
        Some(_) => "",
        None => ", for ANY version",
    };
    let until = by.expires_at.map_or_else(String::new, |end| format!(", until {end}"));
    format!(
        "{} (by {} at {}{scope}{until})",
        printable(&by.reason),
        printable(&by.accepted_by),
        by.accepted_at
    )
}

fn show(result: &AcceptedResult) -> String {
    if result.accepted.is_empty() {
        return String::new();
    }
    let rows: Vec<Vec<String>> = result.accepted.iter().map(row).collect();
    show_table(
        &["NO", "STATE", "RULE", "FILE", "HASH", "PACKAGE", "WHO", "WHEN", "EXPIRES", "REASON"],
        &rows,
    )
}

fn row(accepted: &AcceptedFinding) -> Vec<String> {
    let by = &accepted.suppression;
    vec![
        accepted.number.to_string(),
        accepted.state.as_str().to_owned(),
        printable(&by.rule).to_string(),
        by.file.as_deref().map_or_else(|| "-".to_owned(), |file| printable(file).to_string()),
        by.match_hash.to_string(),
        by.package.map_or_else(|| "any".to_owned(), |digest| digest.short()),
        printable(&by.accepted_by).to_string(),
        by.accepted_at.to_string(),
        by.expires_at.map_or_else(|| "never".to_owned(), |end| end.to_string()),
        shorten(&by.reason, 60),
    ]
}

fn show_withdrawn(result: &UnacceptResult, dry_run: bool) -> String {
    let number = result.accepted.number;
    let verb = match (result.changed, dry_run, result.accepted.withdrawn_at) {
        (true, _, _) => "withdrawn",
        (false, true, None) => "would withdraw",
        (false, _, _) => "withdrawn already",
    };
    let by = &result.accepted.suppression;
    format!("{verb} {number}\n  {}: {}\n", place(by), terms(by))
}
