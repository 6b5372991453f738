//! The one walk: names and metadata, links never followed, limits held from the first name on.

use std::collections::HashMap;
use std::ffi::{OsStr, OsString};
use std::os::fd::{AsFd as _, BorrowedFd};
use std::os::unix::ffi::OsStrExt as _;

use kitbag_types::{Code, PackagePath};
use rustix::fs::{self as rfs, Access, AtFlags, FileType, Stat};
use rustix::io::Errno;

use crate::collision::collisions;
use crate::opening::{Seen, gone, open_folder, shown, symlink, unreadable};
use crate::{Entry, PackageError};

/// The most files a package may have. The largest public skills have some 2,000; ten thousand is
/// a dependency folder or a whole repository added by mistake.
pub const MAX_FILES: usize = 10_000;
/// The most bytes one file may have: it is held in memory while it is hashed, scanned and copied.
pub const MAX_FILE_BYTES: u64 = 64 * 1024 * 1024;
/// The most bytes a package may have: what a person would still call one capability.
pub const MAX_PACKAGE_BYTES: u64 = 256 * 1024 * 1024;
/// The most folders a package may have, itself not counted: a tree of empty folders has no file
/// to count, and must end all the same.
pub const MAX_FOLDERS: usize = 10_000;

/// What one walk found.
pub(crate) struct Walked {
    /// The files in canonical order.
    pub(crate) files: Vec<(Entry, Seen)>,
    /// `.git` entries, and folders without any file with a `/` behind them; sorted.
    pub(crate) left_out: Vec<String>,
}

/// Walks a folder.
pub(crate) fn walk(root: BorrowedFd<'_>) -> Result<Walked, PackageError> {
    let mut walk = Walk::default();
    walk.folder(root, "")?;
    let Walk { mut files, mut left_out, mut problems, links, .. } = walk;
    files.sort_by(|(a, _), (b, _)| a.path.cmp(&b.path));
    left_out.sort();
    problems.extend(collisions(files.iter().map(|(entry, _)| &entry.path)));
    problems.extend(links_out(&files, &links));
    if files.is_empty() && problems.is_empty() {
        problems.push(PackageError::new(Code::PackageEmpty, ".", ""));
    }
    match PackageError::join(problems) {
        Some(error) => Err(error),
        None => Ok(Walked { files, left_out }),
    }
}

#[derive(Default)]
struct Walk {
    files: Vec<(Entry, Seen)>,
    left_out: Vec<String>,
    problems: Vec<PackageError>,
    /// The files with more than one name: how many there are in the package, and in all.
    links: HashMap<(u64, u64), Links>,
    /// Every name that was read, of whatever it is.
    names: usize,
    folders: usize,
    /// Whatever is neither a folder nor left out: what is refused counts too, so that a million
    /// links end as soon as a million files.
    others: usize,
    bytes: u64,
}

#[derive(Clone, Copy, Default)]
struct Links {
    inside: u64,
    all: u64,
}

/// `Err` from these stops the walk: a limit of the whole package is passed, and going on would
/// tell nobody anything.
impl Walk {
    fn folder(&mut self, folder: BorrowedFd<'_>, path: &str) -> Result<(), PackageError> {
        let names = match self.names(folder) {
            Ok(names) => names,
            Err(errno) => {
                self.problems.push(unreadable(if path.is_empty() { "." } else { path }, errno));
                return Ok(());
            }
        };
        for name in names {
            let path = match path {
                "" => shown(&name),
                folder => format!("{folder}/{}", shown(&name)),
            };
            if name == ".git" {
                self.left_out.push(path);
            } else {
                self.name(folder, &name, path)?;
            }
        }
        Ok(())
    }

    /// Returns the names in a folder, sorted, so that a walk is the same every time.
    ///
    /// Reading stops once there are more names than files and folders may be together: each name
    /// counts as one or the other, so one of the two limits is passed when they are looked at.
    fn names(&mut self, folder: BorrowedFd<'_>) -> Result<Vec<OsString>, Errno> {
        let mut names = Vec::new();
        for entry in rfs::Dir::read_from(folder)? {
            let entry = entry?;
            let name = OsStr::from_bytes(entry.file_name().to_bytes());
            if name == "." || name == ".." {
                continue;
            }
            names.push(name.to_owned());
            if name != ".git" {
                self.names += 1;
            }
            if self.names > MAX_FILES + MAX_FOLDERS {
                break;
            }
        }
        names.sort();
        Ok(names)
    }

