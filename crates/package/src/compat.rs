//! The digest of the original registry, for handoffs that it wrote.

use kitbag_types::Digest;
use sha2::{Digest as _, Sha256};

/// Returns the original's digest of a package: SHA-256 over, for each file by the UTF-16 code
/// units of its whole path, the path, NUL, the bytes, NUL. Whatever lies under a `.git` is skipped.
pub fn digest<'a>(files: impl IntoIterator<Item = (&'a str, &'a [u8])>) -> Digest {
    let mut files: Vec<(&str, &[u8])> =
        files.into_iter().filter(|(path, _)| path.split('/').all(|part| part != ".git")).collect();
    files.sort_by(|(a, _), (b, _)| a.encode_utf16().cmp(b.encode_utf16()));
    let mut hash = Sha256::new();
    for (path, bytes) in files {
        hash.update(path);
        hash.update(b"\0");
        hash.update(bytes);
        hash.update(b"\0");
    }
    Digest::from_raw(hash.finalize().into())
}
