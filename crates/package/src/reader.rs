//! What every crate above sees of a package, wherever its bytes lie.

use std::sync::Arc;

use kitbag_types::{Digest, PackagePath};
use serde::{Deserialize, Serialize};

use crate::PackageError;

/// One file of a package.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Entry {
    /// Its path inside the package.
    pub path: PackagePath,
    /// Whether its owner may execute it.
    pub executable: bool,
    /// How many bytes it had when the package was opened.
    pub size: u64,
}

/// The bytes of one file. Cloning shares them, so hashing, scanning and writing need one read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Contents(Arc<Vec<u8>>);

impl Contents {
    /// Takes bytes.
    pub fn new(bytes: Vec<u8>) -> Self {
        Self(Arc::new(bytes))
    }
}

impl std::ops::Deref for Contents {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.0
    }
}

/// A package that can be read: a folder, a kept version, or one day an object store.
///
/// Opening it has already refused what a package may not hold, so the entries are safe, within
/// the limits, and in canonical (bytewise path) order.
pub trait PackageReader: Send + Sync {
    /// Returns the files in canonical order.
    fn entries(&self) -> &[Entry];

    /// Reads one file, exactly `entry.size` bytes.
    ///
    /// # Errors
    /// [`PackageError`] with code `package/changed-while-reading` if the file is not what it was
    /// when the package was opened, `package/unreadable` if it cannot be read.
    fn contents(&self, entry: &Entry) -> Result<Contents, PackageError>;

    /// Returns a handle to one file from which a writer may clone blocks (a reflink), where the
    /// package lies in a file system. The default has none.
    ///
    /// # Errors
    /// As [`contents`](Self::contents).
    fn file(&self, entry: &Entry) -> Result<Option<std::fs::File>, PackageError> {
        let _ = entry;
        Ok(None)
    }

    /// Returns what was left out: the paths of `.git` entries and of empty folders.
    fn left_out(&self) -> &[String] {
        &[]
    }
}

/// One line of a package's canonical listing.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ListingEntry {
    /// The path inside the package.
    pub path: PackagePath,
    /// Whether its owner may execute it.
    pub executable: bool,
    /// Its size in bytes.
    pub size: u64,
    /// The SHA-256 of its bytes.
    pub sha256: Digest,
}
