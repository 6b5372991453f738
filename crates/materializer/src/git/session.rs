//! One fetch from one repository: how it is reached, and what went wrong on the way.

use std::path::PathBuf;
use std::sync::atomic::AtomicU64;
use std::sync::{Arc, Mutex, PoisonError};

use kitbag_types::{Code, Watch};

use super::Limits;
use super::http::Http;
use super::pump::{Bounds, Trouble};
use super::ssh::Ssh;
use crate::remote::FetchError;

/// One fetch.
pub(super) struct Session {
    /// What the repository is called in messages and records.
    pub(super) url: String,
    pub(super) wire: Wire,
    pub(super) limits: Limits,
    pub(super) watch: Arc<dyn Watch>,
    received: Arc<AtomicU64>,
    /// What went wrong below git, which only passes a text on.
    trouble: Mutex<Option<Trouble>>,
}

/// How a repository is reached.
pub(super) enum Wire {
    Http(Http),
    Ssh(Ssh),
}

impl Session {
    pub(super) fn http(
        url: String,
        base: String,
        config: Option<PathBuf>,
        limits: Limits,
        watch: Arc<dyn Watch>,
    ) -> Self {
        Self::new(url, Wire::Http(Http::new(base, config, limits)), limits, watch)
    }

    pub(super) fn ssh(
        url: String,
        program: PathBuf,
        host: &str,
        path: String,
        limits: Limits,
        watch: Arc<dyn Watch>,
    ) -> Self {
        let ssh = Ssh { program, host: host.to_owned(), path, connect: limits.connect };
        Self::new(url, Wire::Ssh(ssh), limits, watch)
    }

    fn new(url: String, wire: Wire, limits: Limits, watch: Arc<dyn Watch>) -> Self {
        let received = Arc::default();
        Self { url, wire, limits, watch, received, trouble: Mutex::new(None) }
    }

    pub(super) fn bounds(&self) -> Bounds {
        Bounds {
            watch: Arc::clone(&self.watch),
            silence: self.limits.silence,
            received: Arc::clone(&self.received),
            limit: self.limits.bytes,
        }
    }

    /// Keeps what went wrong, and returns what git is told.
    pub(super) fn note(&self, trouble: Trouble) -> git2::Error {
        let error = git2::Error::from_str(&trouble.1);
        *self.trouble.lock().unwrap_or_else(PoisonError::into_inner) = Some(trouble);
        error
    }

    /// Returns the failure of a fetch: what we know of it, else what git says.
    pub(super) fn failure(&self, error: git2::Error) -> FetchError {
        let trouble = self.trouble.lock().unwrap_or_else(PoisonError::into_inner).take();
        match trouble {
            Some((code, message)) => FetchError::new(code, &self.url, message),
            None => {
                let code = match error.class() {
                    git2::ErrorClass::Os | git2::ErrorClass::Filesystem => Code::DepotIo,
                    _ => Code::SourceBroken,
                };
                FetchError::new(code, &self.url, "the fetch failed").because(error)
            }
        }
    }
}