    fn name(
        &mut self,
        parent: BorrowedFd<'_>,
        name: &OsStr,
        path: String,
    ) -> Result<(), PackageError> {
        let stat = rfs::statat(parent, name, AtFlags::SYMLINK_NOFOLLOW);
        let kind = stat.map(|stat| FileType::from_raw_mode(stat.st_mode));
        if kind == Ok(FileType::Directory) {
            self.folders += 1;
            if self.folders > MAX_FOLDERS {
                return Err(PackageError::new(Code::PackageTooManyFolders, path, ""));
            }
        } else {
            self.others += 1;
            if self.others > MAX_FILES {
                return Err(PackageError::new(Code::PackageTooManyFiles, path, ""));
            }
        }
        let Some(utf8) = name.to_str() else {
            self.problems.push(PackageError::new(Code::PackageNonUtf8, path, ""));
            return Ok(());
        };
        let path = match PackagePath::new(&path) {
            Ok(path) => path,
            Err(invalid) => {
                self.problems.push(invalid.into());
                return Ok(());
            }
        };
        match stat {
            Ok(stat) => match FileType::from_raw_mode(stat.st_mode) {
                FileType::Directory => self.child(parent, utf8, &path),
                FileType::RegularFile => self.file(parent, utf8, path, &stat),
                other => {
                    self.problems.push(not_a_file(parent, name, path.as_str(), other));
                    Ok(())
                }
            },
            Err(errno) => {
                self.problems.push(gone(parent, utf8, path.as_str(), errno));
                Ok(())
            }
        }
    }

    fn child(
        &mut self,
        parent: BorrowedFd<'_>,
        name: &str,
        path: &PackagePath,
    ) -> Result<(), PackageError> {
        let folder = match open_folder(parent, name) {
            Ok(folder) => folder,
            Err(errno) => {
                self.problems.push(gone(parent, name, path.as_str(), errno));
                return Ok(());
            }
        };
        let before = (self.files.len(), self.problems.len(), self.left_out.len());
        self.folder(folder.as_fd(), path.as_str())?;
        let nothing = (self.files.len(), self.problems.len()) == (before.0, before.1);
        let below = &self.left_out[before.2..];
        if nothing && below.iter().all(|path| path.ends_with('/')) {
            // Empty folders in an empty folder: the outermost says it.
            self.left_out.truncate(before.2);
            self.left_out.push(format!("{}/", path.as_str()));
        }
        Ok(())
    }

    fn file(
        &mut self,
        parent: BorrowedFd<'_>,
        name: &str,
        path: PackagePath,
        stat: &Stat,
    ) -> Result<(), PackageError> {
        let seen = Seen::of(stat);
        let size = seen.size() as u64;
        if size > MAX_FILE_BYTES {
            let detail = format!("{size} bytes");
            let error = PackageError::new(Code::PackageFileTooLarge, path.as_str(), detail);
            self.problems.push(error);
            return Ok(());
        }
        self.bytes += size;
        if self.bytes > MAX_PACKAGE_BYTES {
            return Err(PackageError::new(Code::PackageTooLarge, path.as_str(), ""));
        }
        // Told now, with every other problem, instead of in the middle of a copy.
        if let Err(errno) = rfs::accessat(parent, name, Access::READ_OK, AtFlags::EACCESS) {
            self.problems.push(gone(parent, name, path.as_str(), errno));
        }
        if stat.st_nlink > 1 {
            let links = self.links.entry(seen.file).or_default();
            links.inside += 1;
            links.all = link_count(stat);
        }
        let executable = stat.st_mode & 0o100 != 0;
        self.files.push((Entry { path, executable, size }, seen));
        Ok(())
    }
}

#[allow(
    clippy::useless_conversion,
    clippy::unnecessary_cast,
    reason = "the width differs between platforms"
)]
fn link_count(stat: &Stat) -> u64 {
    u64::from(stat.st_nlink)
}

/// Says what something is that is neither a file nor a folder.
fn not_a_file(parent: BorrowedFd<'_>, name: &OsStr, path: &str, kind: FileType) -> PackageError {
    let code = match kind {
        FileType::Symlink => {
            return symlink(parent, name, path)
                .unwrap_or_else(|| PackageError::new(Code::PackageSymlink, path, ""));
        }
        FileType::Fifo => Code::PackageFifo,
        FileType::Socket => Code::PackageSocket,
        _ => Code::PackageDevice,
    };
    PackageError::new(code, path, "")
}

/// Returns an error for each file that also has a name outside the package: whoever holds that
/// name could change the file after it was inspected.
fn links_out<'a>(
    files: &'a [(Entry, Seen)],
    links: &'a HashMap<(u64, u64), Links>,
) -> impl Iterator<Item = PackageError> + 'a {
    files.iter().filter_map(|(entry, seen)| {
        let Links { inside, all } = *links.get(&seen.file)?;
        (inside < all).then(|| {
            let detail = format!("{inside} of its {all} names are in the package");
            PackageError::new(Code::PackageHardLink, entry.path.as_str(), detail)
        })
    })
}
