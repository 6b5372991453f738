//! GitHub repositories, by libgit2 over transports of our own.
//!
//! Nothing is checked out: a commit's tree object is read, and its files go through the same rules
//! as those of a folder. So no hook, filter, submodule or link of a repository can act.

mod fetched;
mod http;
mod package;
mod pump;
mod refs;
mod session;
mod ssh;
mod wire;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use git2::{
    AutotagOption, Direction, FetchOptions, RemoteCallbacks, Repository, RepositoryInitOptions,
};
use kitbag_types::{Code, Progress, Watch};

use crate::remote::{FetchError, FetchedSource, Links, Remote, Resolved};
use crate::{GitRef, GithubPlan, Transport};
use fetched::Fetched;
use session::Session;
use wire::Wired;

/// The most bytes that are received for one fetch: a collection of thousands of skills has some
/// hundred MiB at depth 1, and a disk is no place for more by accident.
pub const MAX_FETCH_BYTES: u64 = 2 * 1024 * 1024 * 1024;

/// How long a server may say nothing: longer than it takes GitHub to pack a large repository.
const MAX_SILENCE: Duration = Duration::from_secs(60);

/// How long connecting may take.
const MAX_CONNECT: Duration = Duration::from_secs(20);

/// Where the commit that was asked for is kept in the scratch repository.
const FETCHED: &str = "refs/kitbag/fetched";

/// Fetches from github.com.
#[derive(Debug)]
pub struct GitRemote {
    place: Place,
    limits: Limits,
}

/// Bounds of one fetch.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    pub(crate) silence: Duration,
    pub(crate) connect: Duration,
    pub(crate) bytes: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self { silence: MAX_SILENCE, connect: MAX_CONNECT, bytes: MAX_FETCH_BYTES }
    }
}

/// Where a plan leads.
#[derive(Clone, Debug)]
enum Place {
    Github,
    Loopback { base: String, ssh: PathBuf, config: PathBuf },
}

impl Default for GitRemote {
    fn default() -> Self {
        Self::new()
    }
}

impl GitRemote {
    /// Makes one that fetches from github.com, and from nowhere else.
    pub fn new() -> Self {
        Self { place: Place::Github, limits: Limits::default() }
    }

    /// Makes one for tests, which asks a server on this machine at `base` (`http://127.0.0.1:PORT`)
    /// instead of github.com, a program in the place of `ssh`, and a git configuration in the place
    /// of the person's. No setting leads here.
    #[doc(hidden)]
    pub fn on_loopback(
        base: &str,
        ssh: &Path,
        config: &Path,
        silence: Duration,
        bytes: u64,
    ) -> Self {
        let place = Place::Loopback {
            base: base.trim_end_matches('/').to_owned(),
            ssh: ssh.to_owned(),
            config: config.to_owned(),
        };
        let limits = Limits { silence, connect: MAX_CONNECT, bytes };
        Self { place, limits }
    }

    fn session(&self, plan: &GithubPlan, watch: Arc<dyn Watch>) -> Session {
        let (path, name) = (format!("{}/{}.git", plan.owner, plan.repository), plan.url());
        let limits = self.limits;
        match (&self.place, plan.transport) {
            (Place::Github, Transport::Https) => {
                let base = format!("https://github.com/{path}");
                Session::http(name, base, None, limits, watch)
            }
            (Place::Github, Transport::Ssh) => {
                Session::ssh(name, PathBuf::from("ssh"), "git@github.com", path, limits, watch)
            }
            (Place::Loopback { base, config, .. }, Transport::Https) => {
                Session::http(name, format!("{base}/{path}"), Some(config.clone()), limits, watch)
            }
            (Place::Loopback { ssh, .. }, Transport::Ssh) => {
                Session::ssh(name, ssh.clone(), "git@github.com", path, limits, watch)
            }
        }
    }

    fn ask(
        &self,
        plan: &GithubPlan,
        scratch: &Repository,
        watch: &Arc<dyn Watch>,
    ) -> Result<(Wired, Resolved), FetchError> {
        let wired = Wired::new(self.session(plan, Arc::clone(watch)))?;
        let refs = {
            let mut remote = wired.remote(scratch)?;
            let connection = remote
                .connect_auth(Direction::Fetch, None, None)
                .map_err(|error| wired.failure(error))?;
            refs::read(connection.list().map_err(|error| wired.failure(error))?)
        };
        let resolved = refs::resolve(plan, &refs)?;
        Ok((wired, resolved))
    }
}

