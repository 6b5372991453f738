//! The rules that a package is held to, name by name, wherever its names come from: a folder, or the
//! tree of a commit.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;

use kitbag_types::{Code, PackagePath};

use crate::collision::collisions;
use crate::opening::shown;
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

/// Takes in the names of a package and holds them to its rules. `T` is what the reader needs to
/// find a file again.
///
/// An `Err` from any of its methods means that a limit of the whole package is passed: going on
/// would tell nobody anything. Whatever else is wrong is told by [`finish`](Self::finish), all of it.
#[derive(Debug)]
pub struct Intake<T> {
    files: Vec<(Entry, T)>,
    left_out: Vec<String>,
    problems: Vec<PackageError>,
    folders: usize,
    /// Whatever is neither a folder nor left out: what is refused counts too, so that a million
    /// links end as soon as a million files.
    others: usize,
    bytes: u64,
}

impl<T> Default for Intake<T> {
    fn default() -> Self {
        Self {
            files: Vec::new(),
            left_out: Vec::new(),
            problems: Vec::new(),
            folders: 0,
            others: 0,
            bytes: 0,
        }
    }
}

/// A package as it was taken in.
#[derive(Debug)]
pub struct TakenIn<T> {
    /// The files in canonical order, each with what finds it again.
    pub files: Vec<(Entry, T)>,
    /// What was left out, sorted.
    pub left_out: Vec<String>,
}

impl<T> Intake<T> {
    /// Counts a folder, which is not the package itself.
    ///
    /// # Errors
    /// `package/too-many-folders`.
    pub fn folder(&mut self, path: &str) -> Result<(), PackageError> {
        self.folders += 1;
        if self.folders > MAX_FOLDERS {
            return Err(PackageError::new(Code::PackageTooManyFolders, path, ""));
        }
        Ok(())
    }

    /// Counts anything else, whether it will be refused or not.
    ///
    /// # Errors
    /// `package/too-many-files`.
    pub fn other(&mut self, path: &str) -> Result<(), PackageError> {
        self.others += 1;
        if self.others > MAX_FILES {
            return Err(PackageError::new(Code::PackageTooManyFiles, path, ""));
        }
        Ok(())
    }

    /// Returns the path of a name in a folder (`""` for the package itself) if it is one that a
    /// package may hold; else that is among the problems.
    pub fn path(&mut self, folder: &str, name: &[u8]) -> Option<PackagePath> {
        let path = join(folder, name);
        if std::str::from_utf8(name).is_err() {
            self.refuse(PackageError::new(Code::PackageNonUtf8, path, ""));
            return None;
        }
        match PackagePath::new(&path) {
            Ok(path) => Some(path),
            Err(invalid) => {
                self.refuse(invalid.into());
                None
            }
        }
    }

    /// Takes a file in.
    ///
    /// # Errors
    /// `package/too-large`.
    pub fn file(
        &mut self,
        path: PackagePath,
        executable: bool,
        size: u64,
        finder: T,
    ) -> Result<(), PackageError> {
        if size > MAX_FILE_BYTES {
            let detail = format!("{size} bytes");
            self.refuse(PackageError::new(Code::PackageFileTooLarge, path.as_str(), detail));
            return Ok(());
        }
        self.bytes += size;
        if self.bytes > MAX_PACKAGE_BYTES {
            return Err(PackageError::new(Code::PackageTooLarge, path.as_str(), ""));
        }
        self.files.push((Entry { path, executable, size }, finder));
        Ok(())
    }

    /// Adds a problem: the package will be refused.
    pub fn refuse(&mut self, problem: PackageError) {
        self.problems.push(problem);
    }

    /// Notes something that is no part of the package and harms nobody.
    pub fn leave_out(&mut self, path: impl Into<String>) {
        self.left_out.push(path.into());
    }

    /// Returns how many files, problems and left-out names there are so far.
    pub(crate) fn counts(&self) -> (usize, usize, usize) {
        (self.files.len(), self.problems.len(), self.left_out.len())
    }

    /// Replaces what was left out since `from` by one path, if all of it is folders.
    pub(crate) fn leave_out_instead(&mut self, from: usize, path: String) {
        if self.left_out[from..].iter().all(|path| path.ends_with('/')) {
            self.left_out.truncate(from);
            self.left_out.push(path);
        }
    }

    /// Returns the files so far.
    pub(crate) fn files(&self) -> &[(Entry, T)] {
        &self.files
    }

    /// Returns the package, or everything that is wrong with it.
    ///
    /// # Errors
    /// Every problem by path, colliding names and an empty package among them.
    pub fn finish(mut self) -> Result<TakenIn<T>, PackageError> {
        self.files.sort_by(|(a, _), (b, _)| a.path.cmp(&b.path));
        self.left_out.sort();
        self.problems.extend(collisions(self.files.iter().map(|(entry, _)| &entry.path)));
        if self.files.is_empty() && self.problems.is_empty() {
            self.problems.push(PackageError::new(Code::PackageEmpty, ".", ""));
        }
        match PackageError::join(self.problems) {
            Some(error) => Err(error),
            None => Ok(TakenIn { files: self.files, left_out: self.left_out }),
        }
    }
}

/// Returns the path of a name in a folder, as it is shown: bytes that are not UTF-8 as `\xNN`.
pub(crate) fn join(folder: &str, name: &[u8]) -> String {
    let name = shown(OsStr::from_bytes(name));
    if folder.is_empty() { name } else { format!("{folder}/{name}") }
}
