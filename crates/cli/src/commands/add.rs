//! `kitbag add`

use std::io::Write as _;

use kitbag_lifecycle::{AddOutcome, AddRequest, Enable, LifecycleError, Links, Mode, Pick, Review};
use kitbag_types::{BatchResult, Code, ErrorKind};

use super::Session;
use super::accepted::acceptances;
use super::change::{show_batch, show_mutation};
use crate::args::AddArgs;
use crate::exit::{DONE, Exit, code_of};
use crate::findings::show_findings;
use crate::names::{show_names, show_renamed};

pub(super) fn run(session: &Session<'_>, args: &AddArgs) -> Result<Exit, LifecycleError> {
    let mut request = request(session, args);
    let outcome = match session.service.add(&request) {
        Err(error) => match ask(session, &error) {
            Some(review) => {
                request.review = review;
                session.service.add(&request)?
            }
            None => return Err(error),
        },
        outcome => outcome?,
    };
    session.clear();
    match outcome {
        AddOutcome::One(result) => {
            session.output.warnings(&result.warnings);
            session.output.result(&*result, || show_mutation(&result, &args.source));
            Ok(DONE)
        }
        AddOutcome::Many(batch) => Ok(report_batch(session, &batch)),
    }
}

fn request(session: &Session<'_>, args: &AddArgs) -> AddRequest {
    let mut request = AddRequest::new(
        session.environment.principal(),
        &args.source,
        session.environment.current_dir(),
    );
    request.pick = if args.all {
        Pick::All
    } else if args.skill.is_empty() {
        Pick::Only
    } else {
        Pick::Named(args.skill.clone())
    };
    request.kind = args.kind;
    request.id.clone_from(&args.id);
    request.name.clone_from(&args.name);
    request.description.clone_from(&args.description);
    request.enable = if args.enable { Enable::Yes } else { Enable::No };
    request.review = if args.change.accept_review { Review::Accept } else { Review::Refuse };
    request.accept = acceptances(&args.accept);
    request.links = links(args.change.resolve_links);
    request.mode = if args.change.dry_run { Mode::Plan } else { Mode::Apply };
    request
}

pub(super) fn links(resolve: bool) -> Links {
    if resolve { Links::Resolve } else { Links::Refuse }
}

/// Asks a person at a terminal whether the findings are acceptable. The yes is to the bytes that
/// were shown.
pub(super) fn ask(session: &Session<'_>, error: &LifecycleError) -> Option<Review> {
    let refusal = error.refusal().filter(|refusal| refusal.code == Code::ScanReviewNeeded)?;
    let digest = refusal.digest?;
    if session.yes || session.output.is_json() || !session.environment.can_ask() {
        return None;
    }
    session.clear();
    let mut stderr = anstream::stderr();
    let _ = writeln!(stderr, "{refusal}");
    let _ = write!(
        stderr,
        "{}",
        kitbag_types::Printable::keep_lines(&show_findings(&refusal.findings))
    );
    let names = match &refusal.inventory_change {
        Some(change) => show_renamed(change),
        None => show_names(&refusal.inventory),
    };
    let _ = write!(stderr, "{}", kitbag_types::Printable::keep_lines(&names));
    let _ = write!(stderr, "Accept these findings for {}? [y/N] ", digest.short());
    let _ = stderr.flush();
    let mut answer = String::new();
    std::io::stdin().read_line(&mut answer).ok()?;
    matches!(answer.trim(), "y" | "Y" | "yes").then_some(Review::AcceptDigest(digest))
}

/// Prints several results and returns the exit code: 3 if any was refused, whatever the reason.
pub(super) fn report_batch(session: &Session<'_>, batch: &BatchResult) -> Exit {
    for item in &batch.results {
        if let Some(result) = &item.result {
            session.output.warnings(&result.warnings);
        }
    }
    session.output.result(batch, || show_batch(batch));
    if batch.ok { DONE } else { code_of(ErrorKind::Refused) }
}
