//! Which commit a plan stands for, among the names that a repository has.

use std::collections::BTreeMap;

use git2::RemoteHead;
use kitbag_types::Code;

use crate::remote::{FetchError, Resolved};
use crate::{GitRef, GithubPlan};

/// The names of a repository with the commits they stand for. An annotated tag stands for the
/// commit that it is about.
pub(super) type Refs = BTreeMap<String, String>;

const PEELED: &str = "^{}";

pub(super) fn read(heads: &[RemoteHead<'_>]) -> Refs {
    let mut refs = Refs::new();
    for head in heads {
        match head.name().strip_suffix(PEELED) {
            Some(tag) => refs.insert(tag.to_owned(), head.oid().to_string()),
            // What it is peeled to comes after it, and takes its place.
            None => refs.insert(head.name().to_owned(), head.oid().to_string()),
        };
    }
    refs
}

/// Returns what a commit id stands for: itself.
pub(super) fn commit(plan: &GithubPlan, commit: &str) -> Resolved {
    Resolved {
        commit: commit.to_owned(),
        git_ref: Some(commit.to_owned()),
        subpath: plan.subpath.as_ref().map(|path| path.as_str().to_owned()),
    }
}

/// Decides which commit a plan stands for. Pure.
pub(super) fn resolve(plan: &GithubPlan, refs: &Refs) -> Result<Resolved, FetchError> {
    let subpath = plan.subpath.as_ref().map(|path| path.as_str().to_owned());
    let found = |git_ref: Option<String>, commit: &str, subpath| {
        Ok(Resolved { commit: commit.to_owned(), git_ref, subpath })
    };
    match &plan.git_ref {
        GitRef::Default => match refs.get("HEAD") {
            Some(commit) => found(None, commit, subpath),
            None => Err(unknown(plan, "the repository is empty")),
        },
        GitRef::Commit(commit) => found(Some(commit.clone()), commit, subpath),
        GitRef::Named(name) => match find(refs, name) {
            Some((name, commit)) => found(Some(name), commit, subpath),
            None => {
                Err(unknown(plan, &format!("it has no branch or tag `{name}`{}", near(refs, name))))
            }
        },
        GitRef::TreePath(parts) => tree_path(plan, refs, parts),
    }
}

/// The longest name that exists wins, and the rest is a path.
fn tree_path(plan: &GithubPlan, refs: &Refs, parts: &[String]) -> Result<Resolved, FetchError> {
    for length in (1..=parts.len()).rev() {
        let name = parts[..length].join("/");
        let is_commit = name.len() == 40 && name.bytes().all(|byte| byte.is_ascii_hexdigit());
        let found = match find(refs, &name) {
            Some((name, commit)) => Some((name, commit.clone())),
            None if is_commit => Some((name.to_lowercase(), name.to_lowercase())),
            None => None,
        };
        if let Some((name, commit)) = found {
            let rest = parts[length..].join("/");
            let subpath = (!rest.is_empty()).then_some(rest);
            return Ok(Resolved { commit, git_ref: Some(name), subpath });
        }
    }
    let all = parts.join("/");
    Err(unknown(plan, &format!("no branch or tag is the beginning of `{all}`")))
}

/// Finds a name as git does: a tag before a branch of the same name.
fn find<'r>(refs: &'r Refs, name: &str) -> Option<(String, &'r String)> {
    ["refs/tags/", "refs/heads/"].iter().find_map(|space| {
        let full = if name.starts_with(space) { name.to_owned() } else { format!("{space}{name}") };
        refs.get(&full).map(|commit| (full, commit))
    })
}

/// Names what a person may have meant.
fn near(refs: &Refs, name: &str) -> String {
    let short = |full: &str| {
        full.strip_prefix("refs/tags/")
            .or_else(|| full.strip_prefix("refs/heads/"))
            .map(str::to_owned)
    };
    let wanted = name.to_lowercase();
    let near = refs.keys().filter_map(|full| short(full)).find(|short| {
        short.to_lowercase().contains(&wanted) || wanted.contains(&short.to_lowercase())
    });
    near.map_or_else(String::new, |near| format!("; there is `{near}`"))
}

fn unknown(plan: &GithubPlan, message: &str) -> FetchError {
    FetchError::new(Code::SourceRefUnknown, &plan.url(), message)
}
