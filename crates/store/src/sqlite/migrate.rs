//! Numbered migrations, and the check of what a database is.
//!
//! Both migration crates of the ecosystem are bound to an older SQLite binding; what we need of
//! them is this file (`docs/adr/0003-sqlite-and-own-migrations.md`).

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use kitbag_types::{Digest, printable};
use rusqlite::{Connection, OpenFlags};

use super::{Layout, file, open_to_write, schema};
use crate::StoreError;

/// `Kitb`: what `PRAGMA application_id` says of a database with our tables.
pub(super) const APPLICATION_ID: u32 = u32::from_be_bytes(*b"Kitb");

/// The schema version that this program writes, and the newest that it reads: what `PRAGMA
/// user_version` says.
pub const SCHEMA_VERSION: u32 = MIGRATIONS.len() as u32;

const SIM_ONE: &str = include_str!("../migrations/0000-capabilities.sql");

/// The migrations, the first bringing version 0 to version 1. A released one never changes: its
/// digest is recorded in every database.
pub(super) const MIGRATIONS: [&str; 1] = [include_str!("../migrations/0001-own-tables.sql")];

const SIM_ONE_COLUMNS: [&str; 12] = [
    "config_json",
    "description",
    "enabled",
    "id",
    "installed_at",
    "installed_by",
    "kind",
    "name",
    "source",
    "source_ref",
    "updated_at",
    "version",
];

/// The numbers in a database's header that say what it is and which schema it has. A connection
/// reads the schema anew only when its number changes, so what was found with it stays true.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Marks {
    application: u32,
    version: u32,
    schema: u32,
}

impl Marks {
    fn of(path: &Path, connection: &Connection) -> Result<Self, StoreError> {
        let number = |pragma: &str| -> Result<u32, rusqlite::Error> {
            connection.prepare_cached(pragma)?.query_row([], |row| row.get(0))
        };
        let marks = || {
            Ok(Self {
                application: number("PRAGMA application_id")?,
                version: number("PRAGMA user_version")?,
                schema: number("PRAGMA schema_version")?,
            })
        };
        marks().map_err(|error| StoreError::of_sqlite(path, "examine", error))
    }
}

/// As [`layout`], for a connection that asked before: examined again only if the marks changed.
pub(super) fn layout_again(
    path: &Path,
    connection: &Connection,
    examined: &mut Option<(Marks, Layout)>,
) -> Result<Layout, StoreError> {
    let marks = Marks::of(path, connection)?;
    match examined {
        Some((known, layout)) if *known == marks => Ok(*layout),
        _ => {
            let layout = layout(path, connection)?;
            *examined = Some((marks, layout));
            Ok(layout)
        }
    }
}

/// Tells whose tables an open database holds, or refuses it.
pub(super) fn layout(path: &Path, connection: &Connection) -> Result<Layout, StoreError> {
    let failed = |error| StoreError::of_sqlite(path, "examine", error);
    let Marks { application, version, .. } = Marks::of(path, connection)?;
    let foreign = |why: String| Err(StoreError::Foreign { path: path.to_owned(), why });
    if version > SCHEMA_VERSION {
        let (found, known) = (version, SCHEMA_VERSION);
        return Err(StoreError::Newer { path: path.to_owned(), found, known });
    }
    let columns = columns(connection).map_err(failed)?;
    if let Some(missing) = SIM_ONE_COLUMNS.iter().find(|&&column| !columns.contains(column)) {
        return foreign(if columns.is_empty() {
            "it has no table `capabilities`".to_owned()
        } else {
            format!("its table `capabilities` has no column `{missing}`")
        });
    }
    if let Some(why) = schema::strange(connection).map_err(failed)? {
        return foreign(why);
    }
    match (application, version) {
        (0, 0) => match schema::own_table(connection).map_err(failed)? {
            Some(table) => {
                foreign(format!("it has a table `{}` that is not ours", printable(&table)))
            }
            None => Ok(Layout::SimOne),
        },
        (APPLICATION_ID, 1..) => Ok(Layout::Own),
        _ => foreign(format!(
            "its application id {application:#010x} and version {version} do not belong together"
        )),
    }
}

fn columns(connection: &Connection) -> Result<BTreeSet<String>, rusqlite::Error> {
    let mut statement =
        connection.prepare_cached("SELECT name FROM pragma_table_info('capabilities')")?;
    statement.query_map([], |row| row.get(0))?.collect()
}

/// Whether the pages of a database were looked at.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Pages {
    Checked,
    Unknown,
}

/// Sees to it that a database of the current version is at `path`. The caller holds the lock.
pub(super) fn ensure(path: &Path, pages: Pages) -> Result<(), StoreError> {
    if let file::Found::Nothing = file::look(path)? {
        create(path)?;
    }
    let mut connection = open_to_examine(path)?;
    let failed = |error| StoreError::of_sqlite(path, "migrate", error);
    if pages == Pages::Unknown {
        check_pages(path, &connection)?;
    }
    if layout(path, &connection)? == Layout::Own {
        check_digests(path, &connection)?;
    }
    let version: u32 =
        connection.pragma_query_value(None, "user_version", |row| row.get(0)).map_err(failed)?;
    if version < SCHEMA_VERSION {
        drop(connection);
        connection = open_to_write(path)?;
        migrate(path, &mut connection)?;
    }
    Ok(())
}

