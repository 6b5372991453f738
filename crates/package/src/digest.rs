//! The canonical listing of a package, and the digest over it.

use kitbag_types::Digest;
use sha2::{Digest as _, Sha256};

use crate::{Contents, Entry, ListingEntry, PackageError, PackageReader};

/// Reads each file of a package once, hashes it and shows it, in canonical order.
///
/// Whatever else needs the bytes (a scanner, a copier) gets them in `visit`, so that what was
/// hashed is what was scanned and copied.
///
/// # Errors
/// Those of [`PackageReader::contents`], at the first file that has one.
pub fn read_all(
    package: &dyn PackageReader,
    visit: &mut dyn FnMut(&Entry, &Contents),
) -> Result<Vec<ListingEntry>, PackageError> {
    let entries = package.entries();
    let mut listing = Vec::with_capacity(entries.len());
    for entry in entries {
        let contents = package.contents(entry)?;
        listing.push(ListingEntry {
            path: entry.path.clone(),
            executable: entry.executable,
            size: contents.len() as u64,
            sha256: Digest::of_bytes(&contents),
        });
        visit(entry, &contents);
    }
    Ok(listing)
}

/// Returns the digest of a package, from its listing in any order.
///
/// It is the SHA-256 over, for each file in bytewise order of the paths: the path, NUL, `x` if
/// its owner may execute it or else `-`, NUL, the size in decimal, NUL, the 32 raw bytes of the
/// file's own SHA-256. A path holds no NUL, so no two listings give the same input. The format
/// with a worked example stands in `docs/digest.md`, vectors in `fixtures/digest/vectors.json`.
pub fn digest(listing: &[ListingEntry]) -> Digest {
    let mut entries: Vec<&ListingEntry> = listing.iter().collect();
    entries.sort_by_key(|entry| &entry.path);
    let mut hasher = Sha256::new();
    for entry in entries {
        hasher.update(entry.path.as_str());
        hasher.update(if entry.executable { b"\0x\0" } else { b"\0-\0" });
        hasher.update(entry.size.to_string());
        hasher.update(b"\0");
        hasher.update(entry.sha256.as_raw());
    }
    Digest::from_raw(hasher.finalize().into())
}
