//! One writer at a time, across processes.

use std::fs::{File, TryLockError};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use crate::StoreError;

/// How often a waiting writer asks again: short beside what a person notices, long beside the cost
/// of asking.
const ASK_AGAIN: Duration = Duration::from_millis(10);

/// Held by the one writer. The operating system lets go of it when the process ends, however.
#[derive(Debug)]
pub(super) struct WriteLock {
    _file: File,
}

/// Takes the lock that lies beside the database, waiting at most `patience`.
pub(super) fn take(database: &Path, patience: Duration) -> Result<WriteLock, StoreError> {
    let path = lock_path(database);
    let failed = |source| StoreError::of_writing(database, "lock", source);
    if let Some(folder) = path.parent() {
        fs_err::create_dir_all(folder).map_err(failed)?;
    }
    let file = fs_err::OpenOptions::new()
        .write(true)
        .create(true)
        .truncate(false)
        .open(&path)
        .map_err(failed)?
        .into_parts()
        .0;
    let start = Instant::now();
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(WriteLock { _file: file }),
            Err(TryLockError::WouldBlock) if start.elapsed() < patience => {
                std::thread::sleep(ASK_AGAIN);
            }
            Err(TryLockError::WouldBlock) => return Err(StoreError::Locked { lock: path }),
            Err(TryLockError::Error(error)) => return Err(failed(error)),
        }
    }
}

fn lock_path(database: &Path) -> PathBuf {
    let mut path = database.as_os_str().to_owned();
    path.push(".lock");
    PathBuf::from(path)
}
