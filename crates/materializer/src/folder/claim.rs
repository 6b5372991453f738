//! Who owns a staging area. An area lives as long as a lock on the file beside it is held, so
//! that one whose process died can be told from one that is being filled.

use std::collections::HashMap;
use std::os::fd::OwnedFd;
use std::sync::{Arc, Mutex, PoisonError};

use kitbag_types::OperationId;
use rustix::fs::{self as rfs, FlockOperation, Mode, OFlags};
use rustix::io::Errno;

use super::handle::Dir;
use crate::DepotError;

/// The locks that this process holds.
#[derive(Debug, Default)]
pub(super) struct Claims(Mutex<HashMap<OperationId, Claim>>);

#[derive(Debug)]
struct Claim {
    _lock: OwnedFd,
    /// What was staged, by handle: no other folder can be taken for it.
    tree: Option<Arc<Dir>>,
}

impl Claims {
    /// Takes the lock of an operation of this process. Another can hold it for a moment only: one
    /// that sweeps, and saw the file before it was locked.
    pub(super) fn take_own(&self, staging: &Dir, operation: OperationId) -> Result<(), DepotError> {
        self.take_by(staging, operation, FlockOperation::LockExclusive).map(|_| ())
    }

    /// Takes the lock of an operation. Returns false if another process holds it.
    pub(super) fn take(&self, staging: &Dir, operation: OperationId) -> Result<bool, DepotError> {
        self.take_by(staging, operation, FlockOperation::NonBlockingLockExclusive)
    }

    fn take_by(
        &self,
        staging: &Dir,
        operation: OperationId,
        how: FlockOperation,
    ) -> Result<bool, DepotError> {
        let mut claims = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if claims.contains_key(&operation) {
            return Ok(true);
        }
        let name = lock_name(operation);
        loop {
            let flags = OFlags::RDWR | OFlags::CREATE | OFlags::NOFOLLOW | OFlags::CLOEXEC;
            let fd = rfs::openat(staging.fd(), &name, flags, Mode::RUSR | Mode::WUSR)
                .map_err(|errno| staging.failed("create", &name, errno))?;
            match rfs::flock(&fd, how) {
                Ok(()) => {}
                Err(Errno::INTR) => continue,
                Err(Errno::WOULDBLOCK) => return Ok(false),
                Err(errno) => return Err(staging.failed("lock", &name, errno)),
            }
            // A sweep may have deleted the file between the opening and the locking.
            if rfs::fstat(&fd).is_ok_and(|stat| stat.st_nlink > 0) {
                claims.insert(operation, Claim { _lock: fd, tree: None });
                return Ok(true);
            }
        }
    }

    /// Remembers what was staged for an operation that this process holds.
    pub(super) fn set_tree(&self, operation: OperationId, tree: Dir) {
        let mut claims = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(claim) = claims.get_mut(&operation) {
            claim.tree = Some(Arc::new(tree));
        }
    }

    /// Returns what was staged for an operation, by handle.
    pub(super) fn tree(&self, operation: OperationId) -> Option<Arc<Dir>> {
        let claims = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        claims.get(&operation).and_then(|claim| claim.tree.clone())
    }

    /// Tells whether this process holds an operation's lock.
    pub(super) fn holds(&self, operation: OperationId) -> bool {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).contains_key(&operation)
    }

    /// Tells whether no process holds an operation's lock.
    pub(super) fn is_free(
        &self,
        staging: &Dir,
        operation: OperationId,
    ) -> Result<bool, DepotError> {
        let name = lock_name(operation);
        let flags = OFlags::RDWR | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        match rfs::openat(staging.fd(), &name, flags, Mode::empty()) {
            Ok(fd) => Ok(rfs::flock(&fd, FlockOperation::NonBlockingLockExclusive).is_ok()),
            Err(Errno::NOENT) => Ok(true),
            Err(errno) => Err(staging.failed("open", &name, errno)),
        }
    }

    /// Lets go of an operation whose staging area is gone.
    pub(super) fn release(&self, staging: &Dir, operation: OperationId) -> Result<(), DepotError> {
        let mut claims = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        staging.remove(lock_name(operation))?;
        claims.remove(&operation);
        Ok(())
    }
}

pub(super) fn lock_name(operation: OperationId) -> String {
    format!("{operation}.lock")
}
