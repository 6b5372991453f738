//! One writer at a time, across processes.

use std::fs::{File, TryLockError};
use std::io;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rustix::fs::{Mode, OFlags};
use rustix::io::Errno;

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
    let file = open(&path).map_err(failed)?;
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

/// Opens the lock file, which only its owner may: whoever can open a file can lock it, and so keep
/// everybody else from writing. What is not a regular file is refused without waiting for it.
fn open(path: &Path) -> io::Result<File> {
    let flags =
        OFlags::RDWR | OFlags::CREATE | OFlags::CLOEXEC | OFlags::NOFOLLOW | OFlags::NONBLOCK;
    let owner_only = Mode::RUSR | Mode::WUSR;
    let file = match rustix::fs::open(path, flags, owner_only) {
        Ok(file) => File::from(file),
        Err(Errno::LOOP | Errno::NXIO | Errno::ISDIR) => return Err(not_a_file()),
        Err(error) => return Err(error.into()),
    };
    let metadata = file.metadata()?;
    if !metadata.is_file() {
        return Err(not_a_file());
    }
    if metadata.permissions().mode() & 0o077 != 0 {
        // Of one that is somebody else's, only they can say who may lock it.
        let _ = rustix::fs::fchmod(&file, owner_only);
    }
    Ok(file)
}

fn not_a_file() -> io::Error {
    io::Error::other("its lock, which has `.lock` at the end of its name, is not a regular file")
}

fn lock_path(database: &Path) -> PathBuf {
    let mut path = database.as_os_str().to_owned();
    path.push(".lock");
    PathBuf::from(path)
}
