//! A directory by handle: every name below is one part, opened without following links.

use std::ffi::OsStr;
use std::io;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};

use rustix::fs::{self as rfs, AtFlags, CWD, FileType, Mode, OFlags, RenameFlags};
use rustix::io::Errno;

use crate::DepotError;

/// An open directory, with its path for messages.
#[derive(Debug)]
pub(super) struct Dir {
    fd: OwnedFd,
    path: PathBuf,
}

const OPEN_DIR: OFlags =
    OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC);

impl Dir {
    /// Opens the directory of a path that the settings name. The last part is not followed.
    pub(super) fn open_path(path: &Path) -> Result<Option<Self>, DepotError> {
        match rfs::openat(CWD, path, OPEN_DIR, Mode::empty()) {
            Ok(fd) => Ok(Some(Self { fd, path: path.to_owned() })),
            Err(Errno::NOENT) => Ok(None),
            Err(errno) => Err(io("open", path, errno)),
        }
    }

    pub(super) fn fd(&self) -> &OwnedFd {
        &self.fd
    }

    pub(super) fn path_of(&self, name: impl AsRef<Path>) -> PathBuf {
        self.path.join(name)
    }

    pub(super) fn open(&self, name: &str) -> Result<Option<Self>, DepotError> {
        match rfs::openat(&self.fd, name, OPEN_DIR, Mode::empty()) {
            Ok(fd) => Ok(Some(Self { fd, path: self.path_of(name) })),
            Err(Errno::NOENT) => Ok(None),
            Err(errno) => Err(self.failed("open", name, errno)),
        }
    }

    /// Opens a directory, making it where it is missing.
    pub(super) fn ensure(&self, name: &str, mode: Mode) -> Result<Self, DepotError> {
        match rfs::mkdirat(&self.fd, name, mode) {
            Ok(()) | Err(Errno::EXIST) => {}
            Err(errno) => return Err(self.failed("create", name, errno)),
        }
        self.open(name)?.ok_or_else(|| self.failed("open", name, Errno::NOENT))
    }

    /// Makes a directory that must not exist.
    pub(super) fn create(&self, name: &str, mode: Mode) -> Result<Self, DepotError> {
        rfs::mkdirat(&self.fd, name, mode).map_err(|errno| self.failed("create", name, errno))?;
        self.open(name)?.ok_or_else(|| self.failed("open", name, Errno::NOENT))
    }

    /// Returns what lies under a name, links not followed.
    pub(super) fn kind_of(&self, name: &str) -> Result<Option<FileType>, DepotError> {
        match rfs::statat(&self.fd, name, AtFlags::SYMLINK_NOFOLLOW) {
            Ok(stat) => Ok(Some(FileType::from_raw_mode(stat.st_mode))),
            Err(Errno::NOENT) => Ok(None),
            Err(errno) => Err(self.failed("look at", name, errno)),
        }
    }

    /// Returns the names in the directory, sorted.
    pub(super) fn names(&self) -> Result<Vec<std::ffi::OsString>, DepotError> {
        use std::os::unix::ffi::OsStrExt as _;
        let failed = |errno| io("read", &self.path, errno);
        let mut names = Vec::new();
        for entry in rfs::Dir::read_from(&self.fd).map_err(failed)? {
            let entry = entry.map_err(failed)?;
            let name = OsStr::from_bytes(entry.file_name().to_bytes());
            if name != "." && name != ".." {
                names.push(name.to_owned());
            }
        }
        names.sort();
        Ok(names)
    }

    /// Moves a name to a name that must not exist. Returns false if it does.
    pub(super) fn move_to(&self, name: &str, to: &Self, to_name: &str) -> Result<bool, DepotError> {
        match rfs::renameat_with(&self.fd, name, &to.fd, to_name, RenameFlags::NOREPLACE) {
            Ok(()) => {}
            Err(Errno::EXIST | Errno::NOTEMPTY) => return Ok(false),
            Err(Errno::INVAL | Errno::NOSYS | Errno::OPNOTSUPP) => {
                // No RENAME_NOREPLACE here. Only the one writer comes this far, so looking first
                // is enough.
                if to.kind_of(to_name)?.is_some() {
                    return Ok(false);
                }
                rfs::renameat(&self.fd, name, &to.fd, to_name)
                    .map_err(|errno| self.failed("move", name, errno))?;
            }
            Err(errno) => return Err(self.failed("move", name, errno)),
        }
        self.sync()?;
        to.sync()?;
        Ok(true)
    }

    /// Exchanges two names in one step. Returns false where the file system cannot.
    pub(super) fn exchange(
        &self,
        name: &str,
        with: &Self,
        with_name: &str,
    ) -> Result<bool, DepotError> {
        match rfs::renameat_with(&self.fd, name, &with.fd, with_name, RenameFlags::EXCHANGE) {
            Ok(()) => {
                self.sync()?;
                with.sync()?;
                Ok(true)
            }
            Err(Errno::INVAL | Errno::NOSYS | Errno::OPNOTSUPP) => Ok(false),
            Err(errno) => Err(self.failed("exchange", name, errno)),
        }
    }

    /// Makes the names in the directory durable.
    pub(super) fn sync(&self) -> Result<(), DepotError> {
        rfs::fsync(&self.fd).map_err(|errno| io("sync", &self.path, errno))
    }

    /// Deletes what lies under a name, and everything below it. What is not there is no error.
    pub(super) fn remove(&self, name: impl AsRef<OsStr>) -> Result<(), DepotError> {
        let name = Path::new(name.as_ref());
        match rfs::unlinkat(&self.fd, name, AtFlags::empty()) {
            Ok(()) | Err(Errno::NOENT) => return Ok(()),
            // Linux says EISDIR for a directory, POSIX says EPERM.
            Err(Errno::ISDIR | Errno::PERM) => {}
            Err(errno) => return Err(io("delete", &self.path_of(name), errno)),
        }
        let fd = match rfs::openat(&self.fd, name, OPEN_DIR, Mode::empty()) {
            Ok(fd) => fd,
            Err(Errno::NOENT) => return Ok(()),
            Err(errno) => return Err(io("open", &self.path_of(name), errno)),
        };
        let dir = Self { fd, path: self.path_of(name) };
        let children = dir.names()?;
        if !children.is_empty() {
            // A folder that was edited by hand may have lost its write bit.
            let _ = rfs::fchmod(&dir.fd, Mode::RWXU);
        }
        for child in children {
            dir.remove(child)?;
        }
        rfs::unlinkat(&self.fd, name, AtFlags::REMOVEDIR)
            .map_err(|errno| io("delete", &self.path_of(name), errno))
    }

    pub(super) fn failed(&self, action: &'static str, name: &str, errno: Errno) -> DepotError {
        io(action, &self.path_of(name), errno)
    }
}

pub(super) fn io(action: &'static str, path: &Path, errno: Errno) -> DepotError {
    DepotError::Io { action, path: path.to_owned(), source: io::Error::from(errno) }
}
