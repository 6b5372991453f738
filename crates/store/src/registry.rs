//! What a registry database can do, in terms of plain data.
//!
//! No SQL and no type of a database library crosses this boundary, so that a server database can
//! implement it later.

use std::time::Duration;

use kitbag_types::{
    Action, BrokenRecord, CapabilityId, CapabilityRecord, Digest, HistoryEntry, HistoryEvent, Kind,
    OperationId, Principal, ScanReport, Suppression, Timestamp,
};

use crate::{StoreError, StoredKey};

/// A row of table `capabilities`: one that holds every rule, or one that does not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StoredRecord {
    /// Every rule holds.
    Sound(CapabilityRecord),
    /// At least one rule is broken. Listed, left alone, never part of a kit.
    Broken(BrokenRecord),
}

/// The package of a record as it was promoted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PackageRow {
    /// The digest of the canonical listing.
    pub digest: Digest,
    /// How many files.
    pub files: u64,
    /// How many bytes together.
    pub bytes: u64,
    /// The canonical listing as JSON text (the format is the caller's), so that later edits can be
    /// named file by file.
    pub listing: String,
    /// The commit, for a GitHub source.
    pub commit: Option<String>,
    /// The folder inside the source, where it is not its root.
    pub subpath: Option<String>,
    /// The ref asked for, for a GitHub source.
    pub git_ref: Option<String>,
    /// When it was promoted.
    pub promoted_at: Timestamp,
    /// The digest of the version before it.
    pub previous: Option<Digest>,
}

/// A version that is kept so that `revert` can bring it back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeptVersion {
    /// The kind it belongs to.
    pub kind: Kind,
    /// The id it belongs to.
    pub id: CapabilityId,
    /// The record as it was while this version was in place.
    pub record: CapabilityRecord,
    /// The package as it was promoted.
    pub package: PackageRow,
    /// When it was put away.
    pub kept_at: Timestamp,
    /// Whether it was edited by hand before it was put away.
    pub edited: bool,
}

/// A finding that a person accepted. The row stays, also once it does not count any more.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AcceptedRow {
    /// Its number, counted from 1 and never given twice.
    pub number: u64,
    /// What was accepted.
    pub suppression: Suppression,
    /// When it was taken back, where it was.
    pub withdrawn_at: Option<Timestamp>,
    /// Who took it back, where somebody did.
    pub withdrawn_by: Option<String>,
}

/// What a mutation is about to do to the packages: written, and durable, before it does it, and
/// closed by the transaction that records the outcome. An entry that is still open after a crash
/// means that the transaction never happened, so the packages go back to `before`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JournalEntry {
    /// The operation; also the name of its staging area.
    pub operation: OperationId,
    /// What it does.
    pub action: Action,
    /// The kind it does it to.
    pub kind: Kind,
    /// The id it does it to.
    pub id: CapabilityId,
    /// The digest of the package in place before, none if there is none.
    pub before: Option<Digest>,
    /// The digest of the package in place after, none if there will be none.
    pub after: Option<Digest>,
    /// When it was opened.
    pub opened_at: Timestamp,
    /// Who does it.
    pub principal: Principal,
}

/// One change of the database. A mutation's changes are applied together or not at all.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    /// Inserts a record. Fails with `registry/id-taken` if the id exists under any kind.
    Insert(CapabilityRecord),
    /// Replaces the record of the same kind and id. Fails with `mutation/conflict` if the stored
    /// `updated_at` is not `expected`.
    Replace {
        /// What it becomes.
        record: CapabilityRecord,
        /// The `updated_at` that the mutation was planned on.
        expected: Timestamp,
    },
    /// Deletes the record, with its package row. Fails with `mutation/conflict` as above.
    Delete {
        /// The kind.
        kind: Kind,
        /// The id.
        id: CapabilityId,
        /// The `updated_at` that the mutation was planned on.
        expected: Timestamp,
    },
    /// Inserts or replaces the package row of a record.
    SetPackage {
        /// The kind.
        kind: Kind,
        /// The id.
        id: CapabilityId,
        /// The package.
        package: Box<PackageRow>,
    },
    /// Adds a kept version (or refreshes the one of the same kind, id and digest).
    Keep(Box<KeptVersion>),
    /// Forgets a kept version. Its bytes are the depot's affair.
    Forget {
        /// The kind.
        kind: Kind,
        /// The id.
        id: CapabilityId,
        /// Which version.
        digest: Digest,
    },
    /// Remembers what the scanner found in a package.
    SetScan {
        /// The package's digest.
        digest: Digest,
        /// The kind it was judged as.
        kind: Kind,
        /// What was found.
        report: Box<ScanReport>,
    },
    /// Remembers that a person accepted a finding.
    Accept(Box<Suppression>),
    /// Takes back what a person accepted. Fails with `mutation/conflict` if there is none of that
    /// number, or it was taken back before.
    Withdraw {
        /// Which.
        number: u64,
        /// When.
        at: Timestamp,
        /// Who.
        by: String,
    },
    /// Appends to the history.
    Record(HistoryEvent),
    /// Closes a journal entry.
    CloseJournal(OperationId),
}

