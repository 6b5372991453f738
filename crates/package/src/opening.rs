//! Opening by handle, one part of a path at a time, never through a link.

use std::ffi::OsStr;
use std::fs::File;
use std::os::fd::{AsFd as _, BorrowedFd, OwnedFd};
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

use kitbag_types::{Code, PackagePath};
use rustix::fs::{self as rfs, AtFlags, FileType, Mode, OFlags, Stat};
use rustix::io::Errno;

use crate::PackageError;

const FOLDER: OFlags =
    OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC);

/// Nonblocking, so that a FIFO that took a file's place is refused instead of waited for.
const FILE: OFlags = OFlags::RDONLY
    .union(OFlags::NOFOLLOW)
    .union(OFlags::NONBLOCK)
    .union(OFlags::NOCTTY)
    .union(OFlags::CLOEXEC);

/// One state of one file. Any write, replacement or change of mode gives another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Seen {
    /// The file system and the number of the file in it.
    pub(crate) file: (u64, u64),
    size: usize,
    modified: (i128, i128),
    changed: (i128, i128),
}

impl Seen {
    #[allow(
        clippy::useless_conversion,
        clippy::unnecessary_cast,
        reason = "the widths differ between platforms"
    )]
    pub(crate) fn of(stat: &Stat) -> Self {
        Self {
            file: (stat.st_dev as u64, stat.st_ino as u64),
            size: usize::try_from(stat.st_size).unwrap_or(usize::MAX),
            modified: (i128::from(stat.st_mtime), i128::from(stat.st_mtime_nsec)),
            changed: (i128::from(stat.st_ctime), i128::from(stat.st_ctime_nsec)),
        }
    }

    /// Writes everything that tells this state of the file from another.
    pub(crate) fn write_to(&self, write: &mut dyn FnMut(&[u8])) {
        let (device, number) = self.file;
        for part in [device, number, self.size as u64] {
            write(&part.to_be_bytes());
        }
        for (seconds, nanoseconds) in [self.modified, self.changed] {
            write(&seconds.to_be_bytes());
            write(&nanoseconds.to_be_bytes());
        }
    }

    /// Returns when the file last changed in any way, in seconds and nanoseconds since 1970. Nobody
    /// can set this time.
    pub(crate) fn last_change(&self) -> (i128, i128) {
        self.changed
    }

    /// Returns the size in bytes.
    pub(crate) fn size(&self) -> usize {
        self.size
    }

    /// Tells whether an open file is still the regular file that was seen.
    pub(crate) fn check(&self, file: &File, path: &PackagePath) -> Result<(), PackageError> {
        let stat = rfs::fstat(file).map_err(|errno| unreadable(path.as_str(), errno))?;
        let regular = FileType::from_raw_mode(stat.st_mode) == FileType::RegularFile;
        if regular && Self::of(&stat) == *self { Ok(()) } else { Err(changed(path.as_str())) }
    }
}

/// Opens the folder of a path outside any package. Links on the way are followed, the last part
/// is not.
pub(crate) fn open_ambient(path: &Path) -> Result<OwnedFd, PackageError> {
    // Without the trailing `/` or `/.`, for which the system would follow a link.
    let path = path.components().as_path();
    rfs::openat(rfs::CWD, path, FOLDER, Mode::empty())
        .map_err(|errno| refusal(rfs::CWD, path.as_os_str(), &shown(path.as_os_str()), errno))
}

/// Opens a folder by its path below another.
pub(crate) fn open_folder_beneath(
    root: OwnedFd,
    path: &PackagePath,
) -> Result<OwnedFd, PackageError> {
    let mut folder = root;
    let mut end = 0;
    for part in path.parts() {
        end += part.len();
        let so_far = &path.as_str()[..end];
        folder = open_folder(folder.as_fd(), part)
            .map_err(|errno| refusal(folder.as_fd(), OsStr::new(part), so_far, errno))?;
        end += 1;
    }
    Ok(folder)
}

