//! The registry in one SQLite file.

mod accepted;
mod file;
mod lock;
mod migrate;
mod own;
mod records;
mod schema;
mod writer;

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use kitbag_types::{CapabilityId, Digest, HistoryEntry, Kind, ScanReport};
use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags, Transaction, TransactionBehavior};

pub use migrate::SCHEMA_VERSION;

use crate::{
    AcceptedRow, JournalEntry, KeptVersion, PackageRow, Registry, StoreError, StoredKey,
    StoredRecord, Writer,
};
use file::Found;
use migrate::Pages;

/// How long SQLite itself waits for a lock of a program that does not know our lock file, such as
/// SIM-ONE's own. A transaction of either takes milliseconds.
const BUSY_TIMEOUT: Duration = Duration::from_secs(5);

/// A registry database in a SQLite file.
///
/// Opening creates nothing, reading writes nothing. The first [`write`](Registry::write) creates
/// the file, or adds our tables to one that SIM-ONE wrote.
#[derive(Debug)]
pub struct SqliteRegistry {
    path: PathBuf,
    /// Opened by the first question asked of a file that exists.
    reader: Mutex<Option<Reader>>,
    /// Whether this process wrote, and so may have left a write-ahead log.
    wrote: AtomicBool,
}

impl SqliteRegistry {
    /// Opens the database at `path`, which need not exist yet.
    ///
    /// # Errors
    /// `store/damaged`, `store/foreign` or `store/newer` if the file is not one that this program
    /// may touch; `store/io` if it cannot be read.
    pub fn open(path: &Path) -> Result<Self, StoreError> {
        let registry =
            Self { path: path.to_owned(), reader: Mutex::new(None), wrote: AtomicBool::new(false) };
        registry.read("open", (), |_, _| Ok(()))?;
        Ok(registry)
    }

