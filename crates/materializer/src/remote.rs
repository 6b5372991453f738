//! What a place that repositories are fetched from can do, in terms of plain data.

use std::path::Path;
use std::sync::Arc;

use kitbag_package::{PackageError, PackageReader};
use kitbag_types::{Code, Coded, Watch, printable};

use crate::{Candidate, GithubPlan};

/// A commit that a plan stands for, before anything is fetched.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Resolved {
    /// The full id of the commit.
    pub commit: String,
    /// How it was named: `refs/heads/…`, `refs/tags/…`, a commit id, or none for the default
    /// branch. What is recorded, so that a tag stays a tag and a branch is followed.
    pub git_ref: Option<String>,
    /// The folder inside the commit that was named, where one was.
    pub subpath: Option<String>,
}

/// What is done about links in a commit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Links {
    /// A package with a link is refused.
    #[default]
    Refuse,
    /// A link to a file of the same commit is that file.
    Resolve,
}

/// A commit that was fetched. It reads from a scratch folder, and is of use only as long as that.
pub trait FetchedSource: Send + Sync {
    /// Returns what was fetched.
    fn resolved(&self) -> &Resolved;

    /// Finds the capabilities in it, in the order of their paths: names only.
    ///
    /// # Errors
    /// [`FetchError`] if a folder of the commit cannot be read, or there are too many.
    fn candidates(&self) -> Result<Vec<Candidate>, FetchError>;

    /// Opens one of its folders as a package; `.` is the top of the commit.
    ///
    /// # Errors
    /// [`PackageError`] with everything that a package may not hold.
    fn open(
        &self,
        subpath: &str,
        links: Links,
    ) -> Result<Box<dyn PackageReader + '_>, PackageError>;
}

/// A place that repositories are fetched from.
pub trait Remote: Send + Sync {
    /// Asks which commit a plan stands for, without fetching it.
    ///
    /// # Errors
    /// [`FetchError`].
    fn resolve(&self, plan: &GithubPlan, watch: Arc<dyn Watch>) -> Result<Resolved, FetchError>;

    /// Fetches the commit that a plan stands for into a scratch folder.
    ///
    /// # Errors
    /// [`FetchError`]; what was written to the folder is of no use then.
    fn fetch(
        &self,
        plan: &GithubPlan,
        scratch: &Path,
        watch: Arc<dyn Watch>,
    ) -> Result<Box<dyn FetchedSource>, FetchError>;
}

/// A repository could not be fetched.
#[derive(Debug, thiserror::Error)]
#[error("`{}`: {message}", printable(.url))]
pub struct FetchError {
    /// Which sort of failure.
    pub code: Code,
    /// The repository, without any credential.
    pub url: String,
    /// What went wrong. May hold text of the server.
    pub message: String,
    /// The failure below it.
    #[source]
    pub source: Option<Box<dyn std::error::Error + Send + Sync>>,
}

impl FetchError {
    /// Makes a failure without one below it.
    pub(crate) fn new(code: Code, url: &str, message: impl Into<String>) -> Self {
        let message = printable(&message.into()).to_string();
        Self { code, url: url.to_owned(), message, source: None }
    }

    pub(crate) fn because(
        mut self,
        source: impl Into<Box<dyn std::error::Error + Send + Sync>>,
    ) -> Self {
        self.source = Some(source.into());
        self
    }
}

impl Coded for FetchError {
    fn code(&self) -> Code {
        self.code
    }
}
