//! `kitbag export`, `sync`, `gc`

use std::fmt::Write as _;
use std::path::Path;

use kitbag_lifecycle::{
    Edits, GcRequest, LifecycleError, Mode, Review, SyncMode, SyncRequest, parse_lock,
};
use kitbag_types::{Code, ErrorKind, GcResult};
use serde::Serialize;

use super::Session;
use super::accepted::acceptances;
use super::compare::show as show_comparison;
use crate::args::{ExportArgs, GcArgs, SyncArgs};
use crate::exit::{DONE, Exit, code_of};
use crate::output::{print_json, show_bytes};

pub(super) fn export(session: &Session<'_>, args: &ExportArgs) -> Result<Exit, LifecycleError> {
    let here = session.environment.current_dir();
    let file = args.output.as_ref().map(|file| here.join(file));
    let base = file.as_deref().and_then(Path::parent).unwrap_or(here);
    if args.lock {
        write(file.as_deref(), &session.service.export_lock(base)?)?;
    } else {
        write(file.as_deref(), &session.service.export_mirror()?)?;
    }
    Ok(DONE)
}

/// Writes a document to a file, whole or not at all, or to stdout.
pub(super) fn write(file: Option<&Path>, document: &impl Serialize) -> Result<(), LifecycleError> {
    let Some(file) = file else {
        print_json(document);
        return Ok(());
    };
    let text = serde_json::to_string_pretty(document).expect("results are plain data") + "\n";
    let mut beside = file.as_os_str().to_owned();
    beside.push(".new");
    fs_err::write(&beside, text)
        .and_then(|()| fs_err::rename(&beside, file))
        .map_err(|error| LifecycleError::writing(&file.display().to_string(), error))
}

pub(super) fn sync(session: &Session<'_>, args: &SyncArgs) -> Result<Exit, LifecycleError> {
    let file = session.environment.current_dir().join(&args.file);
    let text = fs_err::read_to_string(&file)
        .map_err(|error| LifecycleError::reading(&file.display().to_string(), error))?;
    let mode = match (args.check || args.dry_run, args.frozen) {
        (true, _) => SyncMode::Check,
        (false, true) => SyncMode::Frozen,
        (false, false) => SyncMode::Apply,
    };
    let result = session.service.sync(&SyncRequest {
        principal: session.environment.principal(),
        lock: parse_lock(&text)?,
        base: file.parent().unwrap_or(Path::new("/")).to_owned(),
        mode,
        edits: if args.force { Edits::Keep } else { Edits::Refuse },
        review: if args.accept_review { Review::Accept } else { Review::Refuse },
        accept: acceptances(&args.accept),
    })?;
    session.clear();
    session.output.result(&result, || show_comparison(&result));
    let changed = result.results.iter().filter(|item| item.changed).count();
    session.output.note(&format!("{changed} of {} changed", result.results.len()));
    Ok(match (result.ok, mode) {
        (true, _) => DONE,
        (false, SyncMode::Check) => session.output.negative(Code::LockDiffers),
        (false, _) => {
            session.output.negative(Code::LockDiffers);
            code_of(ErrorKind::Refused)
        }
    })
}

pub(super) fn gc(session: &Session<'_>, args: &GcArgs) -> Result<Exit, LifecycleError> {
    let mode = if args.dry_run { Mode::Plan } else { Mode::Apply };
    let principal = session.environment.principal();
    let result = session.service.gc(&GcRequest { principal, keep: args.keep, mode })?;
    session.output.result(&result, || show(&result, mode));
    Ok(DONE)
}

fn show(result: &GcResult, mode: Mode) -> String {
    let mut out = String::new();
    let verb = if mode == Mode::Plan { "would forget" } else { "forgot" };
    for version in &result.forgotten {
        let size = show_bytes(version.bytes);
        writeln!(out, "{verb} {} {}, {size}", version.id, version.digest.short())
            .expect("writing to a string cannot fail");
    }
    for digest in &result.swept {
        writeln!(out, "{verb} {}, which nothing names", digest.short())
            .expect("writing to a string cannot fail");
    }
    if out.is_empty() {
        out.push_str("nothing to forget\n");
    }
    out
}
