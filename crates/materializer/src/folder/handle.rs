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

    /// Tells whether only the depot's owner can change what is in the directory. That is the person
    /// who runs this program, or whoever owns the folder of all packages: they could anyway.
    pub(super) fn is_private_to(&self, base: &Self) -> Result<bool, DepotError> {
        let stat =
            |dir: &Self| rfs::fstat(&dir.fd).map_err(|errno| io("examine", &dir.path, errno));
        let (here, base) = (stat(self)?, stat(base)?);
        let is_ours = here.st_uid == rustix::process::geteuid().as_raw();
        let shared = Mode::from_raw_mode(here.st_mode) & (Mode::WGRP | Mode::WOTH);
        Ok((is_ours || here.st_uid == base.st_uid) && shared.is_empty())
    }

    /// Tells whether everybody may change what is in the directory.
    pub(super) fn is_open_to_others(&self) -> Result<bool, DepotError> {
        let stat = rfs::fstat(&self.fd).map_err(|errno| io("examine", &self.path, errno))?;
        Ok(Mode::from_raw_mode(stat.st_mode).contains(Mode::WOTH))
    }

    /// Returns an error unless [`is_private_to`](Self::is_private_to) holds.
    pub(super) fn private_to(self, base: &Self) -> Result<Self, DepotError> {
        if self.is_private_to(base)? { Ok(self) } else { Err(DepotError::Untrusted(self.path)) }
    }

    /// Tells whether a name is this directory's.
    pub(super) fn is_at(&self, parent: &Self, name: &str) -> Result<bool, DepotError> {
        let here = rfs::fstat(&self.fd).map_err(|errno| io("examine", &self.path, errno))?;
        match rfs::statat(&parent.fd, name, AtFlags::SYMLINK_NOFOLLOW) {
            Ok(there) => Ok((here.st_dev, here.st_ino) == (there.st_dev, there.st_ino)),
            Err(Errno::NOENT) => Ok(false),
            Err(errno) => Err(parent.failed("look at", name, errno)),
        }
    }

    /// Deletes what lies under a name, and everything below it. What is not there is no error.
    ///
    /// However deep it nests, a folder in a folder is first moved up: so neither the stack nor the
    /// number of open files grows with it.
    pub(super) fn remove(&self, name: impl AsRef<OsStr>) -> Result<(), DepotError> {
        let name = Path::new(name.as_ref());
        let Some(dir) = self.unlink(name)? else { return Ok(()) };
        let mut lifted = 0;
        loop {
            let children = dir.names()?;
            if children.is_empty() {
                break;
            }
            dir.make_writable();
            for child in children {
                dir.unlink_or_lift(&child, &mut lifted)?;
            }
        }
        rfs::unlinkat(&self.fd, name, AtFlags::REMOVEDIR)
            .map_err(|errno| io("delete", &self.path_of(name), errno))
    }

    /// Deletes a file, or a folder of which every folder was moved up beside it.
    fn unlink_or_lift(&self, name: &OsStr, lifted: &mut u64) -> Result<(), DepotError> {
        let name = Path::new(name);
        let Some(folder) = self.unlink(name)? else { return Ok(()) };
        folder.make_writable();
        for child in folder.names()? {
            let child = Path::new(&child);
            let Some(inner) = folder.unlink(child)? else { continue };
            // A folder that moves is written to: its parent is another then.
            inner.make_writable();
            loop {
                *lifted += 1;
                let up = format!("lifted-{lifted}");
                match rfs::renameat(&folder.fd, child, &self.fd, &up) {
                    Ok(()) => break,
                    Err(Errno::EXIST | Errno::NOTEMPTY | Errno::NOTDIR) => {}
                    Err(errno) => return Err(io("move", &inner.path, errno)),
                }
            }
        }
        rfs::unlinkat(&self.fd, name, AtFlags::REMOVEDIR)
            .map_err(|errno| io("delete", &self.path_of(name), errno))
    }

    /// Deletes what is no folder, and opens what is one.
    fn unlink(&self, name: &Path) -> Result<Option<Self>, DepotError> {
        match rfs::unlinkat(&self.fd, name, AtFlags::empty()) {
            Ok(()) | Err(Errno::NOENT) => return Ok(None),
            // Linux says EISDIR for a directory, POSIX says EPERM.
            Err(Errno::ISDIR | Errno::PERM) => {}
            Err(errno) => return Err(io("delete", &self.path_of(name), errno)),
        }
        match rfs::openat(&self.fd, name, OPEN_DIR, Mode::empty()) {
            Ok(fd) => Ok(Some(Self { fd, path: self.path_of(name) })),
            Err(Errno::NOENT) => Ok(None),
            Err(errno) => Err(io("open", &self.path_of(name), errno)),
        }
    }

    /// A folder that was edited by hand may have lost its write bit. What else may be wrong with
    /// it, the next step says.
    fn make_writable(&self) {
        let _ = rfs::fchmod(&self.fd, Mode::RWXU);
    }

    pub(super) fn failed(&self, action: &'static str, name: &str, errno: Errno) -> DepotError {
        io(action, &self.path_of(name), errno)
    }
}

pub(super) fn io(action: &'static str, path: &Path, errno: Errno) -> DepotError {
    DepotError::Io { action, path: path.to_owned(), source: io::Error::from(errno) }
}