/// The registry database. Reading never writes, not even a migration.
pub trait Registry: Send + Sync {
    /// Returns every record, by kind and id.
    ///
    /// # Errors
    /// [`StoreError`] if the database cannot be read.
    fn list(&self) -> Result<Vec<StoredRecord>, StoreError>;

    /// Returns every id as it is stored, sound or not, in no order: cheap beside [`list`](Self::list).
    ///
    /// # Errors
    /// As [`list`](Self::list).
    fn ids(&self) -> Result<Vec<String>, StoreError>;

    /// Returns the record of an id, of whatever kind.
    ///
    /// # Errors
    /// As [`list`](Self::list).
    fn find(&self, id: &str) -> Result<Option<StoredRecord>, StoreError>;

    /// Returns the package row of a record.
    ///
    /// # Errors
    /// As [`list`](Self::list).
    fn package(&self, kind: Kind, id: &CapabilityId) -> Result<Option<PackageRow>, StoreError>;

    /// Returns every package row, by kind and id.
    ///
    /// # Errors
    /// As [`list`](Self::list).
    fn packages(&self) -> Result<Vec<(Kind, CapabilityId, PackageRow)>, StoreError>;

    /// Returns the kept versions of an id, newest first.
    ///
    /// # Errors
    /// As [`list`](Self::list).
    fn kept(&self, id: &CapabilityId) -> Result<Vec<KeptVersion>, StoreError>;

    /// Returns the kept versions of every id, those that were removed among them, by kind and id,
    /// newest first.
    ///
    /// # Errors
    /// As [`list`](Self::list).
    fn all_kept(&self) -> Result<Vec<KeptVersion>, StoreError>;

    /// Returns the digests of every kept version of every capability, without repetition.
    ///
    /// # Errors
    /// As [`list`](Self::list).
    fn kept_digests(&self) -> Result<Vec<Digest>, StoreError>;

    /// Returns the last scan of a package, for a kind.
    ///
    /// # Errors
    /// As [`list`](Self::list).
    fn scan(&self, digest: &Digest, kind: Kind) -> Result<Option<ScanReport>, StoreError>;

    /// Returns the key of match hashes, none before anybody wrote to the database.
    ///
    /// # Errors
    /// As [`list`](Self::list).
    fn match_key(&self) -> Result<Option<StoredKey>, StoreError>;

    /// Returns what persons accepted, oldest first: also what has ended or was taken back.
    ///
    /// # Errors
    /// As [`list`](Self::list).
    fn suppressions(&self) -> Result<Vec<AcceptedRow>, StoreError>;

    /// Returns the history, oldest first, of one id or of all. Entries are returned as stored:
    /// nothing is checked.
    ///
    /// # Errors
    /// As [`list`](Self::list).
    fn history(&self, id: Option<&str>) -> Result<Vec<HistoryEntry>, StoreError>;

    /// Checks the whole chain and returns the place (`seq`) of the first broken link: a gap in
    /// the numbers, a `previous` that is not the hash before, a hash that is not its content's,
    /// an entry that cannot be read, or an end that is not the recorded one.
    ///
    /// # Errors
    /// As [`list`](Self::list).
    fn first_broken_link(&self) -> Result<Option<u64>, StoreError>;

    /// Returns the number and the hash of the last entry of the history. Noted somewhere else, they
    /// prove that nothing before was rewritten.
    ///
    /// # Errors
    /// As [`list`](Self::list).
    fn history_head(&self) -> Result<Option<(u64, Digest)>, StoreError>;

    /// Returns the journal entries that no transaction has closed.
    ///
    /// # Errors
    /// As [`list`](Self::list).
    fn open_journal(&self) -> Result<Vec<JournalEntry>, StoreError>;

    /// Becomes the one writer of all processes, waiting at most `patience`. Creates or migrates the
    /// database where that is due, and makes its match key. The guard lets go when it is dropped.
    ///
    /// # Errors
    /// `store/locked` if another writer holds it for longer, `store/read-only` if the database
    /// cannot be written, and what opening it can say.
    fn write(&self, patience: Duration) -> Result<Box<dyn Writer + '_>, StoreError>;
}

/// The one writer. While it lives, no other process changes the registry or the packages.
#[must_use = "a writer that is dropped at once protects nothing"]
pub trait Writer {
    /// Opens a journal entry, durably, in a transaction of its own.
    ///
    /// # Errors
    /// [`StoreError`] if it cannot be written; then it is not there.
    fn open_journal(&mut self, entry: &JournalEntry) -> Result<(), StoreError>;

    /// Applies changes in one transaction, all or none, durably.
    ///
    /// # Errors
    /// `registry/id-taken`, `mutation/conflict`, or a [`StoreError`] of the database; then nothing
    /// of it happened.
    fn apply(&mut self, changes: &[Change]) -> Result<(), StoreError>;
}