/// Nothing is switched on that would write to a file that may have to be refused.
fn open_to_examine(path: &Path) -> Result<Connection, StoreError> {
    let failed = |error| StoreError::of_sqlite(path, "open", error);
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(path, flags).map_err(failed)?;
    super::set_up(&connection).map_err(failed)?;
    Ok(connection)
}

/// A damaged page is found before anything is written, not by the statement that meets it.
fn check_pages(path: &Path, connection: &Connection) -> Result<(), StoreError> {
    let verdict: String = connection
        .query_row("PRAGMA quick_check(1)", [], |row| row.get(0))
        .map_err(|error| StoreError::of_sqlite(path, "check", error))?;
    if verdict == "ok" {
        return Ok(());
    }
    Err(StoreError::Damaged { path: path.to_owned(), why: verdict })
}

/// Makes the database under another name and gives it its own when it is whole, so that no moment
/// shows a half-made one. Only the holder of the lock does this, so the other name is free.
fn create(path: &Path) -> Result<(), StoreError> {
    let mut making = path.as_os_str().to_owned();
    making.push(".new");
    let making = PathBuf::from(making);
    let failed = |source| StoreError::of_writing(path, "create", source);
    match fs_err::remove_file(&making) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(failed(error)),
        _ => {}
    }
    {
        let of_sqlite = |error| StoreError::of_sqlite(path, "create", error);
        let mut connection = Connection::open(&making).map_err(of_sqlite)?;
        super::set_up(&connection).map_err(of_sqlite)?;
        // No journal file that a later attempt would take for one of its own.
        let journal = connection.query_row("PRAGMA journal_mode = MEMORY", [], |_| Ok(()));
        journal.map_err(of_sqlite)?;
        connection.execute_batch(SIM_ONE).map_err(of_sqlite)?;
        migrate(path, &mut connection)?;
    }
    fs_err::File::open(&making).and_then(|file| file.sync_all()).map_err(failed)?;
    let cwd = rustix::fs::CWD;
    match rustix::fs::renameat_with(cwd, &making, cwd, path, rustix::fs::RenameFlags::NOREPLACE) {
        Ok(()) => {}
        // Somebody who does not know our lock made one meanwhile: theirs stands.
        Err(rustix::io::Errno::EXIST) => return fs_err::remove_file(&making).map_err(failed),
        Err(error) => return Err(failed(error.into())),
    }
    let folder = path.parent().unwrap_or(Path::new("."));
    fs_err::File::open(folder).and_then(|folder| folder.sync_all()).map_err(failed)
}

/// Applies every migration that is due, each in a transaction of its own.
fn migrate(path: &Path, connection: &mut Connection) -> Result<(), StoreError> {
    let failed = |error| StoreError::of_sqlite(path, "migrate", error);
    let version: u32 =
        connection.pragma_query_value(None, "user_version", |row| row.get(0)).map_err(failed)?;
    for (next, script) in (1..).zip(MIGRATIONS).skip(version as usize) {
        let transaction = connection.transaction().map_err(failed)?;
        transaction
            .execute_batch(
                "CREATE TABLE IF NOT EXISTS schema_migrations (
                   version INTEGER PRIMARY KEY, sha256 TEXT NOT NULL
                 ) STRICT",
            )
            .and_then(|()| transaction.execute_batch(script))
            .and_then(|()| {
                let digest = Digest::of_bytes(script.as_bytes()).to_string();
                transaction.execute("INSERT INTO schema_migrations VALUES (?1, ?2)", (next, digest))
            })
            .and_then(|_| transaction.pragma_update(None, "application_id", APPLICATION_ID))
            .and_then(|()| transaction.pragma_update(None, "user_version", next))
            .map_err(failed)?;
        transaction.commit().map_err(failed)?;
        tracing::info!(path = %path.display(), version = next, "migrated the registry database");
    }
    Ok(())
}

/// A database whose recorded migrations are not ours has tables that we do not know.
fn check_digests(path: &Path, connection: &Connection) -> Result<(), StoreError> {
    let applied: Vec<(u32, String)> = connection
        .prepare("SELECT version, sha256 FROM schema_migrations ORDER BY version")
        .and_then(|mut statement| {
            statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?.collect()
        })
        .map_err(|error| StoreError::of_sqlite(path, "examine", error))?;
    let known = (1..).zip(MIGRATIONS.map(|script| Digest::of_bytes(script.as_bytes()).to_string()));
    for ((version, found), (expected_version, expected)) in applied.iter().zip(known) {
        if (*version, found) != (expected_version, &expected) {
            return Err(StoreError::Foreign {
                path: path.to_owned(),
                why: format!("its migration {version} is not the one that this program knows"),
            });
        }
    }
    Ok(())
}
