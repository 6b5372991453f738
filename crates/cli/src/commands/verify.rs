//! `kitbag verify`

use std::fmt::Write as _;

use kitbag_lifecycle::{LifecycleError, Mend, Review, VerifyRequest};
use kitbag_types::{Code, VerifyResult, printable};

use super::Session;
use crate::args::VerifyArgs;
use crate::exit::{DONE, Exit};
use crate::output::show_changes;

pub(super) fn run(session: &Session<'_>, args: &VerifyArgs) -> Result<Exit, LifecycleError> {
    // With `--dry-run` nothing is mended; what is found says what would be.
    let mend = match (args.change.dry_run, args.repair, args.baseline) {
        (false, true, _) => Mend::Repair,
        (false, false, true) => Mend::Baseline,
        _ => Mend::Nothing,
    };
    let result = session.service.verify(&VerifyRequest {
        principal: session.environment.principal(),
        ids: args.ids.clone(),
        mend,
        review: if args.change.accept_review { Review::Accept } else { Review::Refuse },
    })?;
    session.output.result(&result, || show(&result));
    if result.ok {
        return Ok(DONE);
    }
    Ok(session.output.negative(Code::VerifyFailed))
}

fn show(result: &VerifyResult) -> String {
    let mut out = String::new();
    for item in &result.results {
        let name = if item.kind.is_empty() {
            item.id.clone()
        } else {
            format!("{} {}", item.kind, item.id)
        };
        write!(out, "{:<13} {}", item.status.as_str(), printable(&name))
            .expect("writing to a string cannot fail");
        if let Some(actual) = &item.actual {
            write!(out, "  {}", actual.short()).expect("writing to a string cannot fail");
        }
        if let Some(note) = &item.note {
            write!(out, "  ({})", printable(note)).expect("writing to a string cannot fail");
        }
        out.push('\n');
        out.push_str(&show_changes(&item.files));
    }
    out
}
