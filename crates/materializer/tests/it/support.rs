//! What the tests share.

use std::path::{Path, PathBuf};

use kitbag_materializer::{Depot, FolderDepot, STAGING, Slot, Staged};
use kitbag_package::{PackageTree, digest, read_all};
use kitbag_types::{CapabilityId, Digest, Kind, OperationId, Timestamp};
use tempfile::TempDir;

/// A folder with a source and a depot.
pub(crate) struct World {
    pub(crate) folder: TempDir,
    pub(crate) depot: FolderDepot,
}

impl World {
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let depot = FolderDepot::new(folder.path().join("capabilities"));
        Self { folder, depot }
    }

    /// Writes a package of one SKILL.md and returns its folder.
    pub(crate) fn source(&self, name: &str, text: &str) -> PathBuf {
        let path = self.folder.path().join("sources").join(name);
        write(&path.join("SKILL.md"), text);
        path
    }

    pub(crate) fn stage(&self, number: u128, source: &Path) -> Staged {
        let package = PackageTree::open(source).expect("a package");
        self.depot.stage(operation(number), &package, &mut |_, _| {}).expect("staged")
    }

    /// Stages and promotes in one go.
    pub(crate) fn put(&self, number: u128, source: &Path, before: Option<&Digest>) -> Digest {
        let staged = self.stage(number, source);
        self.depot.promote(&staged, &slot(), before).expect("promoted");
        self.depot.discard(operation(number)).expect("discarded");
        staged.digest
    }

    pub(crate) fn promoted(&self) -> Option<Digest> {
        let package = self.depot.promoted(&slot()).expect("readable")?;
        Some(digest(&read_all(&*package, &mut |_, _| {}).expect("readable")))
    }

    pub(crate) fn kept(&self, version: &Digest) -> Option<Digest> {
        let package = self.depot.kept(version).expect("readable")?;
        Some(digest(&read_all(&*package, &mut |_, _| {}).expect("readable")))
    }

    pub(crate) fn slot_path(&self) -> PathBuf {
        self.folder.path().join("capabilities/skills/hello")
    }

    /// Returns what lies in staging.
    pub(crate) fn staging(&self) -> Vec<String> {
        names(&self.folder.path().join("capabilities").join(STAGING))
    }
}

pub(crate) fn names(folder: &Path) -> Vec<String> {
    let Ok(entries) = fs_err::read_dir(folder) else { return Vec::new() };
    let mut names: Vec<String> = entries
        .map(|entry| entry.expect("readable").file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    names
}

pub(crate) fn write(path: &Path, text: &str) {
    fs_err::create_dir_all(path.parent().expect("a file has a folder")).expect("created");
    fs_err::write(path, text).expect("written");
}

pub(crate) fn operation(number: u128) -> OperationId {
    OperationId::new(Timestamp::from_millis(1_000), number)
}

pub(crate) fn slot() -> Slot {
    Slot { kind: Kind::Skill, id: CapabilityId::new("hello").expect("an id") }
}
