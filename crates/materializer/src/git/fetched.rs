//! A commit in the scratch repository.

use std::sync::Mutex;

use git2::{ObjectType, Oid, Repository, Tree};
use kitbag_package::{PackageError, PackageReader};
use kitbag_types::{Code, PackagePath};

use super::package::GitPackage;
use super::{FETCHED, Links};
use crate::candidates::{MAX_CANDIDATE_DEPTH, MAX_FOLDERS, is_skipped_name, kind_of_folder};
use crate::remote::{FetchError, FetchedSource, Resolved};
use crate::{Candidate, GithubPlan};

/// A commit that was fetched.
pub(super) struct Fetched {
    repository: Mutex<Repository>,
    tree: Oid,
    resolved: Resolved,
    url: String,
    repository_name: String,
}

impl Fetched {
    /// Finds the commit among what was fetched.
    pub(super) fn open(
        repository: Repository,
        plan: &GithubPlan,
        mut resolved: Resolved,
    ) -> Result<Self, FetchError> {
        let url = plan.url();
        let by_commit = resolved.git_ref.as_deref() == Some(resolved.commit.as_str());
        let missing = || {
            let message = format!("it does not have the commit {}", resolved.commit);
            FetchError::new(Code::SourceCommitMissing, &url, message)
        };
        let (commit, tree) = {
            let object = if by_commit {
                let id = Oid::from_str(&resolved.commit).map_err(|_| missing())?;
                repository.find_object(id, None).map_err(|_| missing())?
            } else {
                repository.revparse_single(FETCHED).map_err(|_| missing())?
            };
            let commit = object.peel_to_commit().map_err(|_| missing())?;
            (commit.id().to_string(), commit.tree_id())
        };
        // A branch may have moved between the question and the fetch: what came is what counts.
        resolved.commit = commit;
        let repository_name = plan.repository.clone();
        Ok(Self { repository: Mutex::new(repository), tree, resolved, url, repository_name })
    }

    fn broken(&self, error: git2::Error) -> FetchError {
        FetchError::new(Code::SourceBroken, &self.url, "a folder of the commit cannot be read")
            .because(error)
    }

    fn walk(&self, repository: &Repository, start: &str) -> Result<Vec<Candidate>, FetchError> {
        let root = folder(repository, self.tree, start).map_err(|_| {
            let message = format!("the commit has no folder `{start}`");
            FetchError::new(Code::SourceSubpathMissing, &self.url, message)
        })?;
        let mut found = Vec::new();
        let mut folders = 0;
        // Depth first in the order of the names, each with its path, name, parent and depth.
        let name = match start.rsplit('/').next() {
            Some(".") | None => self.repository_name.clone(),
            Some(last) => last.to_owned(),
        };
        let mut open = vec![(start.to_owned(), name, parent_of(start), 0_usize, root.id())];
        while let Some((path, name, parent, depth, id)) = open.pop() {
            folders += 1;
            if folders > MAX_FOLDERS {
                let message = format!("it has more than {MAX_FOLDERS} folders");
                return Err(FetchError::new(Code::SourceTooManyFolders, &self.url, message));
            }
            let tree = repository.find_tree(id).map_err(|error| self.broken(error))?;
            let names = tree.iter().filter_map(|entry| {
                let is_folder = entry.kind() == Some(ObjectType::Tree);
                entry.name().ok().map(|name| (name.to_owned(), is_folder))
            });
            if let Some(kind) = kind_of_folder(names, parent.as_deref(), depth == 0) {
                found.push(Candidate { subpath: path, folder: Some(name), kind });
                continue;
            }
            if depth == MAX_CANDIDATE_DEPTH {
                continue;
            }
            let below = open.len();
            for entry in &tree {
                let (Some(ObjectType::Tree), Ok(child)) = (entry.kind(), entry.name()) else {
                    continue;
                };
                if is_skipped_name(child) || PackagePath::new(child).is_err() {
                    continue;
                }
                let path = if path == "." { child.to_owned() } else { format!("{path}/{child}") };
                // The name of the repository says nothing of the kind of what lies in it.
                let around = (start != "." || depth > 0).then(|| name.clone());
                open.push((path, child.to_owned(), around, depth + 1, entry.id()));
            }
            open[below..].sort_by(|a, b| b.0.cmp(&a.0));
        }
        Ok(found)
    }
}

fn parent_of(path: &str) -> Option<String> {
    let (parents, _) = path.rsplit_once('/')?;
    parents.rsplit('/').next().map(str::to_owned)
}

/// Returns the tree of a folder of a commit.
pub(super) fn folder<'r>(
    repository: &'r Repository,
    root: Oid,
    path: &str,
) -> Result<Tree<'r>, git2::Error> {
    let root = repository.find_tree(root)?;
    if path == "." {
        return Ok(root);
    }
    root.get_path(std::path::Path::new(path))?.to_object(repository)?.peel_to_tree()
}

impl FetchedSource for Fetched {
    fn resolved(&self) -> &Resolved {
        &self.resolved
    }

    fn candidates(&self) -> Result<Vec<Candidate>, FetchError> {
        let repository = self.repository.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        self.walk(&repository, self.resolved.subpath.as_deref().unwrap_or("."))
    }

    fn open(
        &self,
        subpath: &str,
        links: Links,
    ) -> Result<Box<dyn PackageReader + '_>, PackageError> {
        GitPackage::open(&self.repository, self.tree, subpath, links)
            .map(|package| Box::new(package) as Box<_>)
    }
}
