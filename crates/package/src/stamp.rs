//! What a package looks like from outside, so that one that nobody touched need not be read again.

use std::collections::BTreeMap;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use kitbag_types::Digest;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use crate::{PackageError, PackageReader as _, PackageTree, digest, read_all};

/// How long a package must have been left alone before what it looks like stands for what is in it.
/// A file that is written twice within one tick of the file system's clock looks the same; no file
/// system's tick is longer than this (FAT: two seconds).
pub const SETTLED_AFTER: Duration = Duration::from_secs(2);

/// What a package looks like from outside: the names, modes, sizes, times and numbers of its files.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Stamp(Digest);

impl PackageTree {
    /// Returns what the package looked like when it was opened. No file is read.
    pub fn stamp(&self) -> Stamp {
        let mut hasher = Sha256::new();
        for (entry, seen) in self.entries().iter().zip(self.seen()) {
            hasher.update(entry.path.as_str());
            hasher.update(if entry.executable { b"\0x" } else { b"\0-" });
            seen.write_to(&mut |bytes| hasher.update(bytes));
        }
        Stamp(Digest::from_raw(hasher.finalize().into()))
    }

    /// Tells whether no file of the package has changed for a while before `now`.
    fn is_settled(&self, now: SystemTime) -> bool {
        let Some(limit) = now.checked_sub(SETTLED_AFTER) else { return false };
        let Ok(limit) = limit.duration_since(UNIX_EPOCH) else { return false };
        let limit = (i128::from(limit.as_secs()), i128::from(limit.subsec_nanos()));
        self.seen().iter().all(|seen| seen.last_change() <= limit)
    }
}

/// Digests of packages, by what the packages looked like.
///
/// It saves reading, not checking: a package that looks other than it did is read, and so is one that
/// changed so lately that it could look the same and be another. Whoever can write the cache can
/// claim any digest, so keep it where only the person can write. It serialises; its host stores it.
///
/// ```
/// use std::time::{Duration, SystemTime};
/// use kitbag_package::{PackageTree, StampCache};
///
/// let folder = tempfile::tempdir()?;
/// fs_err::write(folder.path().join("SKILL.md"), "# Tidy notes\n")?;
/// let later = SystemTime::now() + Duration::from_secs(60);
///
/// let mut cache = StampCache::default();
/// let read = cache.digest_of("tidy", &PackageTree::open(folder.path())?, later)?;
/// let looked_up = cache.digest_of("tidy", &PackageTree::open(folder.path())?, later)?;
/// assert_eq!(read, looked_up);
/// assert_eq!(cache.reads(), 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct StampCache {
    known: BTreeMap<String, (Stamp, Digest)>,
    #[serde(skip)]
    reads: u64,
}

impl StampCache {
    /// Returns the digest of a package; its files are read only where that is needed. `name` tells
    /// packages apart, `now` is when `package` was opened.
    ///
    /// # Errors
    /// Those of [`read_all`].
    pub fn digest_of(
        &mut self,
        name: &str,
        package: &PackageTree,
        now: SystemTime,
    ) -> Result<Digest, PackageError> {
        let stamp = package.stamp();
        if let Some((known, digest)) = self.known.get(name)
            && *known == stamp
        {
            return Ok(*digest);
        }
        self.known.remove(name);
        self.reads += 1;
        let found = digest(&read_all(package, &mut |_, _| {})?);
        if package.is_settled(now) {
            self.known.insert(name.to_owned(), (stamp, found));
        }
        Ok(found)
    }

    /// Returns how many packages had to be read.
    pub fn reads(&self) -> u64 {
        self.reads
    }

    /// Forgets packages that `keep` does not name.
    pub fn retain(&mut self, mut keep: impl FnMut(&str) -> bool) {
        self.known.retain(|name, _| keep(name));
    }
}
