//! A package in a folder.

use std::fs::File;
use std::io::Read as _;
use std::os::fd::{AsFd as _, OwnedFd};
use std::path::Path;

use kitbag_types::PackagePath;

use crate::intake::TakenIn;
use crate::opening::{
    Seen, changed, open_ambient, open_file_beneath, open_folder_beneath, unreadable,
};
use crate::walk::walk;
use crate::{Contents, Entry, PackageError, PackageReader};

/// A package in a folder.
///
/// The folder is held by handle, and every name below it is opened one part at a time without
/// following links: a folder that is swapped for a link between a check and a use is caught. A
/// file is read only if it is still the one that the walk saw (same file, size and times), and it
/// must still be that when its last byte is read. No more than one handle for each level of
/// nesting is open at a time.
///
/// ```
/// use kitbag_package::PackageTree;
/// use kitbag_types::{Code, Coded as _};
///
/// let folder = tempfile::tempdir()?;
/// std::os::unix::fs::symlink("/etc/passwd", folder.path().join("pw"))?;
///
/// let error = PackageTree::open(folder.path()).expect_err("a package holds no link");
/// assert_eq!(error.code(), Code::PackageSymlink);
/// assert_eq!(error.to_string(), "`pw`: the package holds a symbolic link (to `/etc/passwd`)");
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug)]
pub struct PackageTree {
    root: OwnedFd,
    entries: Vec<Entry>,
    /// What each entry was when the folder was walked, in the order of the entries.
    seen: Vec<Seen>,
    left_out: Vec<String>,
}

impl PackageTree {
    /// Opens a folder that a person named, or one of our own. Links on the way to it are followed;
    /// the folder itself must not be one.
    ///
    /// # Errors
    /// [`PackageError`] with everything that a package may not hold, or why it cannot be read:
    /// `package/not-found`, `package/not-a-directory`, and any `package/` code that a walk gives.
    pub fn open(dir: &Path) -> Result<Self, PackageError> {
        Self::walk(open_ambient(dir)?)
    }

    /// Opens a folder below another; `.` is that folder itself. Every part of `relative` is opened
    /// by handle from `root` on, and none may be a link.
    ///
    /// # Errors
    /// As [`open`](Self::open), and the codes of [`PackagePath`] if `relative` is not a path that
    /// stays inside.
    pub fn open_beneath(root: &Path, relative: &str) -> Result<Self, PackageError> {
        if relative == "." {
            return Self::open(root);
        }
        let relative = PackagePath::new(relative)?;
        Self::walk(open_folder_beneath(open_ambient(root)?, &relative)?)
    }

    fn walk(root: OwnedFd) -> Result<Self, PackageError> {
        let TakenIn { files, left_out } = walk(root.as_fd())?;
        tracing::debug!(files = files.len(), left_out = left_out.len(), "walked a package");
        let (entries, seen) = files.into_iter().unzip();
        Ok(Self { root, entries, seen, left_out })
    }

    /// Returns what each entry was when the folder was walked, in the order of the entries.
    pub(crate) fn seen(&self) -> &[Seen] {
        &self.seen
    }

    fn open_entry(&self, entry: &Entry) -> Result<(File, Seen), PackageError> {
        let index = self
            .entries
            .binary_search_by(|known| known.path.cmp(&entry.path))
            .map_err(|_| changed(entry.path.as_str()))?;
        let seen = self.seen[index];
        let file = open_file_beneath(self.root.as_fd(), &entry.path)?;
        seen.check(&file, &entry.path)?;
        Ok((file, seen))
    }
}

impl PackageReader for PackageTree {
    fn entries(&self) -> &[Entry] {
        &self.entries
    }

    fn contents(&self, entry: &Entry) -> Result<Contents, PackageError> {
        let path = entry.path.as_str();
        let (file, seen) = self.open_entry(entry)?;
        // The walk holds a file to its limit, so this much may be asked for at once. One byte more
        // than there should be, to notice a file that grew.
        let mut bytes = Vec::with_capacity(seen.size() + 1);
        (&file)
            .take(seen.size() as u64 + 1)
            .read_to_end(&mut bytes)
            .map_err(|error| unreadable(path, error))?;
        if bytes.len() != seen.size() {
            return Err(changed(path));
        }
        // A writer may have been at work between the first byte and the last.
        seen.check(&file, &entry.path)?;
        Ok(Contents::new(bytes))
    }

    fn file(&self, entry: &Entry) -> Result<Option<File>, PackageError> {
        self.open_entry(entry).map(|(file, _)| Some(file))
    }

    fn left_out(&self) -> &[String] {
        &self.left_out
    }
}
