//! What a place for managed packages can do, in terms of plain data.
//!
//! No path of a promoted package crosses this boundary, so that an object store can implement it
//! later; nor does it know the registry database, which may lie elsewhere.

use kitbag_package::{Contents, Entry, ListingEntry, PackageError, PackageReader};
use kitbag_types::{CapabilityId, Digest, Kind, OperationId};

use crate::DepotError;

/// Where one capability's promoted package belongs.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Slot {
    /// The kind.
    pub kind: Kind,
    /// The id.
    pub id: CapabilityId,
}

/// A package that was copied into a staging area, and that nobody else can reach yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Staged {
    /// The operation it was staged for.
    pub operation: OperationId,
    /// The digest of the bytes that were written.
    pub digest: Digest,
    /// The canonical listing of the bytes that were written.
    pub listing: Vec<ListingEntry>,
}

/// Is shown each file as it is staged: exactly the bytes that were written and hashed.
pub type Visitor<'a> = dyn FnMut(&Entry, &Contents) + 'a;

/// What lies in a depot.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Survey {
    /// Slots that hold something.
    pub slots: Vec<Slot>,
    /// Kept versions.
    pub kept: Vec<Digest>,
    /// Names where packages belong that cannot be a slot, relative to the depot.
    pub strangers: Vec<String>,
    /// Folders in which packages are handled and that others can change, relative to the depot.
    pub exposed: Vec<String>,
}

/// A place for managed packages: staging areas, one slot a capability, and kept versions by
/// digest.
///
/// `promote`, `withdraw` and `undo` are called by the one writer only.
pub trait Depot: Send + Sync {
    /// Copies a package into a fresh staging area: each file is read once, written, hashed, and
    /// shown to `visit`. The bytes are durable when this returns. On an error nothing is left.
    ///
    /// # Errors
    /// [`DepotError`]: what the package can say, or that the depot cannot be written.
    fn stage(
        &self,
        operation: OperationId,
        package: &dyn PackageReader,
        visit: &mut Visitor<'_>,
    ) -> Result<Staged, DepotError>;

    /// Makes a folder on this machine for what an operation needs while it lasts, such as a
    /// repository that is fetched. It goes with the operation's staging area.
    ///
    /// # Errors
    /// [`DepotError`] if it cannot be made.
    fn scratch(&self, operation: OperationId) -> Result<std::path::PathBuf, DepotError>;

    /// Drops a staging area; what is not there is no error.
    ///
    /// # Errors
    /// [`DepotError`] if it cannot be removed.
    fn discard(&self, operation: OperationId) -> Result<(), DepotError>;

    /// Opens the package in a slot, none if the slot is empty.
    ///
    /// # Errors
    /// [`PackageError`] if what lies there is not a package.
    fn promoted(&self, slot: &Slot) -> Result<Option<Box<dyn PackageReader>>, PackageError>;

    /// Opens a kept version, none if it is not kept.
    ///
    /// # Errors
    /// As [`promoted`](Self::promoted).
    fn kept(&self, digest: &Digest) -> Result<Option<Box<dyn PackageReader>>, PackageError>;

    /// Puts the staged package into the slot and the one that lay there among the kept versions.
    /// `before` is the digest of the package that lies there now, none for an empty slot.
    ///
    /// # Errors
    /// `package/in-the-way` if the slot is not as `before` says: nothing is changed then. Other
    /// errors leave a state that [`undo`](Self::undo) repairs.
    fn promote(
        &self,
        staged: &Staged,
        slot: &Slot,
        before: Option<&Digest>,
    ) -> Result<(), DepotError>;

    /// Takes the package out of the slot and puts it among the kept versions.
    ///
    /// # Errors
    /// As [`promote`](Self::promote).
    fn withdraw(
        &self,
        operation: OperationId,
        slot: &Slot,
        before: &Digest,
    ) -> Result<(), DepotError>;

    /// Brings a slot back to `before` after an operation that was to end in `after` failed or was
    /// killed anywhere between its journal entry and its transaction, and drops its staging area.
    /// Doing it twice is the same as once. A package in the slot that is neither is left alone.
    ///
    /// # Errors
    /// `depot/unrecoverable` if the package of digest `before` is nowhere to be found.
    fn undo(
        &self,
        operation: OperationId,
        slot: &Slot,
        before: Option<&Digest>,
        after: Option<&Digest>,
    ) -> Result<(), DepotError>;

    /// Drops a kept version; what is not there is no error.
    ///
    /// # Errors
    /// [`DepotError`] if it cannot be removed.
    fn forget(&self, digest: &Digest) -> Result<(), DepotError>;

    /// Returns the staging areas that no process holds: their operations died.
    ///
    /// # Errors
    /// [`DepotError`] if the depot cannot be read.
    fn abandoned(&self) -> Result<Vec<OperationId>, DepotError>;

    /// Looks at everything that lies in the depot, without reading any package.
    ///
    /// # Errors
    /// [`DepotError`] if the depot cannot be read.
    fn survey(&self) -> Result<Survey, DepotError>;

    /// Returns where a person finds the package of a slot, for messages only.
    fn describe(&self, slot: &Slot) -> String;
}
