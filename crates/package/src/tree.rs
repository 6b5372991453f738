//! A package in a folder, by handle.

use std::fs::File;
use std::io::Read as _;
use std::os::fd::{AsFd as _, BorrowedFd, OwnedFd};
use std::path::Path;

use kitbag_types::{Code, PackagePath};
use rustix::fs::{self as rfs, CWD, FileType, Mode, OFlags, Stat};
use rustix::io::Errno;

use crate::walk::{Walked, walk};
use crate::{Contents, Entry, PackageError, PackageReader};

pub(crate) const OPEN_DIR: OFlags =
    OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC);

/// Nonblocking, so that a FIFO that took a file's place is refused instead of waited for.
const OPEN_FILE: OFlags = OFlags::RDONLY
    .union(OFlags::NOFOLLOW)
    .union(OFlags::NONBLOCK)
    .union(OFlags::NOCTTY)
    .union(OFlags::CLOEXEC);

/// A package in a folder.
///
/// The folder is held by handle, and every name below it is opened one part at a time without
/// following links: a folder that is swapped for a link between a check and a use is caught.
#[derive(Debug)]
pub struct PackageTree {
    root: OwnedFd,
    entries: Vec<Entry>,
    /// What each entry was when the folder was walked, in the order of the entries.
    seen: Vec<Seen>,
    left_out: Vec<String>,
}

/// Identifies one state of one file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Seen {
    dev: u64,
    ino: u64,
    size: i128,
    mtime: (i128, i128),
    ctime: (i128, i128),
}

impl Seen {
    #[allow(
        clippy::useless_conversion,
        clippy::unnecessary_cast,
        reason = "the widths differ between platforms"
    )]
    pub(crate) fn of(stat: &Stat) -> Self {
        Self {
            dev: stat.st_dev as u64,
            ino: stat.st_ino as u64,
            size: i128::from(stat.st_size),
            mtime: (i128::from(stat.st_mtime), i128::from(stat.st_mtime_nsec)),
            ctime: (i128::from(stat.st_ctime), i128::from(stat.st_ctime_nsec)),
        }
    }
}

impl PackageTree {
    /// Opens a folder that a person, or the program itself, named. Links on the way to it are
    /// followed; the folder itself must not be one.
    ///
    /// # Errors
    /// [`PackageError`] names everything that a package may not hold, or why it cannot be read.
    pub fn open(dir: &Path) -> Result<Self, PackageError> {
        let shown = dir.to_string_lossy();
        let root = rfs::openat(CWD, dir, OPEN_DIR, Mode::empty())
            .map_err(|errno| not_opened(CWD, dir, &shown, errno))?;
        Self::of(root)
    }

    /// Opens a folder below another: every part of `relative` is opened without following links.
    /// `.` is the folder itself.
    ///
    /// # Errors
    /// As [`open`](Self::open); `package/path-…` if `relative` is not a path inside a package.
    pub fn open_beneath(base: &Path, relative: &str) -> Result<Self, PackageError> {
        let shown = base.to_string_lossy();
        let mut dir = rfs::openat(CWD, base, OPEN_DIR.difference(OFlags::NOFOLLOW), Mode::empty())
            .map_err(|errno| not_opened(CWD, base, &shown, errno))?;
        if relative != "." {
            let path = PackagePath::new(relative)
                .map_err(|invalid| PackageError::one(invalid.code, invalid.path, ""))?;
            for part in path.parts() {
                dir = rfs::openat(&dir, part, OPEN_DIR, Mode::empty())
                    .map_err(|errno| not_opened(dir.as_fd(), Path::new(part), relative, errno))?;
            }
        }
        Self::of(dir)
    }

    fn of(root: OwnedFd) -> Result<Self, PackageError> {
        let Walked { files, left_out } = walk(&root)?;
        let (entries, seen) = files.into_iter().unzip();
        Ok(Self { root, entries, seen, left_out })
    }

