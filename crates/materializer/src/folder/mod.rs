//! The depot in a folder of this machine.
//!
//! ```text
//! <capabilities>/skills/<id>/…            one slot a capability
//! <capabilities>/.previous/sha256-<hex>/  kept versions, by digest
//! <capabilities>/.staging/<operation>/    tree: what goes in; old: what came out
//! <capabilities>/.staging/<operation>.lock
//! ```

mod claim;
mod handle;
mod stage;
mod survey;
mod swap;
mod undo;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use kitbag_package::{PackageError, PackageReader, PackageTree, digest, read_all};
use kitbag_types::{Code, Coded as _, Digest, Faults, Kind, NoFaults, OperationId};
use rustix::fs::Mode;

use self::claim::Claims;
use self::handle::Dir;
use crate::{Depot, DepotError, Slot, Staged, Survey, Visitor};

/// The name of the folder that holds staging areas. It begins with a dot, so that no loader takes
/// it for a package.
pub const STAGING: &str = ".staging";
/// The name of the folder that holds kept versions.
pub const PREVIOUS: &str = ".previous";

/// Whoever hosts the agent may be another user: the folders of the kinds are readable.
const KIND_MODE: Mode =
    Mode::RWXU.union(Mode::RGRP).union(Mode::XGRP).union(Mode::ROTH).union(Mode::XOTH);

/// What goes into the slot.
const TREE: &str = "tree";
/// What an operation needs while it lasts, beside them.
const SCRATCH: &str = "scratch";
/// What came out of it.
const OLD: &str = "old";

/// Packages in a folder of this machine. Nothing is made before the first package is staged.
pub struct FolderDepot {
    base: PathBuf,
    claims: Claims,
    faults: Arc<dyn Faults>,
}

impl FolderDepot {
    /// Makes a depot of a folder, which need not exist yet.
    pub fn new(base: impl Into<PathBuf>) -> Self {
        Self::with_faults(base, Arc::new(NoFaults))
    }

    /// Makes a depot that tells `faults` of the failpoints it passes, for crash tests.
    pub fn with_faults(base: impl Into<PathBuf>, faults: Arc<dyn Faults>) -> Self {
        Self { base: base.into(), claims: Claims::default(), faults }
    }

    fn base(&self) -> Result<Dir, DepotError> {
        if let Some(dir) = Dir::open_path(&self.base)? {
            return Ok(dir);
        }
        fs_err::create_dir_all(&self.base).map_err(|source| DepotError::Io {
            action: "create",
            path: self.base.clone(),
            source,
        })?;
        Dir::open_path(&self.base)?
            .ok_or_else(|| handle::io("open", &self.base, rustix::io::Errno::NOENT))
    }

    fn staging(&self) -> Result<Dir, DepotError> {
        let base = self.base()?;
        base.ensure(STAGING, Mode::RWXU)?.private_to(&base)
    }

    fn previous(&self) -> Result<Dir, DepotError> {
        let base = self.base()?;
        base.ensure(PREVIOUS, Mode::RWXU)?.private_to(&base)
    }

    /// Opens the staging area of an operation, making it and claiming it where that is due.
    fn area(&self, operation: OperationId) -> Result<Dir, DepotError> {
        let staging = self.staging()?;
        self.claims.take_own(&staging, operation)?;
        staging.ensure(&operation.to_string(), Mode::RWXU)?.private_to(&staging)
    }

    /// Opens the folder of a kind. It may be shared with a group, and with nobody else.
    fn kind_folder(&self, kind: Kind) -> Result<Dir, DepotError> {
        let base = self.base()?;
        let dir = base.ensure(kind.folder(), KIND_MODE)?;
        if dir.is_open_to_others()? {
            return Err(DepotError::Untrusted(self.base.join(kind.folder())));
        }
        Ok(dir)
    }

    fn slot_path(&self, slot: &Slot) -> PathBuf {
        self.base.join(slot.kind.folder()).join(slot.id.as_str())
    }

    /// Returns the digest of a package in the depot, none where there is nothing.
    fn digest_at(&self, relative: &str) -> Result<Option<Digest>, PackageError> {
        match open_package(&self.base, relative)? {
            Some(package) => Ok(Some(digest(&read_all(&*package, &mut |_, _| {})?))),
            None => Ok(None),
        }
    }
}

fn kept_name(digest: &Digest) -> String {
    format!("sha256-{}", digest.hex())
}

fn open_package(
    base: &Path,
    relative: &str,
) -> Result<Option<Box<dyn PackageReader>>, PackageError> {
    match PackageTree::open_beneath(base, relative) {
        Ok(tree) => Ok(Some(Box::new(tree))),
        Err(error) if error.code() == Code::PackageNotFound => Ok(None),
        Err(error) => Err(error),
    }
}

impl Depot for FolderDepot {
    fn stage(
        &self,
        operation: OperationId,
        package: &dyn PackageReader,
        visit: &mut Visitor<'_>,
    ) -> Result<Staged, DepotError> {
        let staged = self.stage_into(operation, package, visit);
        if staged.is_err() {
            // The error that is reported is the one that made staging fail.
            let _ = self.discard(operation);
        }
        staged
    }

    fn scratch(&self, operation: OperationId) -> Result<PathBuf, DepotError> {
        let area = self.area(operation)?;
        area.ensure(SCRATCH, Mode::RWXU)?;
        Ok(area.path_of(SCRATCH))
    }

    fn discard(&self, operation: OperationId) -> Result<(), DepotError> {
        let Some(base) = Dir::open_path(&self.base)? else { return Ok(()) };
        let Some(staging) = base.open(STAGING)? else { return Ok(()) };
        if !self.claims.take(&staging, operation)? {
            return Ok(());
        }
        staging.remove(operation.to_string())?;
        self.claims.release(&staging, operation)
    }

    fn promoted(&self, slot: &Slot) -> Result<Option<Box<dyn PackageReader>>, PackageError> {
        open_package(&self.base, &format!("{}/{}", slot.kind.folder(), slot.id))
    }

    fn kept(&self, digest: &Digest) -> Result<Option<Box<dyn PackageReader>>, PackageError> {
        open_package(&self.base, &format!("{PREVIOUS}/{}", kept_name(digest)))
    }

    fn promote(
        &self,
        staged: &Staged,
        slot: &Slot,
        before: Option<&Digest>,
    ) -> Result<(), DepotError> {
        self.swap_in(staged, slot, before)
    }

    fn withdraw(
        &self,
        operation: OperationId,
        slot: &Slot,
        before: &Digest,
    ) -> Result<(), DepotError> {
        self.swap_out(operation, slot, before)
    }

    fn undo(
        &self,
        operation: OperationId,
        slot: &Slot,
        before: Option<&Digest>,
        after: Option<&Digest>,
    ) -> Result<(), DepotError> {
        self.swap_back(operation, slot, before, after)?;
        self.discard(operation)
    }

    fn forget(&self, digest: &Digest) -> Result<(), DepotError> {
        match Dir::open_path(&self.base)? {
            Some(base) => match base.open(PREVIOUS)? {
                Some(previous) => previous.remove(kept_name(digest)),
                None => Ok(()),
            },
            None => Ok(()),
        }
    }

    fn abandoned(&self) -> Result<Vec<OperationId>, DepotError> {
        self.abandoned_areas()
    }

    fn survey(&self) -> Result<Survey, DepotError> {
        self.look_around()
    }

    fn describe(&self, slot: &Slot) -> String {
        self.slot_path(slot).display().to_string()
    }
}
