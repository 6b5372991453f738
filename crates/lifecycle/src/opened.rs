//! A source that was opened: a folder, or a commit that was fetched.

use std::path::Path;
use std::sync::Arc;

use kitbag_materializer::{
    Candidate, FetchedSource, GitRef, GithubPlan, Links, SourcePlan, SourceRequest, Surroundings,
    candidates, resolve,
};
use kitbag_package::{PackageReader, PackageTree};
use kitbag_store::PackageRow;
use kitbag_types::{CapabilityRecord, Code, Principal, RequestSource, StoredSource, printable};

use crate::service::CapabilityLifecycleService;
use crate::transaction::Area;
use crate::{LifecycleError, Refusal};

/// Where a package came from, as it is recorded.
#[derive(Clone, Debug)]
pub(crate) struct Origin {
    pub(crate) source: StoredSource,
    pub(crate) source_ref: String,
    pub(crate) commit: Option<String>,
    pub(crate) subpath: Option<String>,
    pub(crate) git_ref: Option<String>,
}

impl Origin {
    /// Tells whether another package came from the same place.
    pub(crate) fn is(&self, record: &CapabilityRecord, row: Option<&PackageRow>) -> bool {
        self.source_ref == record.source_ref && row.is_none_or(|row| row.subpath == self.subpath)
    }
}

/// A source that was opened.
pub(crate) enum Opened<'s> {
    /// A folder, and the workspace that agents' folders lie in.
    Folder { plan: SourcePlan, workspace: &'s Path },
    /// A commit. It lies in the staging area beside it, which goes after it.
    Commit { fetched: Box<dyn FetchedSource>, plan: GithubPlan, _area: Area<'s> },
}

impl CapabilityLifecycleService {
    /// Opens what a plan means. A repository is fetched.
    pub(crate) fn open_source(&self, plan: &SourcePlan) -> Result<Opened<'_>, LifecycleError> {
        let SourcePlan::Github(plan) = plan else {
            return Ok(Opened::Folder { plan: plan.clone(), workspace: &self.workspace });
        };
        let operation = self.clock.operation();
        let area = Area::new(&*self.depot, operation);
        let scratch = self.depot.scratch(operation)?;
        let fetched = self.remote.fetch(plan, &scratch, Arc::clone(&self.watch))?;
        Ok(Opened::Commit { fetched, plan: plan.clone(), _area: area })
    }

    /// Returns the plan of a recorded origin, to read it again: a branch as it is now, a tag or a
    /// commit as it was.
    pub(crate) fn recorded_source(
        &self,
        record: &CapabilityRecord,
        row: Option<&PackageRow>,
    ) -> Result<SourcePlan, LifecycleError> {
        match record.source {
            StoredSource::Local if record.kind.has_package() => {
                Ok(SourcePlan::Local(self.workspace.join(&record.source_ref)))
            }
            StoredSource::Github => {
                let mut plan = github_plan(&record.source_ref)?;
                plan.git_ref = match row.and_then(|row| row.git_ref.clone()) {
                    None => GitRef::Default,
                    Some(name) if name.starts_with("refs/") => GitRef::Named(name),
                    Some(commit) => GitRef::Commit(commit),
                };
                Ok(SourcePlan::Github(plan))
            }
            StoredSource::Local | StoredSource::Npm | StoredSource::Builtin => {
                let message =
                    format!("`{}` was recorded with source `{}`", record.id, record.source);
                Err(Refusal::new(Code::RegistryNoSource, message).into())
            }
        }
    }

    /// Returns the plan of exactly what was recorded: for a repository, that commit.
    pub(crate) fn pinned_source(
        &self,
        record: &CapabilityRecord,
        row: &PackageRow,
    ) -> Result<SourcePlan, LifecycleError> {
        let mut plan = self.recorded_source(record, Some(row))?;
        if let (SourcePlan::Github(plan), Some(commit)) = (&mut plan, &row.commit) {
            plan.git_ref = GitRef::Commit(commit.clone());
        }
        Ok(plan)
    }
}

