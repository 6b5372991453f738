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
#[cfg(target_os = "linux")]
pub fn enter(limits: &Limits) -> Result<Lockdown, EnterError> {
    use crate::limits::Need;
    use crate::lockdown::Held;

    let settle = |lock: Lock, held: Result<Held, String>| match (held, limits.need(lock)) {
        (Ok(Held::No), Need::Required) => Err(EnterError::new(lock, &"the kernel has it not")),
        (Ok(held), _) => Ok(held),
        (Err(why), Need::Required) => Err(EnterError::new(lock, &why)),
        (Err(_), _) => Ok(Held::No),
    };

    resources::limit(limits).map_err(|error| EnterError::new(Lock::Resources, &error))?;
    privileges::give_up().map_err(|error| EnterError::new(Lock::Privileges, &error))?;
    let files = match limits.files {
        Need::LeftOut => Held::No,
        Need::Required | Need::IfAvailable => settle(Lock::Files, files::deny())?,
    };
    // Landlock's rules need a descriptor for a moment.
    resources::no_more_descriptors().map_err(|error| EnterError::new(Lock::Resources, &error))?;
    let calls = match limits.calls {
        Need::LeftOut => Held::No,
        Need::Required | Need::IfAvailable => settle(Lock::Calls, calls::allow_few())?,
    };
    Ok(Lockdown { files, calls })
}

/// Refuses: this system has neither Landlock nor seccomp.
///
/// # Errors
///
/// [`EnterError`], always.
#[cfg(not(target_os = "linux"))]
pub fn enter(limits: &Limits) -> Result<Lockdown, EnterError> {
    let _ = limits;
    Err(EnterError::new(Lock::Calls, &"this system has neither Landlock nor seccomp"))
}
