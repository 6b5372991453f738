//! The one walk over a folder: names and metadata, links never followed.

use std::collections::HashMap;
use std::ffi::{OsStr, OsString};
use std::os::fd::{AsFd as _, BorrowedFd};
use std::os::unix::ffi::OsStrExt as _;

use kitbag_types::{Code, PackagePath};
use rustix::fs::{self as rfs, Access, AtFlags, FileType, Stat};
use rustix::io::Errno;

use crate::intake::{Intake, MAX_FILES, MAX_FOLDERS, TakenIn, join};
use crate::opening::{Seen, gone, open_folder, symlink, unreadable};
use crate::{Entry, PackageError};

/// Walks a folder.
pub(crate) fn walk(root: BorrowedFd<'_>) -> Result<TakenIn<Seen>, PackageError> {
    let mut walk = Walk::default();
    walk.folder(root, "")?;
    let Walk { mut intake, links, .. } = walk;
    let out: Vec<PackageError> = links_out(intake.files(), &links).collect();
    out.into_iter().for_each(|problem| intake.refuse(problem));
    intake.finish()
}

#[derive(Default)]
struct Walk {
    intake: Intake<Seen>,
    /// The files with more than one name: how many there are in the package, and in all.
    links: HashMap<(u64, u64), Links>,
    /// Every name that was read, of whatever it is.
    names: usize,
}

#[derive(Clone, Copy, Default)]
struct Links {
    inside: u64,
    all: u64,
}

/// `Err` from these stops the walk, see [`Intake`].
impl Walk {
    fn folder(&mut self, folder: BorrowedFd<'_>, path: &str) -> Result<(), PackageError> {
        let names = match self.names(folder) {
            Ok(names) => names,
            Err(errno) => {
                self.intake.refuse(unreadable(if path.is_empty() { "." } else { path }, errno));
                return Ok(());
            }
        };
        for name in names {
            if name == ".git" {
                self.intake.leave_out(join(path, name.as_bytes()));
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
        folder: &str,
    ) -> Result<(), PackageError> {
        let stat = rfs::statat(parent, name, AtFlags::SYMLINK_NOFOLLOW);
        let kind = stat.map(|stat| FileType::from_raw_mode(stat.st_mode));
        if kind == Ok(FileType::Directory) {
            self.intake.folder(&join(folder, name.as_bytes()))?;
        } else {
            self.intake.other(&join(folder, name.as_bytes()))?;
        }
        let (Some(path), Some(utf8)) = (self.intake.path(folder, name.as_bytes()), name.to_str())
        else {
            return Ok(());
        };
        match stat {
            Ok(stat) => match FileType::from_raw_mode(stat.st_mode) {
                FileType::Directory => self.child(parent, utf8, &path),
                FileType::RegularFile => self.file(parent, utf8, path, &stat),
                other => {
                    self.intake.refuse(not_a_file(parent, name, path.as_str(), other));
                    Ok(())
                }
            },
            Err(errno) => {
                self.intake.refuse(gone(parent, utf8, path.as_str(), errno));
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
                self.intake.refuse(gone(parent, name, path.as_str(), errno));
                return Ok(());
            }
        };
        let before = self.intake.counts();
        self.folder(folder.as_fd(), path.as_str())?;
        let after = self.intake.counts();
        if (after.0, after.1) == (before.0, before.1) {
            // Empty folders in an empty folder: the outermost says it.
            self.intake.leave_out_instead(before.2, format!("{}/", path.as_str()));
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
        // Told now, with every other problem, instead of in the middle of a copy. What everybody may
        // read needs no question.
        if stat.st_mode & 0o444 != 0o444
            && let Err(errno) = rfs::accessat(parent, name, Access::READ_OK, AtFlags::EACCESS)
        {
            self.intake.refuse(gone(parent, name, path.as_str(), errno));
        }
        if stat.st_nlink > 1 {
            let links = self.links.entry(seen.file).or_default();
            links.inside += 1;
            links.all = link_count(stat);
        }
        let executable = stat.st_mode & 0o100 != 0;
        self.intake.file(path, executable, seen.size() as u64, seen)
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
