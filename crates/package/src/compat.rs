//! The digest of SIM-ONE Alpha, for one purpose: a handoff that it wrote is still verified.
//!
//! Kitbag's own digest is [`crate::digest`], which also covers the execute bit.

use kitbag_types::Digest;
use sha2::{Digest as _, Sha256};

/// Returns the digest that SIM-ONE Alpha gives a package, from the paths and bytes of its files in
/// any order.
///
/// It is the SHA-256 over, for each file: the path, NUL, the bytes, NUL; in the order of the UTF-16
/// code units of the whole path (a string comparison in JavaScript). Whatever has a part `.git` in
/// its path is skipped. Source: the seed's registry; vectors in `fixtures/digest/compat.json`.
///
/// ```
/// let files = [("SKILL.md", b"hello".as_slice()), (".git/HEAD", b"ref: x".as_slice())];
/// let without = [("SKILL.md", b"hello".as_slice())];
/// assert_eq!(kitbag_package::compat::digest(files), kitbag_package::compat::digest(without));
/// ```
pub fn digest<'a>(files: impl IntoIterator<Item = (&'a str, &'a [u8])>) -> Digest {
    let mut files: Vec<(&str, &[u8])> =
        files.into_iter().filter(|(path, _)| path.split('/').all(|part| part != ".git")).collect();
    files.sort_by(|(a, _), (b, _)| a.encode_utf16().cmp(b.encode_utf16()));
    let mut hasher = Sha256::new();
    for (path, bytes) in files {
        hasher.update(path);
        hasher.update(b"\0");
        hasher.update(bytes);
        hasher.update(b"\0");
    }
    Digest::from_raw(hasher.finalize().into())
}