impl Remote for GitRemote {
    fn resolve(&self, plan: &GithubPlan, watch: Arc<dyn Watch>) -> Result<Resolved, FetchError> {
        // A commit names itself; whether it is there is seen when it is fetched.
        if let GitRef::Commit(commit) = &plan.git_ref {
            return Ok(refs::commit(plan, commit));
        }
        let folder = tempfile::tempdir().map_err(|error| {
            FetchError::new(Code::DepotIo, &plan.url(), "no scratch folder").because(error)
        })?;
        let scratch = init(folder.path(), plan)?;
        self.ask(plan, &scratch, &watch).map(|(_, resolved)| resolved)
    }

    fn fetch(
        &self,
        plan: &GithubPlan,
        scratch: &Path,
        watch: Arc<dyn Watch>,
    ) -> Result<Box<dyn FetchedSource>, FetchError> {
        let repository = init(scratch, plan)?;
        let (wired, resolved) = match &plan.git_ref {
            GitRef::Commit(commit) => {
                let wired = Wired::new(self.session(plan, Arc::clone(&watch)))?;
                (wired, refs::commit(plan, commit))
            }
            _ => self.ask(plan, &repository, &watch)?,
        };
        fetch_commit(&repository, &wired, &resolved, &watch)?;
        Fetched::open(repository, plan, resolved).map(|fetched| Box::new(fetched) as Box<_>)
    }
}

/// Makes the bare repository that objects are fetched into: no template, so no hook.
fn init(folder: &Path, plan: &GithubPlan) -> Result<Repository, FetchError> {
    let mut options = RepositoryInitOptions::new();
    options.bare(true).external_template(false);
    Repository::init_opts(folder.join("fetched.git"), &options).map_err(|error| {
        FetchError::new(Code::DepotIo, &plan.url(), "no scratch repository").because(error)
    })
}

/// Fetches one commit and nothing before it; where the server gives a commit only with the branch
/// that it is on, all branches and tags.
fn fetch_commit(
    repository: &Repository,
    wired: &Wired,
    resolved: &Resolved,
    watch: &Arc<dyn Watch>,
) -> Result<(), FetchError> {
    let source = match &resolved.git_ref {
        Some(name) if name.starts_with("refs/") => name.as_str(),
        Some(commit) => commit,
        None => "HEAD",
    };
    let by_commit = resolved.git_ref.as_deref() == Some(resolved.commit.as_str());
    let narrow = transfer(repository, wired, &[&format!("+{source}:{FETCHED}")], 1, watch);
    match narrow {
        Ok(()) => Ok(()),
        Err(error) if by_commit && error.code == Code::SourceBroken => {
            tracing::debug!(%error, "the server does not give a commit by its id");
            let all = ["+refs/heads/*:refs/kitbag/heads/*", "+refs/tags/*:refs/kitbag/tags/*"];
            transfer(repository, wired, &all, 0, watch)
        }
        Err(error) => Err(error),
    }
}

fn transfer(
    repository: &Repository,
    wired: &Wired,
    refspecs: &[&str],
    depth: i32,
    watch: &Arc<dyn Watch>,
) -> Result<(), FetchError> {
    let mut callbacks = RemoteCallbacks::new();
    callbacks.transfer_progress(|progress| {
        watch.progress(&Progress::Fetching {
            objects: progress.received_objects() as u64,
            total: progress.total_objects() as u64,
            bytes: progress.received_bytes() as u64,
        });
        !watch.is_cancelled()
    });
    let mut options = FetchOptions::new();
    options.remote_callbacks(callbacks).download_tags(AutotagOption::None).update_fetchhead(false);
    if depth > 0 {
        options.depth(depth);
    }
    let mut remote = wired.remote(repository)?;
    remote.fetch(refspecs, Some(&mut options), None).map_err(|error| {
        if watch.is_cancelled() {
            return FetchError::new(Code::OperationCancelled, wired.url(), "it was interrupted");
        }
        wired.failure(error)
    })
}
