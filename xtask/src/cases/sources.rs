//! sources.tsv: forms of sources, each accepted or refused by its code.

use std::path::Path;

use anyhow::{Context as _, Result, bail};
use kitbag_materializer::{Existing, SourcePlan, SourceRequest, Surroundings, resolve};
use kitbag_types::{Principal, RequestSource};

const HEAD: &str = "source\tprincipal\trequest\tverdict\texpect";

/// Returns how many verdicts differ.
pub(super) fn run(path: &Path) -> Result<usize> {
    let text = fs_err::read_to_string(path)?;
    let mut lines = text.lines();
    if lines.next() != Some(HEAD) {
        bail!("`{}` does not begin with the columns `{HEAD}`", path.display());
    }
    let (mut count, mut mismatches) = (0, 0);
    for line in lines.filter(|line| !line.is_empty()) {
        let columns: Vec<&str> = line.split('\t').collect();
        let [source, principal, request, verdict, expect] = columns[..] else {
            bail!("`{line}` does not have five columns")
        };
        count += 1;
        let source = source.replace("\\n", "\n");
        let seen = outcome(&source, principal, request).with_context(|| line.to_owned())?;
        if !agrees(&seen, verdict, expect) {
            mismatches += 1;
            println!("{line}\n    got {seen}");
        }
    }
    println!("sources: {count} forms, {mismatches} mismatches");
    Ok(mismatches)
}

fn outcome(source: &str, principal: &str, request: &str) -> Result<String> {
    let principal = match principal {
        "cli" => Principal::Cli { user: "ada".to_owned() },
        "agent" => Principal::Agent { agent: "helper".to_owned(), event_id: None },
        other => bail!("`{other}` is no principal"),
    };
    let request = match request {
        "auto" => None,
        "github" => Some(RequestSource::Github),
        "local" => Some(RequestSource::Local),
        other => bail!("`{other}` is no request"),
    };
    let asked = SourceRequest { text: source, source: request, principal: &principal };
    let surroundings = Surroundings { current_dir: Path::new("/home/ada"), existing: Existing::No };
    Ok(match resolve(&asked, &surroundings) {
        Ok(SourcePlan::Github(plan)) => format!("github {}", plan.url()),
        Ok(SourcePlan::Local(_) | SourcePlan::Workspace(_)) => "local".to_owned(),
        Err(error) => format!("refuse {}", error.code.as_str()),
    })
}

/// The code of a refusal has to be the one that is named, and the address of a repository, where
/// one is. The rest of the column is for its reader.
fn agrees(seen: &str, verdict: &str, expect: &str) -> bool {
    match verdict {
        "refuse" => seen == format!("refuse {expect}"),
        "github" if expect.starts_with("https://") => {
            let url = expect.split(' ').next().unwrap_or_default();
            seen.split(' ').nth(1).is_some_and(|plan| plan.split(['#', '@']).next() == Some(url))
        }
        verdict => seen.split(' ').next() == Some(verdict),
    }
}
