//! What a database may hold beside rows: nothing of it may act.
//!
//! A trigger runs with whatever statement touches its table, and a view answers in the place of a
//! table, so either would make the database say or do what no operation asked for. Other tables of
//! other programs are none of our business: no statement of ours reads or writes them.

use kitbag_types::printable;
use rusqlite::{Connection, OptionalExtension as _};

use super::migrate::MIGRATIONS;

/// The tables that statements of ours name, SIM-ONE's first.
const TABLES: [&str; 10] = [
    "capabilities",
    "history",
    "history_head",
    "journal",
    "match_key",
    "packages",
    "scan_results",
    "schema_migrations",
    "suppressions",
    "versions",
];

/// Tells what of a database's schema would act, or stand in the place of one of our tables.
pub(super) fn strange(connection: &Connection) -> Result<Option<String>, rusqlite::Error> {
    let mut statement = connection.prepare_cached(
        "SELECT type, name, lower(tbl_name), coalesce(sql, '') FROM sqlite_schema ORDER BY rowid",
    )?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        let (kind, name): (String, String) = (row.get(0)?, row.get(1)?);
        let (table, sql): (String, String) = (row.get(2)?, row.get(3)?);
        if !TABLES.contains(&table.as_str()) {
            continue;
        }
        let name = printable(&name);
        match kind.as_str() {
            "table" if is_virtual(&sql) => {
                return Ok(Some(format!("its table `{name}` is a virtual one")));
            }
            "view" => return Ok(Some(format!("its `{name}` is a view, not a table"))),
            "trigger" if !is_ours(&sql) => {
                return Ok(Some(format!(
                    "it has a trigger `{name}`, which would run by itself; if it is yours, drop it"
                )));
            }
            _ => {}
        }
    }
    Ok(None)
}

/// Returns the first table that bears the name of one of ours.
pub(super) fn own_table(connection: &Connection) -> Result<Option<String>, rusqlite::Error> {
    let names = TABLES[1..].iter().map(|name| format!("'{name}'")).collect::<Vec<_>>().join(", ");
    connection
        .prepare_cached(&format!(
            "SELECT name FROM sqlite_schema WHERE type IN ('table', 'view')
               AND lower(name) IN ({names}) ORDER BY name LIMIT 1"
        ))?
        .query_row([], |row| row.get(0))
        .optional()
}

/// SQLite keeps the text of a trigger as it was written.
fn is_ours(sql: &str) -> bool {
    !sql.is_empty() && MIGRATIONS.iter().any(|script| script.contains(sql))
}

fn is_virtual(sql: &str) -> bool {
    let mut words = sql.split_ascii_whitespace().map(str::to_ascii_lowercase);
    words.next().as_deref() == Some("create") && words.next().as_deref() == Some("virtual")
}
