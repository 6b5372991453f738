//! The canonical listing and its digest. `docs/digest.md` documents the format.

use kitbag_types::{Digest, FileChange, FileChangeKind};
use sha2::{Digest as _, Sha256};

use crate::{Contents, Entry, ListingEntry, PackageError, PackageReader};

/// Reads every file of a package once, in canonical order, and returns its listing. `visit` is
/// shown each file with the bytes that were hashed.
///
/// # Errors
/// [`PackageError`] if a file cannot be read or changed since the package was opened.
pub fn read_all(
    package: &dyn PackageReader,
    visit: &mut dyn FnMut(&Entry, &Contents),
) -> Result<Vec<ListingEntry>, PackageError> {
    package
        .entries()
        .iter()
        .map(|entry| {
            let contents = package.contents(entry)?;
            visit(entry, &contents);
            Ok(ListingEntry {
                path: entry.path.clone(),
                executable: entry.executable,
                size: contents.len() as u64,
                sha256: Digest::of_bytes(&contents),
            })
        })
        .collect()
}

/// Returns the digest of a listing: SHA-256 over, for each entry in bytewise path order, the
/// path, NUL, `x` or `-`, NUL, the decimal size, NUL, and the 32 raw bytes of the file's SHA-256.
pub fn digest(listing: &[ListingEntry]) -> Digest {
    let mut sorted: Vec<&ListingEntry> = listing.iter().collect();
    sorted.sort_by(|a, b| a.path.cmp(&b.path));
    let mut hash = Sha256::new();
    for entry in sorted {
        hash.update(entry.path.as_str());
        hash.update(if entry.executable { b"\0x\0" } else { b"\0-\0" });
        hash.update(entry.size.to_string());
        hash.update(b"\0");
        hash.update(entry.sha256.as_raw());
    }
    Digest::from_raw(hash.finalize().into())
}

/// Returns the files that differ between two listings in canonical order, by path.
pub fn compare(before: &[ListingEntry], after: &[ListingEntry]) -> Vec<FileChange> {
    let mut changes = Vec::new();
    let change =
        |entry: &ListingEntry, change| FileChange { path: entry.path.clone(), change, text: None };
    let (mut old, mut new) = (before.iter().peekable(), after.iter().peekable());
    loop {
        match (old.peek(), new.peek()) {
            (None, None) => return changes,
            (Some(a), Some(b)) if a.path == b.path => {
                if a.sha256 != b.sha256 || a.size != b.size {
                    changes.push(change(b, FileChangeKind::Changed));
                } else if a.executable != b.executable {
                    changes.push(change(b, FileChangeKind::Mode));
                }
                old.next();
                new.next();
            }
            (Some(a), b) if b.is_none_or(|b| a.path < b.path) => {
                changes.push(change(a, FileChangeKind::Removed));
                old.next();
            }
            (_, Some(b)) => {
                changes.push(change(b, FileChangeKind::Added));
                new.next();
            }
            (Some(_), None) => unreachable!("the arm above takes an old entry without a new one"),
        }
    }
}
