//! Our own tables. Only this program writes them, so a value that cannot be read is damage.

use std::str::FromStr;

use kitbag_types::{
    Action, CapabilityId, Digest, HistoryEntry, HistoryEvent, Kind, OperationId, ScanReport,
    Timestamp,
};
use rusqlite::types::Type;
use rusqlite::{Connection, OptionalExtension as _, Row, params};
use serde::de::DeserializeOwned;

use crate::{JournalEntry, KeptVersion, PackageRow};

/// The columns of a package, in both tables that have them.
const PACKAGE: &str =
    "digest, files, bytes, listing, commit_id, subpath, git_ref, promoted_at, previous";
const PACKAGE_COLUMNS: usize = 9;

pub(super) fn package(
    connection: &Connection,
    kind: Kind,
    id: &CapabilityId,
) -> Result<Option<PackageRow>, rusqlite::Error> {
    connection
        .prepare_cached(&format!("SELECT {PACKAGE} FROM packages WHERE kind = ?1 AND id = ?2"))?
        .query_row([kind.as_str(), id.as_str()], read_package)
        .optional()
}

pub(super) fn packages(
    connection: &Connection,
) -> Result<Vec<(Kind, CapabilityId, PackageRow)>, rusqlite::Error> {
    connection
        .prepare_cached(&format!("SELECT {PACKAGE}, kind, id FROM packages ORDER BY kind, id"))?
        .query_map([], |row| {
            let package = read_package(row)?;
            Ok((parsed(row, PACKAGE_COLUMNS)?, parsed(row, PACKAGE_COLUMNS + 1)?, package))
        })?
        .collect()
}

pub(super) fn put_package(
    connection: &Connection,
    kind: Kind,
    id: &CapabilityId,
    package: &PackageRow,
) -> Result<(), rusqlite::Error> {
    connection
        .prepare_cached(&format!(
            "INSERT OR REPLACE INTO packages (kind, id, {PACKAGE})
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)"
        ))?
        .execute(params![
            kind.as_str(),
            id.as_str(),
            package.digest.to_string(),
            package.files,
            package.bytes,
            package.listing,
            package.commit,
            package.subpath,
            package.git_ref,
            package.promoted_at.to_string(),
            package.previous.map(|digest| digest.to_string()),
        ])
        .map(|_| ())
}

fn read_package(row: &Row<'_>) -> Result<PackageRow, rusqlite::Error> {
    Ok(PackageRow {
        digest: parsed(row, 0)?,
        files: row.get(1)?,
        bytes: row.get(2)?,
        listing: row.get(3)?,
        commit: row.get(4)?,
        subpath: row.get(5)?,
        git_ref: row.get(6)?,
        promoted_at: parsed(row, 7)?,
        previous: parsed_or_null(row, 8)?,
    })
}

pub(super) fn kept(
    connection: &Connection,
    id: &CapabilityId,
) -> Result<Vec<KeptVersion>, rusqlite::Error> {
    connection
        .prepare_cached(&format!(
            "SELECT {PACKAGE}, kind, id, record, kept_at, edited FROM versions WHERE id = ?1
             ORDER BY number DESC"
        ))?
        .query_map([id.as_str()], read_kept)?
        .collect()
}

pub(super) fn all_kept(connection: &Connection) -> Result<Vec<KeptVersion>, rusqlite::Error> {
    connection
        .prepare_cached(&format!(
            "SELECT {PACKAGE}, kind, id, record, kept_at, edited FROM versions
             ORDER BY kind, id, number DESC"
        ))?
        .query_map([], read_kept)?
        .collect()
}

fn read_kept(row: &Row<'_>) -> Result<KeptVersion, rusqlite::Error> {
    Ok(KeptVersion {
        kind: parsed(row, PACKAGE_COLUMNS)?,
        id: parsed(row, PACKAGE_COLUMNS + 1)?,
        record: json(row, PACKAGE_COLUMNS + 2)?,
        package: read_package(row)?,
        kept_at: parsed(row, PACKAGE_COLUMNS + 3)?,
        edited: row.get(PACKAGE_COLUMNS + 4)?,
    })
}

