//! Which of the capabilities that a source offers are meant.

use kitbag_materializer::{Candidate, Links};
use kitbag_types::{Code, printable};

use crate::opened::Opened;
use crate::{LifecycleError, Pick, Refusal};

/// The most names that a message lists: a repository may offer thousands.
const MOST_NAMES: usize = 30;

/// Picks from what a source offers. `asked` is the source as it was written.
pub(crate) fn choose(
    source: &Opened<'_>,
    offers: Vec<Candidate>,
    asked: &str,
    pick: &Pick,
) -> Result<Vec<Candidate>, LifecycleError> {
    if offers.is_empty() {
        let message = format!("`{}` holds no capability", printable(asked));
        return Err(Refusal::new(Code::SourceNoCandidate, message).into());
    }
    match pick {
        Pick::All => Ok(offers),
        Pick::Only if offers.len() == 1 => Ok(offers),
        Pick::Only => {
            let message = format!(
                "`{}` offers {} capabilities: {}",
                printable(asked),
                offers.len(),
                names(source, &offers)
            );
            Err(Refusal::new(Code::SourceChooseOne, message).into())
        }
        Pick::Named(wanted) => {
            let mut chosen: Vec<Candidate> = Vec::with_capacity(wanted.len());
            for name in wanted {
                let candidate = named(source, &offers, name)?;
                // Who names one twice wants it once.
                if !chosen.iter().any(|known| known.subpath == candidate.subpath) {
                    chosen.push(candidate);
                }
            }
            Ok(chosen)
        }
    }
}

fn named(
    source: &Opened<'_>,
    offers: &[Candidate],
    name: &str,
) -> Result<Candidate, LifecycleError> {
    let by_folder = offers
        .iter()
        .filter(|offer| offer.subpath == name || offer.folder.as_deref() == Some(name));
    let mut found: Vec<&Candidate> = by_folder.collect();
    if found.is_empty() {
        found = offers.iter().filter(|offer| offer_name(source, offer) == name).collect();
    }
    match found[..] {
        [one] => Ok(one.clone()),
        [] => {
            let message = format!(
                "there is no `{}`; the source offers {}",
                printable(name),
                names(source, offers)
            );
            Err(Refusal::new(Code::SourcePickUnknown, message).into())
        }
        _ => {
            let paths: Vec<String> =
                found.iter().map(|offer| format!("`{}`", printable(&offer.subpath))).collect();
            let message = format!("`{}` is the name of {}", printable(name), paths.join(", "));
            Err(Refusal::new(Code::SourceChooseOne, message).hint("name one by its path").into())
        }
    }
}

/// Names what a source offers, for a message.
fn names(source: &Opened<'_>, offers: &[Candidate]) -> String {
    let mut names: Vec<String> = offers
        .iter()
        .take(MOST_NAMES)
        .map(|offer| format!("`{}`", printable(&offer_name(source, offer))))
        .collect();
    if offers.len() > MOST_NAMES {
        names.push(format!("and {} more", offers.len() - MOST_NAMES));
    }
    names.join(", ")
}

/// Returns the name of an offer: its manifest's where that can be read, else its folder's.
fn offer_name(source: &Opened<'_>, offer: &Candidate) -> String {
    let from_manifest = || {
        let package = source.open(&offer.subpath, Links::Refuse).ok()?;
        crate::validate::skill_name(&*package)
    };
    from_manifest().or_else(|| offer.folder.clone()).unwrap_or_else(|| offer.subpath.clone())
}