    /// Asks one question in one read transaction; `absent` is the answer where there is no
    /// database, or none of our tables in it yet for a question about them.
    fn read<T>(
        &self,
        action: &'static str,
        absent: T,
        question: impl FnOnce(&Transaction<'_>, Layout) -> Result<T, rusqlite::Error>,
    ) -> Result<T, StoreError> {
        let mut reader = self.reader();
        if reader.is_none() {
            match file::look(&self.path)? {
                Found::Nothing => return Ok(absent),
                Found::Database => {
                    let connection = open_to_read(&self.path)?;
                    *reader = Some(Reader { connection, examined: None });
                }
            }
        }
        let Reader { connection, examined } = reader.as_mut().expect("it was opened above");
        let failed = |error| StoreError::of_sqlite(&self.path, action, error);
        let transaction = connection.transaction().map_err(failed)?;
        let layout = migrate::layout_again(&self.path, &transaction, examined)?;
        question(&transaction, layout).map_err(failed)
    }

    /// Asks a question about our own tables.
    fn read_own<T: Default>(
        &self,
        action: &'static str,
        question: impl FnOnce(&Transaction<'_>) -> Result<T, rusqlite::Error>,
    ) -> Result<T, StoreError> {
        self.read(action, T::default(), |transaction, layout| match layout {
            Layout::SimOne => Ok(T::default()),
            Layout::Own => question(transaction),
        })
    }

    /// Makes the key of match hashes, where there is none. The caller holds the lock.
    fn ensure_key(&self, connection: &Connection) -> Result<(), StoreError> {
        let failed = |error| StoreError::of_sqlite(&self.path, "make the match key of", error);
        if accepted::key(connection).map_err(failed)?.is_some() {
            return Ok(());
        }
        accepted::put_key(connection, &StoredKey::generate()?).map_err(failed)
    }

    fn reader(&self) -> MutexGuard<'_, Option<Reader>> {
        // A reader holds no state that a panic could leave half-done.
        self.reader.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A connection that only reads, with the layout that it found last.
#[derive(Debug)]
struct Reader {
    connection: Connection,
    examined: Option<(migrate::Marks, Layout)>,
}

/// Whose tables a database holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Layout {
    /// SIM-ONE's alone.
    SimOne,
    /// Ours as well, of a version that this program knows.
    Own,
}

impl Registry for SqliteRegistry {
    fn list(&self) -> Result<Vec<StoredRecord>, StoreError> {
        self.read("list the records of", Vec::new(), |transaction, _| records::list(transaction))
    }

    fn ids(&self) -> Result<Vec<String>, StoreError> {
        self.read("list the ids of", Vec::new(), |transaction, _| records::ids(transaction))
    }

    fn find(&self, id: &str) -> Result<Option<StoredRecord>, StoreError> {
        self.read("find a record in", None, |transaction, _| records::find(transaction, id))
    }

    fn package(&self, kind: Kind, id: &CapabilityId) -> Result<Option<PackageRow>, StoreError> {
        self.read_own("read a package row of", |transaction| own::package(transaction, kind, id))
    }

    fn packages(&self) -> Result<Vec<(Kind, CapabilityId, PackageRow)>, StoreError> {
        self.read_own("read the package rows of", |transaction| own::packages(transaction))
    }

    fn kept(&self, id: &CapabilityId) -> Result<Vec<KeptVersion>, StoreError> {
        self.read_own("read the kept versions of", |transaction| own::kept(transaction, id))
    }

    fn all_kept(&self) -> Result<Vec<KeptVersion>, StoreError> {
        self.read_own("read the kept versions of", |transaction| own::all_kept(transaction))
    }

    fn kept_digests(&self) -> Result<Vec<Digest>, StoreError> {
        self.read_own("read the kept versions of", |transaction| own::kept_digests(transaction))
    }

    fn scan(&self, digest: &Digest, kind: Kind) -> Result<Option<ScanReport>, StoreError> {
        self.read_own("read a scan of", |transaction| own::scan(transaction, digest, kind))
    }

    fn match_key(&self) -> Result<Option<StoredKey>, StoreError> {
        self.read_own("read the match key of", |transaction| accepted::key(transaction))
    }

    fn suppressions(&self) -> Result<Vec<AcceptedRow>, StoreError> {
        self.read_own("read what was accepted in", |transaction| accepted::all(transaction))
    }

    fn history(&self, id: Option<&str>) -> Result<Vec<HistoryEntry>, StoreError> {
        self.read_own("read the history of", |transaction| own::history(transaction, id))
    }

    fn first_broken_link(&self) -> Result<Option<u64>, StoreError> {
        self.read_own("check the history of", |transaction| own::first_broken_link(transaction))
    }

    fn history_head(&self) -> Result<Option<(u64, Digest)>, StoreError> {
        self.read_own("read the history of", |transaction| own::history_head(transaction))
    }

    fn open_journal(&self) -> Result<Vec<JournalEntry>, StoreError> {
        self.read_own("read the journal of", |transaction| own::open_journal(transaction))
    }

    fn write(&self, patience: Duration) -> Result<Box<dyn Writer + '_>, StoreError> {
        let lock = lock::take(&self.path, patience)?;
        // Every page is looked at once: what this process wrote since is SQLite's to answer for.
        let checked = self.wrote.load(Ordering::Relaxed);
        migrate::ensure(&self.path, if checked { Pages::Checked } else { Pages::Unknown })?;
        let connection = open_to_write(&self.path)?;
        self.ensure_key(&connection)?;
        self.wrote.store(true, Ordering::Relaxed);
        Ok(Box::new(writer::SqliteWriter::new(&self.path, connection, lock)))
    }
}

/// The last one out folds the write-ahead log into the database, so that one file is all there is
/// to copy, and no old log is ever replayed over a database that was put back from a backup.
impl Drop for SqliteRegistry {
    fn drop(&mut self) {
        *self.reader() = None;
        if self.wrote.load(Ordering::Relaxed)
            && let Err(error) = open_to_write(&self.path)
        {
            tracing::debug!(%error, "the write-ahead log stays until somebody writes again");
        }
    }
}

/// Opens an existing database for reading. Where its folder cannot be written and nobody has it
/// open, the write-ahead log's index cannot be made, and is not needed either.
fn open_to_read(path: &Path) -> Result<Connection, StoreError> {
    let failed = |error| StoreError::of_sqlite(path, "open", error);
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(path, flags).map_err(failed)?;
    let usable = connection.query_row("SELECT count(*) FROM sqlite_schema", [], |_| Ok(()));
    let connection = match usable {
        Ok(()) => connection,
        Err(error) if file::is_closed_wal(path) && is_cannot_open(&error) => {
            tracing::debug!(path = %path.display(), "reading without a write-ahead log");
            let flags = flags | OpenFlags::SQLITE_OPEN_URI;
            Connection::open_with_flags(file::immutable_uri(path), flags).map_err(failed)?
        }
        Err(error) => return Err(failed(error)),
    };
    set_up(&connection).map_err(failed)?;
    Ok(connection)
}

fn is_cannot_open(error: &rusqlite::Error) -> bool {
    use rusqlite::ErrorCode::{CannotOpen, ReadOnly, SystemIoFailure};
    matches!(error.sqlite_error_code(), Some(CannotOpen | ReadOnly | SystemIoFailure))
}

/// Opens an existing database for writing: write-ahead log, each commit on disk before it returns.
fn open_to_write(path: &Path) -> Result<Connection, StoreError> {
    let failed = |error| StoreError::of_sqlite(path, "open", error);
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let mut connection = Connection::open_with_flags(path, flags).map_err(failed)?;
    set_up(&connection).map_err(failed)?;
    connection.set_transaction_behavior(TransactionBehavior::Immediate);
    let mode: String =
        connection.query_row("PRAGMA journal_mode = WAL", [], |row| row.get(0)).map_err(failed)?;
    if mode != "wal" {
        tracing::warn!(path = %path.display(), %mode, "the file system has no write-ahead log");
    }
    connection.pragma_update(None, "synchronous", "FULL").map_err(failed)?;
    Ok(connection)
}

/// What both sides want: patience, and no trust in what a foreign file's schema may call.
fn set_up(connection: &Connection) -> Result<(), rusqlite::Error> {
    connection.busy_timeout(BUSY_TIMEOUT)?;
    connection.pragma_update(None, "foreign_keys", "ON")?;
    connection.pragma_update(None, "trusted_schema", "OFF")?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_VIEW, false)?;
    connection.pragma_update(None, "cell_size_check", "ON")
}