/// Reads a recorded repository.
pub(crate) fn github_plan(source_ref: &str) -> Result<GithubPlan, LifecycleError> {
    // What is recorded was judged once, by whoever wrote it: it is judged again.
    let person = Principal::Cli { user: String::new() };
    let asked =
        SourceRequest { text: source_ref, source: Some(RequestSource::Github), principal: &person };
    let nowhere =
        Surroundings { current_dir: Path::new("/"), existing: kitbag_materializer::Existing::No };
    match resolve(&asked, &nowhere)? {
        SourcePlan::Github(plan) => Ok(plan),
        _ => {
            let message = format!("`{}` is no repository", printable(source_ref));
            Err(Refusal::new(Code::RegistryNoSource, message).into())
        }
    }
}

impl Opened<'_> {
    /// Finds what the source offers.
    pub(crate) fn offers(&self) -> Result<Vec<Candidate>, LifecycleError> {
        Ok(match self {
            Self::Folder { plan: SourcePlan::Local(path), .. } => candidates(path)?,
            Self::Folder { plan: SourcePlan::Workspace(path), workspace } => {
                candidates(&workspace.join(path))?
            }
            Self::Folder { .. } => Vec::new(),
            Self::Commit { fetched, .. } => fetched.candidates()?,
        })
    }

    /// Opens one of its folders; `.` is the source itself.
    pub(crate) fn open(
        &self,
        subpath: &str,
        links: Links,
    ) -> Result<Box<dyn PackageReader + '_>, LifecycleError> {
        Ok(match self {
            Self::Folder { plan: SourcePlan::Local(path), .. } => {
                Box::new(PackageTree::open(&join(path, subpath))?)
            }
            Self::Folder { plan: SourcePlan::Workspace(path), workspace } => {
                let relative = match (path.as_str(), subpath) {
                    (path, ".") => path.to_owned(),
                    (".", subpath) => subpath.to_owned(),
                    (path, subpath) => format!("{path}/{subpath}"),
                };
                Box::new(PackageTree::open_beneath(workspace, &relative)?)
            }
            Self::Folder { .. } => {
                let message = "a repository is opened as a commit";
                return Err(Refusal::new(Code::InternalBug, message).into());
            }
            Self::Commit { fetched, .. } => fetched.open(subpath, links)?,
        })
    }

    /// Opens the folder that a record was made from.
    pub(crate) fn open_recorded(
        &self,
        row: Option<&PackageRow>,
        links: Links,
    ) -> Result<Box<dyn PackageReader + '_>, LifecycleError> {
        match self {
            Self::Folder { .. } => self.open(".", links),
            Self::Commit { .. } => {
                let subpath = row.and_then(|row| row.subpath.as_deref()).unwrap_or(".");
                self.open(subpath, links)
            }
        }
    }

    /// Returns what is recorded as the origin of one of its folders.
    pub(crate) fn origin(&self, subpath: &str) -> Origin {
        let local = |source_ref| Origin {
            source: StoredSource::Local,
            source_ref,
            commit: None,
            subpath: None,
            git_ref: None,
        };
        match self {
            Self::Folder { plan: SourcePlan::Local(path), workspace } => {
                let path = join(path, subpath);
                // Below the workspace the path is kept relative, so that the root can be moved.
                local(path.strip_prefix(workspace).unwrap_or(&path).display().to_string())
            }
            Self::Folder { plan: SourcePlan::Workspace(path), .. } => {
                local(join(Path::new(path), subpath).display().to_string())
            }
            Self::Folder { .. } => local(String::new()),
            Self::Commit { fetched, plan, .. } => {
                let resolved = fetched.resolved();
                Origin {
                    source: StoredSource::Github,
                    source_ref: plan.source_ref(),
                    commit: Some(resolved.commit.clone()),
                    subpath: (subpath != ".").then(|| subpath.to_owned()),
                    git_ref: resolved.git_ref.clone(),
                }
            }
        }
    }
}

fn join(path: &Path, subpath: &str) -> std::path::PathBuf {
    if subpath == "." { path.to_owned() } else { path.join(subpath) }
}