/// Opens a folder by its name in another.
pub(crate) fn open_folder(folder: BorrowedFd<'_>, name: &str) -> Result<OwnedFd, Errno> {
    rfs::openat(folder, name, FOLDER, Mode::empty())
}

/// Opens a file that was seen in a package, from the root of it.
pub(crate) fn open_file_beneath(
    root: BorrowedFd<'_>,
    path: &PackagePath,
) -> Result<File, PackageError> {
    let mut parts: Vec<&str> = path.parts().collect();
    let name = parts.pop().unwrap_or_default();
    let mut folder: Option<OwnedFd> = None;
    for part in parts {
        let here = folder.as_ref().map_or(root, |folder| folder.as_fd());
        folder =
            Some(open_folder(here, part).map_err(|errno| gone(here, part, path.as_str(), errno))?);
    }
    let here = folder.as_ref().map_or(root, |folder| folder.as_fd());
    rfs::openat(here, name, FILE, Mode::empty())
        .map(File::from)
        .map_err(|errno| gone(here, name, path.as_str(), errno))
}

/// Says why a folder that was asked for cannot be opened.
fn refusal(parent: BorrowedFd<'_>, name: &OsStr, path: &str, errno: Errno) -> PackageError {
    match errno {
        Errno::NOENT => PackageError::new(Code::PackageNotFound, path, ""),
        Errno::LOOP | Errno::NOTDIR => symlink(parent, name, path)
            .unwrap_or_else(|| PackageError::new(Code::PackageNotADirectory, path, "")),
        errno => unreadable(path, errno),
    }
}

/// Says why something that was seen a moment ago cannot be opened.
pub(crate) fn gone(parent: BorrowedFd<'_>, name: &str, path: &str, errno: Errno) -> PackageError {
    match errno {
        // No such device: a socket took the place.
        Errno::NOENT | Errno::NXIO => changed(path),
        Errno::LOOP | Errno::NOTDIR => {
            symlink(parent, OsStr::new(name), path).unwrap_or_else(|| changed(path))
        }
        errno => unreadable(path, errno),
    }
}

/// Returns the refusal of a link with its target, none if the name is no link.
pub(crate) fn symlink(parent: BorrowedFd<'_>, name: &OsStr, path: &str) -> Option<PackageError> {
    let stat = rfs::statat(parent, name, AtFlags::SYMLINK_NOFOLLOW).ok()?;
    if FileType::from_raw_mode(stat.st_mode) != FileType::Symlink {
        return None;
    }
    let detail = match rfs::readlinkat(parent, name, Vec::new()) {
        Ok(target) => format!("to `{}`", shown(OsStr::from_bytes(target.to_bytes()))),
        Err(_) => String::new(),
    };
    Some(PackageError::new(Code::PackageSymlink, path, detail))
}

pub(crate) fn changed(path: &str) -> PackageError {
    PackageError::new(Code::PackageChanged, path, "")
}

pub(crate) fn unreadable(path: &str, source: impl Into<std::io::Error>) -> PackageError {
    PackageError::new(Code::PackageUnreadable, path, "").with_source(source)
}

/// Returns a name as text, with bytes that are not UTF-8 as `\xNN`: two such names stay two.
pub(crate) fn shown(name: &OsStr) -> String {
    use std::fmt::Write as _;
    let mut text = String::new();
    for chunk in name.as_bytes().utf8_chunks() {
        text.push_str(chunk.valid());
        for byte in chunk.invalid() {
            write!(text, "\\x{byte:02x}").expect("writing to a string cannot fail");
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt as _;

    use super::shown;

    #[test]
    fn bytes_that_are_not_text_are_told_apart() {
        assert_eq!(shown(OsStr::from_bytes(b"caf\xe9.md")), "caf\\xe9.md");
        assert_eq!(shown(OsStr::from_bytes(b"\xff\xfe")), "\\xff\\xfe");
        assert_eq!(shown(OsStr::new("é")), "é");
    }
}
