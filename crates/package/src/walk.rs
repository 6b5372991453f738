//! The one walk: names and metadata, links never followed, limits held from the first entry on.

use std::collections::HashMap;
use std::ffi::{CStr, OsStr};
use std::os::fd::{AsFd as _, BorrowedFd, OwnedFd};
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

use kitbag_types::{Code, PackagePath};
use rustix::fs::{self as rfs, AtFlags, FileType, Mode, Stat};
use unicase::UniCase;

use crate::tree::{OPEN_DIR, Seen, link_target};
use crate::{Entry, PackageError, Problem};

/// The most files a package may have. The largest public skill has some 2,000; ten thousand is a
/// dependency folder or a whole repository added by mistake.
pub const MAX_FILES: usize = 10_000;
/// The most bytes one file may have: it is held in memory while it is hashed, scanned and copied.
pub const MAX_FILE_BYTES: u64 = 64 * 1024 * 1024;
/// The most bytes a package may have: what a person would still call a capability.
pub const MAX_PACKAGE_BYTES: u64 = 256 * 1024 * 1024;
/// The most folders a package may have: a tree of empty folders has no file to count.
pub const MAX_FOLDERS: usize = 10_000;

/// What one walk found.
pub(crate) struct Walked {
    /// The files in canonical order.
    pub(crate) files: Vec<(Entry, Seen)>,
    /// `.git` entries, and empty folders with a `/` behind them.
    pub(crate) left_out: Vec<String>,
}

struct Walk {
    files: Vec<(Entry, Seen)>,
    left_out: Vec<String>,
    problems: Vec<Problem>,
    folders: usize,
    bytes: u64,
    /// How many names each hard-linked file has inside the package, and how many it has at all.
    links: HashMap<(u64, u64), (u64, u64, String)>,
    /// Every path and folder, with its case folded away.
    names: HashMap<UniCase<String>, String>,
}

/// Stops the walk: the limit is passed, and counting on tells nobody anything.
struct Stop;

/// Walks a folder.
pub(crate) fn walk(root: &OwnedFd) -> Result<Walked, PackageError> {
    let mut walk = Walk {
        files: Vec::new(),
        left_out: Vec::new(),
        problems: Vec::new(),
        folders: 0,
        bytes: 0,
        links: HashMap::new(),
        names: HashMap::new(),
    };
    if walk.folder(root.as_fd(), "").is_ok() {
        walk.check_links();
        if walk.files.is_empty() && walk.problems.is_empty() {
            walk.problem(Code::PackageEmpty, ".", "");
        }
    }
    if !walk.problems.is_empty() {
        return Err(PackageError::refused(walk.problems));
    }
    walk.files.sort_by(|(a, _), (b, _)| a.path.cmp(&b.path));
    walk.left_out.sort();
    Ok(Walked { files: walk.files, left_out: walk.left_out })
}

impl Walk {
    fn problem(&mut self, code: Code, path: &str, detail: impl Into<String>) {
        if self.problems.len() < PackageError::MAX_PROBLEMS {
            self.problems.push(Problem { code, path: path.to_owned(), detail: detail.into() });
        }
    }

    /// A limit is passed: the problem comes first, whatever else was met before.
    fn stop(&mut self, code: Code, path: &str) -> Result<(), Stop> {
        self.problems.clear();
        self.problem(code, path, "");
        Err(Stop)
    }

    fn folder(&mut self, dir: BorrowedFd<'_>, prefix: &str) -> Result<(), Stop> {
        self.folders += 1;
        if self.folders > MAX_FOLDERS {
            return self.stop(Code::PackageTooManyFiles, prefix);
        }
        let names = match names(dir) {
            Ok(names) => names,
            Err(errno) => {
                let shown = if prefix.is_empty() { "." } else { prefix };
                self.problem(Code::PackageUnreadable, shown, errno.to_string());
                return Ok(());
            }
        };
        if names.is_empty() && !prefix.is_empty() {
            self.left_out.push(format!("{prefix}/"));
        }
        for name in names {
            self.name(dir, prefix, &name)?;
        }
        Ok(())
    }

