//! The one writer.

use std::path::Path;

use kitbag_types::{CapabilityId, Kind, Timestamp};
use rusqlite::{Connection, Transaction};

use super::lock::WriteLock;
use super::{accepted, own, records};
use crate::{Change, JournalEntry, StoreError, StoredRecord, Writer};

pub(super) struct SqliteWriter<'r> {
    path: &'r Path,
    // Before the lock, so that the connection is closed before the next writer opens one.
    connection: Connection,
    _lock: WriteLock,
}

impl<'r> SqliteWriter<'r> {
    pub(super) fn new(path: &'r Path, connection: Connection, lock: WriteLock) -> Self {
        Self { path, connection, _lock: lock }
    }

    fn transact(
        &mut self,
        action: &'static str,
        changes: impl FnOnce(&Transaction<'_>) -> Result<(), Failure>,
    ) -> Result<(), StoreError> {
        let path = self.path;
        let failed = |error| StoreError::of_sqlite(path, action, error);
        let transaction = self.connection.transaction().map_err(failed)?;
        changes(&transaction).map_err(|failure| match failure {
            Failure::Sqlite(error) => failed(error),
            Failure::Store(error) => error,
        })?;
        transaction.commit().map_err(failed)
    }
}

impl Writer for SqliteWriter<'_> {
    fn open_journal(&mut self, entry: &JournalEntry) -> Result<(), StoreError> {
        self.transact("write the journal of", |transaction| {
            Ok(own::put_journal(transaction, entry)?)
        })
    }

    fn apply(&mut self, changes: &[Change]) -> Result<(), StoreError> {
        self.transact("change", |transaction| {
            changes.iter().try_for_each(|change| apply(transaction, change))
        })
    }
}

enum Failure {
    Sqlite(rusqlite::Error),
    Store(StoreError),
}

impl From<rusqlite::Error> for Failure {
    fn from(error: rusqlite::Error) -> Self {
        Self::Sqlite(error)
    }
}

fn apply(transaction: &Transaction<'_>, change: &Change) -> Result<(), Failure> {
    match change {
        Change::Insert(record) => {
            if records::find(transaction, record.id.as_str())?.is_some() {
                return Err(Failure::Store(StoreError::IdTaken { id: record.id.to_string() }));
            }
            put_record(transaction, record)
        }
        Change::Replace { record, expected } => {
            check_unchanged(transaction, record.kind, &record.id, *expected)?;
            put_record(transaction, record)
        }
        Change::Delete { kind, id, expected } => {
            check_unchanged(transaction, *kind, id, *expected)?;
            for table in ["packages", "capabilities"] {
                transaction.execute(
                    &format!("DELETE FROM {table} WHERE kind = ?1 AND id = ?2"),
                    [kind.as_str(), id.as_str()],
                )?;
            }
            Ok(())
        }
        Change::SetPackage { kind, id, package } => {
            Ok(own::put_package(transaction, *kind, id, package)?)
        }
        Change::Keep(kept) => Ok(own::keep(transaction, kept)?),
        Change::Forget { kind, id, digest } => {
            transaction.execute(
                "DELETE FROM versions WHERE kind = ?1 AND id = ?2 AND digest = ?3",
                [kind.as_str(), id.as_str(), digest.to_string().as_str()],
            )?;
            Ok(())
        }
        Change::SetScan { digest, kind, report } => {
            Ok(own::put_scan(transaction, digest, *kind, report)?)
        }
        Change::Accept(suppression) => Ok(accepted::put(transaction, suppression)?),
        Change::Withdraw { number, at, by } => {
            if accepted::withdraw(transaction, *number, *at, by)? {
                return Ok(());
            }
            Err(Failure::Store(StoreError::NotAccepted { number: *number }))
        }
        Change::Record(event) => Ok(own::append(transaction, event.clone())?),
        Change::CloseJournal(operation) => {
            transaction
                .execute("DELETE FROM journal WHERE operation = ?1", [operation.to_string()])?;
            Ok(())
        }
    }
}

/// Writes a record, and reads it back by the rules that judge every row: what would list as broken
/// is never written.
fn put_record(
    transaction: &Transaction<'_>,
    record: &kitbag_types::CapabilityRecord,
) -> Result<(), Failure> {
    records::put(transaction, record)?;
    let unstorable = |what: String| Err(Failure::Store(StoreError::Unstorable { what }));
    match records::find(transaction, record.id.as_str())? {
        Some(StoredRecord::Sound(stored)) if stored == *record => Ok(()),
        Some(StoredRecord::Broken(broken)) => {
            let problem = &broken.problems[0];
            unstorable(format!("the {} of `{}`: {}", problem.column, record.id, problem.message))
        }
        _ => unstorable(format!("the record of `{}`", record.id)),
    }
}

fn check_unchanged(
    transaction: &Transaction<'_>,
    kind: Kind,
    id: &CapabilityId,
    expected: Timestamp,
) -> Result<(), Failure> {
    match records::find(transaction, id.as_str())? {
        Some(StoredRecord::Sound(record))
            if record.kind == kind && record.updated_at == expected =>
        {
            Ok(())
        }
        _ => Err(Failure::Store(StoreError::Conflict { id: id.to_string() })),
    }
}