    fn open_entry(&self, entry: &Entry) -> Result<File, PackageError> {
        let path = entry.path.as_str();
        let index = self
            .entries
            .binary_search_by(|known| known.path.cmp(&entry.path))
            .map_err(|_| PackageError::one(Code::PackageNotFound, path, ""))?;
        let fd = open_file(self.root.as_fd(), &entry.path)?;
        let stat = rfs::fstat(&fd)
            .map_err(|errno| PackageError::io(Code::PackageUnreadable, path, errno))?;
        let is_file = FileType::from_raw_mode(stat.st_mode) == FileType::RegularFile;
        if !is_file || Seen::of(&stat) != self.seen[index] {
            return Err(PackageError::one(Code::PackageChanged, path, ""));
        }
        Ok(File::from(fd))
    }
}

/// Opens a file one part at a time from the root.
fn open_file(root: BorrowedFd<'_>, path: &PackagePath) -> Result<OwnedFd, PackageError> {
    let mut parts = path.parts().peekable();
    let mut dir: Option<OwnedFd> = None;
    while let Some(part) = parts.next() {
        let here = dir.as_ref().map_or(root, |dir| dir.as_fd());
        let flags = if parts.peek().is_some() { OPEN_DIR } else { OPEN_FILE };
        let next = rfs::openat(here, part, flags, Mode::empty()).map_err(|errno| match errno {
            Errno::LOOP | Errno::NOTDIR => match link_target(here, Path::new(part)) {
                Some(target) => {
                    PackageError::one(Code::PackageSymlink, path.as_str(), format!("to `{target}`"))
                }
                None => PackageError::one(Code::PackageChanged, path.as_str(), ""),
            },
            Errno::NOENT | Errno::NXIO => {
                PackageError::one(Code::PackageChanged, path.as_str(), "")
            }
            _ => PackageError::io(Code::PackageUnreadable, path.as_str(), errno),
        })?;
        if parts.peek().is_none() {
            return Ok(next);
        }
        dir = Some(next);
    }
    Err(PackageError::one(Code::PackagePathEmpty, path.as_str(), ""))
}

/// Returns where a link points, none if it is no link.
pub(crate) fn link_target(dir: BorrowedFd<'_>, name: &Path) -> Option<String> {
    rfs::readlinkat(dir, name, Vec::new()).ok().map(|target| target.to_string_lossy().into_owned())
}

fn not_opened(dir: BorrowedFd<'_>, name: &Path, shown: &str, errno: Errno) -> PackageError {
    match errno {
        Errno::NOENT => PackageError::one(Code::PackageNotFound, shown, ""),
        Errno::LOOP | Errno::NOTDIR => match link_target(dir, name) {
            Some(target) => {
                PackageError::one(Code::PackageSymlink, shown, format!("to `{target}`"))
            }
            None => PackageError::one(Code::PackageNotADirectory, shown, ""),
        },
        _ => PackageError::io(Code::PackageUnreadable, shown, errno),
    }
}

impl PackageReader for PackageTree {
    fn entries(&self) -> &[Entry] {
        &self.entries
    }

    fn contents(&self, entry: &Entry) -> Result<Contents, PackageError> {
        let path = entry.path.as_str();
        let file = self.open_entry(entry)?;
        let size = usize::try_from(entry.size)
            .map_err(|_| PackageError::one(Code::PackageFileTooLarge, path, ""))?;
        let mut bytes = Vec::with_capacity(size);
        // One byte more than there should be, to notice a file that grew.
        (&file)
            .take(entry.size + 1)
            .read_to_end(&mut bytes)
            .map_err(|error| PackageError::io(Code::PackageUnreadable, path, error))?;
        if bytes.len() != size {
            return Err(PackageError::one(Code::PackageChanged, path, ""));
        }
        Ok(Contents::new(bytes))
    }

    fn file(&self, entry: &Entry) -> Result<Option<File>, PackageError> {
        self.open_entry(entry).map(Some)
    }

    fn left_out(&self) -> &[String] {
        &self.left_out
    }
}
