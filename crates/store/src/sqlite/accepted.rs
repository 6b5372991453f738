//! What a person accepted, and the key that recognises it.

use kitbag_types::{Suppression, Timestamp};
use rusqlite::{Connection, OptionalExtension as _, params};

use super::own::{parsed, parsed_or_null};
use crate::{AcceptedRow, StoredKey};

pub(super) fn key(connection: &Connection) -> Result<Option<StoredKey>, rusqlite::Error> {
    connection
        .prepare_cached("SELECT key FROM match_key")?
        .query_row([], |row| row.get(0).map(StoredKey::of))
        .optional()
}

/// Keeps a key, unless there is one: hashes that were shown stay what they were.
pub(super) fn put_key(connection: &Connection, key: &StoredKey) -> Result<(), rusqlite::Error> {
    connection
        .prepare_cached("INSERT OR IGNORE INTO match_key VALUES (1, ?1)")?
        .execute([key.bytes()])
        .map(|_| ())
}

pub(super) fn all(connection: &Connection) -> Result<Vec<AcceptedRow>, rusqlite::Error> {
    connection
        .prepare_cached(
            "SELECT number, rule, file, match_hash, package, reason, accepted_by, accepted_at,
               expires_at, withdrawn_at, withdrawn_by
             FROM suppressions ORDER BY number",
        )?
        .query_map([], |row| {
            Ok(AcceptedRow {
                number: row.get(0)?,
                suppression: Suppression {
                    rule: row.get(1)?,
                    file: row.get(2)?,
                    match_hash: parsed(row, 3)?,
                    package: parsed_or_null(row, 4)?,
                    reason: row.get(5)?,
                    accepted_by: row.get(6)?,
                    accepted_at: parsed(row, 7)?,
                    expires_at: parsed_or_null(row, 8)?,
                },
                withdrawn_at: parsed_or_null(row, 9)?,
                withdrawn_by: row.get(10)?,
            })
        })?
        .collect()
}

pub(super) fn put(connection: &Connection, yes: &Suppression) -> Result<(), rusqlite::Error> {
    connection
        .prepare_cached(
            "INSERT INTO suppressions (rule, file, match_hash, package, reason, accepted_by,
               accepted_at, expires_at)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
        )?
        .execute(params![
            yes.rule,
            yes.file,
            yes.match_hash.as_str(),
            yes.package.map(|digest| digest.to_string()),
            yes.reason,
            yes.accepted_by,
            yes.accepted_at.to_string(),
            yes.expires_at.map(|at| at.to_string()),
        ])
        .map(|_| ())
}

/// Fills in that a row was withdrawn, and tells whether there was one to fill in.
pub(super) fn withdraw(
    connection: &Connection,
    number: u64,
    at: Timestamp,
    by: &str,
) -> Result<bool, rusqlite::Error> {
    connection
        .prepare_cached(
            "UPDATE suppressions SET withdrawn_at = ?2, withdrawn_by = ?3
             WHERE number = ?1 AND withdrawn_at IS NULL",
        )?
        .execute(params![number, at.to_string(), by])
        .map(|rows| rows == 1)
}
