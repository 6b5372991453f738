//! The locks, in the order in which they are put on. None of them can be taken off again.

#[cfg(target_os = "linux")]
mod calls;
#[cfg(target_os = "linux")]
mod files;
#[cfg(target_os = "linux")]
mod privileges;
#[cfg(target_os = "linux")]
mod resources;

use std::fmt;

use kitbag_types::printable;
use thiserror::Error;

use crate::limits::{Limits, Lock};
use crate::lockdown::Lockdown;

/// A lock that is needed and cannot be had. What was locked before it stays locked.
#[derive(Debug, Error)]
#[error("the lock `{lock}` cannot be had: {}", printable(why))]
pub struct EnterError {
    lock: Lock,
    why: String,
}

impl EnterError {
    pub(crate) fn new(lock: Lock, why: &dyn fmt::Display) -> Self {
        Self { lock, why: why.to_string() }
    }

    /// Returns the lock that is missing.
    pub fn lock(&self) -> Lock {
        self.lock
    }

    pub(crate) fn why(&self) -> &str {
        &self.why
    }
}

/// Locks this process down for good and says what holds.
///
/// [`crate::serve`] calls it. It must be called before any thread is started: resources and calls
/// are held for the whole process, files and privileges for the calling thread and its children.
///
/// # Errors
///
/// [`EnterError`] where a lock is needed and cannot be had. The process should end then.
pub fn enter(limits: &Limits) -> Result<Lockdown, EnterError> {
    enter_with(limits, || Ok(()))
}

/// As [`enter`]; `start` may start threads at the one moment when they get every lock: they inherit
/// files and privileges, and what follows holds the whole process. They must have begun to wait
/// when it returns, for how a thread begins is not on the list of calls.
#[cfg(target_os = "linux")]
pub(crate) fn enter_with(
    limits: &Limits,
    start: impl FnOnce() -> Result<(), EnterError>,
) -> Result<Lockdown, EnterError> {
    use crate::limits::Need;
    use crate::lockdown::Held;

    let settle = |lock: Lock, held: Result<Held, String>| match (held, limits.need(lock)) {
        (Ok(Held::No), Need::Required) => Err(EnterError::new(lock, &"the kernel has it not")),
        (Ok(held), _) => Ok(held),
        (Err(why), Need::Required) => Err(EnterError::new(lock, &why)),
        (Err(_), _) => Ok(Held::No),
    };

    privileges::give_up().map_err(|error| EnterError::new(Lock::Privileges, &error))?;
    let files = match limits.files {
        Need::LeftOut => Held::No,
        Need::Required | Need::IfAvailable => settle(Lock::Files, files::deny())?,
    };
    start()?;
    resources::limit(limits).map_err(|error| EnterError::new(Lock::Resources, &error))?;
    // Landlock's rules needed a descriptor for a moment.
    resources::no_more_descriptors().map_err(|error| EnterError::new(Lock::Resources, &error))?;
    let calls = match limits.calls {
        Need::LeftOut => Held::No,
        Need::Required | Need::IfAvailable => settle(Lock::Calls, calls::allow_few())?,
    };
    Ok(Lockdown { files, calls })
}

/// Refuses: this system has neither Landlock nor seccomp.
#[cfg(not(target_os = "linux"))]
pub(crate) fn enter_with(
    limits: &Limits,
    start: impl FnOnce() -> Result<(), EnterError>,
) -> Result<Lockdown, EnterError> {
    let _ = (limits, start);
    Err(EnterError::new(Lock::Calls, &"this system has neither Landlock nor seccomp"))
}