pub(super) fn kept_digests(connection: &Connection) -> Result<Vec<Digest>, rusqlite::Error> {
    connection
        .prepare_cached("SELECT DISTINCT digest FROM versions ORDER BY digest")?
        .query_map([], |row| parsed(row, 0))?
        .collect()
}

/// A version that is kept again becomes the newest.
pub(super) fn keep(connection: &Connection, kept: &KeptVersion) -> Result<(), rusqlite::Error> {
    let package = &kept.package;
    connection
        .prepare_cached(&format!(
            "INSERT OR REPLACE INTO versions (kind, id, {PACKAGE}, record, kept_at, edited)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14)"
        ))?
        .execute(params![
            kept.kind.as_str(),
            kept.id.as_str(),
            package.digest.to_string(),
            package.files,
            package.bytes,
            package.listing,
            package.commit,
            package.subpath,
            package.git_ref,
            package.promoted_at.to_string(),
            package.previous.map(|digest| digest.to_string()),
            to_json(&kept.record)?,
            kept.kept_at.to_string(),
            kept.edited,
        ])
        .map(|_| ())
}

pub(super) fn scan(
    connection: &Connection,
    digest: &Digest,
    kind: Kind,
) -> Result<Option<ScanReport>, rusqlite::Error> {
    connection
        .prepare_cached(
            "SELECT report FROM scan_results WHERE digest = ?1 AND kind = ?2
             ORDER BY number DESC LIMIT 1",
        )?
        .query_row([digest.to_string().as_str(), kind.as_str()], |row| json(row, 0))
        .optional()
}

pub(super) fn put_scan(
    connection: &Connection,
    digest: &Digest,
    kind: Kind,
    report: &ScanReport,
) -> Result<(), rusqlite::Error> {
    connection
        .prepare_cached(
            "INSERT OR REPLACE INTO scan_results (digest, rule_set, kind, report)
             VALUES (?1, ?2, ?3, ?4)",
        )?
        .execute(params![
            digest.to_string(),
            report.rule_set.to_string(),
            kind.as_str(),
            to_json(report)?
        ])
        .map(|_| ())
}

pub(super) fn history(
    connection: &Connection,
    id: Option<&str>,
) -> Result<Vec<HistoryEntry>, rusqlite::Error> {
    connection
        .prepare_cached(
            "SELECT seq, event, previous, hash FROM history
             WHERE ?1 IS NULL OR capability = ?1 ORDER BY seq",
        )?
        .query_map([id], read_entry)?
        .collect()
}

fn read_entry(row: &Row<'_>) -> Result<HistoryEntry, rusqlite::Error> {
    Ok(HistoryEntry {
        seq: row.get(0)?,
        event: json(row, 1)?,
        previous: parsed_or_null(row, 2)?,
        hash: parsed(row, 3)?,
    })
}

pub(super) fn first_broken_link(connection: &Connection) -> Result<Option<u64>, rusqlite::Error> {
    let mut statement =
        connection.prepare_cached("SELECT seq, event, previous, hash FROM history ORDER BY seq")?;
    let mut rows = statement.query([])?;
    let mut previous = None;
    let mut expected_seq = 1;
    while let Some(row) = rows.next()? {
        let Ok(entry) = read_entry(row) else { return Ok(Some(expected_seq)) };
        let hash = HistoryEntry::expected_hash(entry.seq, entry.previous, &entry.event);
        if entry.seq != expected_seq || entry.previous != previous || hash != Ok(entry.hash) {
            return Ok(Some(expected_seq));
        }
        previous = Some(entry.hash);
        expected_seq += 1;
    }
    let last = previous.map(|hash| (expected_seq - 1, hash));
    // Entries that were cut off leave a head that nothing leads to.
    Ok((last != recorded_head(connection)?).then_some(expected_seq))
}

/// Returns the number and the hash of the last entry.
pub(super) fn history_head(
    connection: &Connection,
) -> Result<Option<(u64, Digest)>, rusqlite::Error> {
    connection
        .prepare_cached("SELECT seq, hash FROM history ORDER BY seq DESC LIMIT 1")?
        .query_row([], |row| Ok((row.get::<_, u64>(0)?, parsed::<Digest>(row, 1)?)))
        .optional()
}