    fn name(&mut self, dir: BorrowedFd<'_>, prefix: &str, name: &OsStr) -> Result<(), Stop> {
        let join = |name: &str| {
            if prefix.is_empty() { name.to_owned() } else { format!("{prefix}/{name}") }
        };
        let shown = join(&name.to_string_lossy());
        if name == ".git" {
            self.left_out.push(shown);
            return Ok(());
        }
        let Some(utf8) = name.to_str() else {
            self.problem(Code::PackageNonUtf8, &shown, "");
            return Ok(());
        };
        let path = match PackagePath::new(&join(utf8)) {
            Ok(path) => path,
            Err(invalid) => {
                self.problem(invalid.code, &shown, "");
                return Ok(());
            }
        };
        let stat = match rfs::statat(dir, utf8, AtFlags::SYMLINK_NOFOLLOW) {
            Ok(stat) => stat,
            Err(errno) => {
                self.problem(Code::PackageUnreadable, &shown, errno.to_string());
                return Ok(());
            }
        };
        self.check_case(&path);
        match FileType::from_raw_mode(stat.st_mode) {
            FileType::RegularFile => self.file(dir, path, &stat),
            FileType::Directory => match rfs::openat(dir, utf8, OPEN_DIR, Mode::empty()) {
                Ok(child) => self.folder(child.as_fd(), path.as_str()),
                Err(errno) => {
                    let code = match link_target(dir, Path::new(utf8)) {
                        Some(_) => Code::PackageSymlink,
                        None => Code::PackageUnreadable,
                    };
                    self.problem(code, &shown, errno.to_string());
                    Ok(())
                }
            },
            other => {
                let (code, detail) = match other {
                    FileType::Symlink => {
                        let target = link_target(dir, Path::new(utf8)).unwrap_or_default();
                        (Code::PackageSymlink, format!("to `{target}`"))
                    }
                    FileType::Fifo => (Code::PackageFifo, String::new()),
                    FileType::Socket => (Code::PackageSocket, String::new()),
                    _ => (Code::PackageDevice, String::new()),
                };
                self.problem(code, &shown, detail);
                Ok(())
            }
        }
    }

    #[allow(
        clippy::useless_conversion,
        clippy::unnecessary_cast,
        reason = "the widths differ between platforms"
    )]
    fn file(&mut self, dir: BorrowedFd<'_>, path: PackagePath, stat: &Stat) -> Result<(), Stop> {
        let size = u64::try_from(stat.st_size).unwrap_or(0);
        if size > MAX_FILE_BYTES {
            self.problem(Code::PackageFileTooLarge, path.as_str(), format!("{size} bytes"));
            return Ok(());
        }
        self.bytes += size;
        if self.bytes > MAX_PACKAGE_BYTES {
            return self.stop(Code::PackageTooLarge, path.as_str());
        }
        if self.files.len() == MAX_FILES {
            return self.stop(Code::PackageTooManyFiles, path.as_str());
        }
        if stat.st_nlink > 1 {
            let key = (stat.st_dev as u64, stat.st_ino as u64);
            let all = u64::from(stat.st_nlink);
            let links = self.links.entry(key).or_insert_with(|| (0, all, path.as_str().to_owned()));
            links.0 += 1;
        }
        // Told now, with every other problem, instead of in the middle of a copy.
        let readable = rfs::accessat(dir, path.file_name(), rfs::Access::READ_OK, AtFlags::EACCESS);
        if let Err(errno) = readable {
            self.problem(Code::PackageUnreadable, path.as_str(), errno.to_string());
        }
        let executable = stat.st_mode & 0o100 != 0;
        self.files.push((Entry { path, executable, size }, Seen::of(stat)));
        Ok(())
    }

    /// Two paths that differ only in case overwrite each other where case does not count; so do
    /// two folders on the way.
    fn check_case(&mut self, path: &PackagePath) {
        let folded = UniCase::unicode(path.as_str().to_owned());
        if let Some(other) = self.names.insert(folded, path.as_str().to_owned()) {
            self.problem(Code::PackageCaseCollision, path.as_str(), format!("and `{other}`"));
        }
    }

    fn check_links(&mut self) {
        let outside: Vec<String> = self
            .links
            .values()
            .filter(|(inside, all, _)| inside < all)
            .map(|(_, _, path)| path.clone())
            .collect();
        for path in outside {
            self.problem(Code::PackageHardLink, &path, "");
        }
    }
}

/// Returns the names in a folder, sorted, so that problems come in the same order every time.
fn names(dir: BorrowedFd<'_>) -> Result<Vec<std::ffi::OsString>, rustix::io::Errno> {
    let mut names = Vec::new();
    for entry in rfs::Dir::read_from(dir)? {
        let entry = entry?;
        let name: &CStr = entry.file_name();
        let name = OsStr::from_bytes(name.to_bytes());
        if name != "." && name != ".." {
            names.push(name.to_owned());
            if names.len() > MAX_FILES + MAX_FOLDERS {
                break;
            }
        }
    }
    names.sort();
    Ok(names)
}
