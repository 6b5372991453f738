//! `kitbag update`, `enable`, `disable`, `remove`, `revert`

use std::fmt::Write as _;

use kitbag_lifecycle::{ChangeRequest, Edits, Enable, LifecycleError, Mode, Review};
use kitbag_types::{
    Action, BatchItem, BatchResult, MutationPlan, MutationResult, PlanStep, printable,
};

use super::Session;
use super::accepted::{acceptances, show_step, show_suppressed};
use super::add::{ask, links, report_batch};
use crate::args::{IdsArgs, RemoveArgs, RevertArgs, UpdateArgs};
use crate::exit::{DONE, Exit};
use crate::findings::show_findings;
use crate::names::{show_names, show_renamed};
use crate::output::{show_changes, show_size};

pub(super) fn update(session: &Session<'_>, args: &UpdateArgs) -> Result<Exit, LifecycleError> {
    let ids = if args.ids.is_empty() { session.service.updatable()? } else { args.ids.clone() };
    if ids.is_empty() {
        session.output.note("nothing is installed that has a source");
    }
    if ids.len() > 1 && !args.accept.accept.is_empty() {
        let message = "findings can be accepted for one capability at a time";
        return Err(LifecycleError::usage(message, "name one capability"));
    }
    let make = |id: &str| ChangeRequest {
        edits: edits(args.force),
        review: if args.change.accept_review { Review::Accept } else { Review::Refuse },
        accept: acceptances(&args.accept),
        enable: if args.enable { Enable::Yes } else { Enable::No },
        links: links(args.change.resolve_links),
        mode: mode(args.change.dry_run),
        ..ChangeRequest::new(session.environment.principal(), id)
    };
    each(session, Action::Update, &ids, |id| {
        let mut request = make(id);
        match session.service.update(&request) {
            Err(error) => match ask(session, &error) {
                Some(review) => {
                    request.review = review;
                    session.service.update(&request)
                }
                None => Err(error),
            },
            result => result,
        }
    })
}

pub(super) fn enable(session: &Session<'_>, args: &IdsArgs) -> Result<Exit, LifecycleError> {
    each(session, Action::Enable, &args.ids, |id| {
        session.service.enable(&switch(session, args, id))
    })
}

pub(super) fn disable(session: &Session<'_>, args: &IdsArgs) -> Result<Exit, LifecycleError> {
    each(session, Action::Disable, &args.ids, |id| {
        session.service.disable(&switch(session, args, id))
    })
}

pub(super) fn remove(session: &Session<'_>, args: &RemoveArgs) -> Result<Exit, LifecycleError> {
    each(session, Action::Remove, &args.ids, |id| {
        session.service.remove(&ChangeRequest {
            edits: edits(args.force),
            mode: mode(args.dry_run),
            ..ChangeRequest::new(session.environment.principal(), id)
        })
    })
}

pub(super) fn revert(session: &Session<'_>, args: &RevertArgs) -> Result<Exit, LifecycleError> {
    each(session, Action::Revert, std::slice::from_ref(&args.id), |id| {
        session.service.revert(&ChangeRequest {
            edits: edits(args.force),
            accept: acceptances(&args.accept),
            to: args.to.clone(),
            mode: mode(args.dry_run),
            ..ChangeRequest::new(session.environment.principal(), id)
        })
    })
}

fn switch(session: &Session<'_>, args: &IdsArgs, id: &str) -> ChangeRequest {
    ChangeRequest {
        mode: mode(args.dry_run),
        ..ChangeRequest::new(session.environment.principal(), id)
    }
}

fn edits(force: bool) -> Edits {
    if force { Edits::Keep } else { Edits::Refuse }
}

fn mode(dry_run: bool) -> Mode {
    if dry_run { Mode::Plan } else { Mode::Apply }
}

/// Does something to each id: one id has the plain result, several have a batch.
fn each(
    session: &Session<'_>,
    action: Action,
    ids: &[String],
    mut change: impl FnMut(&str) -> Result<MutationResult, LifecycleError>,
) -> Result<Exit, LifecycleError> {
    // Who names one twice wants it once.
    let mut named: Vec<String> = Vec::with_capacity(ids.len());
    for id in ids {
        if !named.contains(id) {
            named.push(id.clone());
        }
    }
    if let [id] = &named[..] {
        let result = change(id)?;
        session.output.warnings(&result.warnings);
        session.output.result(&result, || show_mutation(&result, id));
        return Ok(DONE);
    }
    let results: Vec<BatchItem> = named
        .iter()
        .map(|id| match change(id) {
            Ok(result) => BatchItem {
                id: id.clone(),
                ok: true,
                result: Some(result),
                error: None,
                findings: Vec::new(),
            },
            Err(error) => BatchItem {
                id: id.clone(),
                ok: false,
                result: None,
                error: Some(error.report()),
                findings: error.findings(),
            },
        })
        .collect();
    let batch = BatchResult { ok: results.iter().all(|item| item.ok), action, results };
    Ok(report_batch(session, &batch))
}