fn recorded_head(connection: &Connection) -> Result<Option<(u64, Digest)>, rusqlite::Error> {
    connection
        .prepare_cached("SELECT seq, hash FROM history_head")?
        .query_row([], |row| Ok((row.get::<_, u64>(0)?, parsed::<Digest>(row, 1)?)))
        .optional()
}

/// Appends an event. An entry before it that was damaged is chained to all the same: the break
/// stays where it is, for `first_broken_link` to find.
pub(super) fn append(connection: &Connection, event: HistoryEvent) -> Result<(), rusqlite::Error> {
    // From the recorded end where the entries end before it: a break that was made stays one.
    let last = history_head(connection)?.max(recorded_head(connection)?);
    let (seq, previous) = match last {
        Some((seq, hash)) => (seq + 1, Some(hash)),
        None => (1, None),
    };
    let entry = HistoryEntry::chain(seq, previous, event)
        .map_err(|error| rusqlite::Error::ToSqlConversionFailure(Box::new(error)))?;
    connection
        .prepare_cached("INSERT INTO history (seq, event, previous, hash) VALUES (?1, ?2, ?3, ?4)")?
        .execute(params![
            entry.seq,
            to_json(&entry.event)?,
            entry.previous.map(|digest| digest.to_string()),
            entry.hash.to_string(),
        ])?;
    connection
        .prepare_cached("INSERT OR REPLACE INTO history_head VALUES (1, ?1, ?2)")?
        .execute(params![entry.seq, entry.hash.to_string()])
        .map(|_| ())
}

pub(super) fn open_journal(connection: &Connection) -> Result<Vec<JournalEntry>, rusqlite::Error> {
    connection
        .prepare_cached(
            "SELECT operation, action, kind, id, before, after, opened_at, principal
             FROM journal ORDER BY operation",
        )?
        .query_map([], |row| {
            Ok(JournalEntry {
                operation: parsed::<OperationId>(row, 0)?,
                action: parsed::<Action>(row, 1)?,
                kind: parsed(row, 2)?,
                id: parsed(row, 3)?,
                before: parsed_or_null(row, 4)?,
                after: parsed_or_null(row, 5)?,
                opened_at: parsed::<Timestamp>(row, 6)?,
                principal: json(row, 7)?,
            })
        })?
        .collect()
}

pub(super) fn put_journal(
    connection: &Connection,
    entry: &JournalEntry,
) -> Result<(), rusqlite::Error> {
    connection
        .prepare_cached("INSERT INTO journal VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)")?
        .execute(params![
            entry.operation.to_string(),
            entry.action.as_str(),
            entry.kind.as_str(),
            entry.id.as_str(),
            entry.before.map(|digest| digest.to_string()),
            entry.after.map(|digest| digest.to_string()),
            entry.opened_at.to_string(),
            to_json(&entry.principal)?,
        ])
        .map(|_| ())
}

pub(super) fn parsed<T>(row: &Row<'_>, at: usize) -> Result<T, rusqlite::Error>
where
    T: FromStr<Err: std::error::Error + Send + Sync + 'static>,
{
    row.get::<_, String>(at)?.parse().map_err(|error| unreadable(at, error))
}

pub(super) fn parsed_or_null<T>(row: &Row<'_>, at: usize) -> Result<Option<T>, rusqlite::Error>
where
    T: FromStr<Err: std::error::Error + Send + Sync + 'static>,
{
    let text: Option<String> = row.get(at)?;
    text.map(|text| text.parse().map_err(|error| unreadable(at, error))).transpose()
}

fn json<T: DeserializeOwned>(row: &Row<'_>, at: usize) -> Result<T, rusqlite::Error> {
    serde_json::from_str(&row.get::<_, String>(at)?).map_err(|error| unreadable(at, error))
}

fn to_json(value: &impl serde::Serialize) -> Result<String, rusqlite::Error> {
    serde_json::to_string(value)
        .map_err(|error| rusqlite::Error::ToSqlConversionFailure(Box::new(error)))
}

fn unreadable(at: usize, error: impl std::error::Error + Send + Sync + 'static) -> rusqlite::Error {
    rusqlite::Error::FromSqlConversionFailure(at, Type::Text, Box::new(error))
}