/// Shows what a mutation did, or would do. `asked` names it where no record is left to.
pub(super) fn show_mutation(result: &MutationResult, asked: &str) -> String {
    let mut out = String::new();
    if let Some(plan) = &result.plan {
        show_plan(&mut out, plan);
        out.push_str(&show_findings(&result.findings));
        out.push_str(&show_suppressed(&result.suppressed));
        out.push_str(&names(result));
        return out;
    }
    let id = result.capability.as_ref().map_or(asked, |record| record.id.as_str());
    let verb = match (result.action, result.changed) {
        (Action::Add, _) => "added",
        (Action::Update, true) => "updated",
        (Action::Update, false) => "up to date",
        (Action::Enable, true) => "enabled",
        (Action::Enable, false) => "enabled already",
        (Action::Disable, true) => "disabled",
        (Action::Disable, false) => "disabled already",
        (Action::Remove, _) => "removed",
        (Action::Revert, true) => "reverted",
        (Action::Revert, false) => "in place already",
        (action, _) => action.as_str(),
    };
    push(&mut out, format_args!("{verb} {}\n", printable(id)));
    let carries_bytes = matches!(result.action, Action::Add | Action::Update | Action::Revert);
    if let Some(package) = result.package.as_ref().filter(|_| carries_bytes) {
        let size = show_size(package.files, package.bytes);
        push(&mut out, format_args!("  inspected  {size}, {}\n", package.digest.short()));
    }
    if carries_bytes {
        let found = match result.findings.len() {
            0 => "nothing".to_owned(),
            1 => "1 finding".to_owned(),
            count => format!("{count} findings"),
        };
        let accepted = match result.suppressed.len() {
            0 => String::new(),
            count => format!(", {count} accepted"),
        };
        push(&mut out, format_args!("  found      {found}{accepted}\n"));
        out.push_str(&show_findings(&result.findings));
        out.push_str(&show_suppressed(&result.suppressed));
        out.push_str(&names(result));
    }
    if let Some(record) = result.capability.as_ref().filter(|_| carries_bytes) {
        let version =
            record.version.as_deref().map_or_else(String::new, |v| format!(" {}", printable(v)));
        push(&mut out, format_args!("  promoted   {} {}{version}\n", record.kind, record.id));
        let state = if record.enabled {
            "yes".to_owned()
        } else {
            format!("no (kitbag enable {})", record.id)
        };
        push(&mut out, format_args!("  enabled    {state}\n"));
    }
    out
}

/// What is new to whoever knows the version before; all of it, where there was none.
fn names(result: &MutationResult) -> String {
    match (&result.inventory_change, result.action) {
        (Some(change), _) => show_renamed(change),
        (None, Action::Add) => show_names(&result.inventory),
        (None, _) => String::new(),
    }
}

/// Shows a batch: each result, then how many went in.
pub(super) fn show_batch(batch: &BatchResult) -> String {
    let mut out = String::new();
    for item in &batch.results {
        if let Some(result) = &item.result {
            out.push_str(&show_mutation(result, &item.id));
        }
        if let Some(error) = &item.error {
            push(&mut out, format_args!("refused {}\n", printable(&item.id)));
            push(&mut out, format_args!("  {} [{}]\n", printable(&error.message), error.code));
            for cause in &error.causes {
                push(&mut out, format_args!("  because: {}\n", printable(cause)));
            }
            if !matches!(&item.findings[..], [only] if only.rule == error.code) {
                out.push_str(&show_findings(&item.findings));
            }
            if let Some(hint) = &error.hint {
                push(&mut out, format_args!("  hint: {}\n", printable(hint)));
            }
        }
    }
    let good = batch.results.iter().filter(|item| item.ok).count();
    let refused = batch.results.len() - good;
    push(&mut out, format_args!("{}: {good} done, {refused} refused\n", batch.action));
    out
}

fn show_plan(out: &mut String, plan: &MutationPlan) {
    push(out, format_args!("would {} {} {}\n", plan.action, plan.kind, plan.id));
    if plan.steps.is_empty() {
        out.push_str("  nothing changes\n");
    }
    for step in &plan.steps {
        match step {
            PlanStep::Promote { digest, files, bytes } => {
                let size = show_size(*files, *bytes);
                push(out, format_args!("  promote    {}, {size}\n", digest.short()));
            }
            PlanStep::Keep { digest } => {
                push(out, format_args!("  keep       {}\n", digest.short()));
            }
            PlanStep::Forget { digest } => {
                push(out, format_args!("  forget     {}\n", digest.short()));
            }
            PlanStep::Record { record } => push(
                out,
                format_args!(
                    "  record     {} ({})\n",
                    record.id,
                    if record.enabled { "enabled" } else { "disabled" }
                ),
            ),
            PlanStep::Unrecord => out.push_str("  unrecord\n"),
            PlanStep::Accept { suppression } => out.push_str(&show_step(suppression)),
        }
    }
    out.push_str(&show_changes(&plan.files));
}

fn push(out: &mut String, text: std::fmt::Arguments<'_>) {
    out.write_fmt(text).expect("writing to a string cannot fail");
}
