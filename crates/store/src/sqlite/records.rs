//! Rows of table `capabilities`, read with tolerance: SIM-ONE's table has no constraints, so any
//! column may hold anything.

use kitbag_types::{
    BrokenRecord, CapabilityId, CapabilityRecord, Code, Kind, RecordProblem, StoredSource,
    Timestamp,
};
use rusqlite::types::ValueRef;
use rusqlite::{Connection, OptionalExtension as _, Row, params};
use serde_json::{Map, Value};

use crate::StoredRecord;

const SELECT: &str = "SELECT id, kind, name, description, source, source_ref, version, enabled,
    config_json, installed_at, updated_at, installed_by FROM capabilities";

pub(super) fn list(connection: &Connection) -> Result<Vec<StoredRecord>, rusqlite::Error> {
    let mut statement = connection.prepare_cached(&format!("{SELECT} ORDER BY kind, id"))?;
    statement.query_map([], |row| Ok(read(row)))?.collect()
}

pub(super) fn ids(connection: &Connection) -> Result<Vec<String>, rusqlite::Error> {
    let mut statement = connection.prepare_cached("SELECT id FROM capabilities")?;
    statement.query_map([], |row| Ok(shown(&row.get_ref(0))))?.collect()
}

pub(super) fn find(
    connection: &Connection,
    id: &str,
) -> Result<Option<StoredRecord>, rusqlite::Error> {
    let mut statement = connection.prepare_cached(&format!("{SELECT} WHERE id = ?1"))?;
    statement.query_row([id], |row| Ok(read(row))).optional()
}

/// Inserts a record, or replaces the one of its kind and id.
pub(super) fn put(
    connection: &Connection,
    record: &CapabilityRecord,
) -> Result<(), rusqlite::Error> {
    connection
        .prepare_cached(
            "INSERT INTO capabilities (id, kind, name, description, source, source_ref, version,
                enabled, config_json, installed_at, updated_at, installed_by)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)
             ON CONFLICT (kind, id) DO UPDATE SET name = ?3, description = ?4, source = ?5,
                source_ref = ?6, version = ?7, enabled = ?8, config_json = ?9, installed_at = ?10,
                updated_at = ?11, installed_by = ?12",
        )?
        .execute(params![
            record.id.as_str(),
            record.kind.as_str(),
            record.name,
            record.description,
            record.source.as_str(),
            record.source_ref,
            record.version,
            record.enabled,
            Value::Object(record.config.clone()).to_string(),
            record.installed_at.to_string(),
            record.updated_at.to_string(),
            record.installed_by,
        ])
        .map(|_| ())
}

/// Reads one row. What breaks a rule is told column by column.
fn read(row: &Row<'_>) -> StoredRecord {
    let mut problems = Problems(Vec::new());
    let shown = |column| shown(&row.get_ref(column));
    let kind = problems.word::<Kind>(row, 1, "kind", Code::RecordBadKind);
    let id = problems.text(row, 0, "id", Code::RecordBadId).and_then(|text| {
        let id = match kind {
            Some(kind) => CapabilityId::for_kind(text, kind),
            None => CapabilityId::new(text),
        };
        problems.keep(id, "id", Code::RecordBadId)
    });
    let name = problems.text(row, 2, "name", Code::RecordBadName);
    if let Some(name) = name {
        problems.limit(name, "name", CapabilityRecord::MAX_NAME_CHARS, Code::RecordBadName);
        if name.contains(char::is_control) {
            problems.add::<()>(
                "name",
                Code::RecordBadName,
                "it holds a control character".to_owned(),
            );
        }
    }
    let description = problems.text(row, 3, "description", Code::RecordBadDescription);
    if let Some(description) = description {
        let most = CapabilityRecord::MAX_DESCRIPTION_CHARS;
        problems.limit(description, "description", most, Code::RecordBadDescription);
    }
    let source = problems.word::<StoredSource>(row, 4, "source", Code::RecordBadSource);
    let source_ref = problems.text(row, 5, "source_ref", Code::RecordBadSourceRef);
    let version = match row.get_ref(6) {
        Ok(ValueRef::Null) => None,
        _ => problems.text(row, 6, "version", Code::RecordBadText),
    };
    let enabled = match row.get_ref(7) {
        Ok(ValueRef::Integer(0)) => Some(false),
        Ok(ValueRef::Integer(1)) => Some(true),
        _ => {
            problems.add("enabled", Code::RecordBadEnabled, format!("`{}` is not 0 or 1", shown(7)))
        }
    };
    let config = problems.text(row, 8, "config_json", Code::RecordBadConfig).and_then(|text| {
        problems.keep(
            serde_json::from_str::<Map<String, Value>>(text),
            "config_json",
            Code::RecordBadConfig,
        )
    });
    let installed_at = problems.word::<Timestamp>(row, 9, "installed_at", Code::RecordBadTime);
    let updated_at = problems.word::<Timestamp>(row, 10, "updated_at", Code::RecordBadTime);
    let installed_by = problems.text(row, 11, "installed_by", Code::RecordBadText);
    let sound = || {
        Some(CapabilityRecord {
            id: id?,
            kind: kind?,
            name: name?.to_owned(),
            description: description?.to_owned(),
            source: source?,
            source_ref: source_ref?.to_owned(),
            version: version.map(str::to_owned),
            enabled: enabled?,
            config: config?,
            installed_at: installed_at?,
            updated_at: updated_at?,
            installed_by: installed_by?.to_owned(),
        })
    };
    match sound() {
        Some(record) if problems.0.is_empty() => StoredRecord::Sound(record),
        _ => StoredRecord::Broken(BrokenRecord {
            id: shown(0),
            kind: shown(1),
            name: shown(2),
            problems: problems.0,
        }),
    }
}

/// Returns a stored value as text, whatever its type.
fn shown(value: &Result<ValueRef<'_>, rusqlite::Error>) -> String {
    match value {
        Ok(ValueRef::Text(bytes) | ValueRef::Blob(bytes)) => {
            String::from_utf8_lossy(bytes).into_owned()
        }
        Ok(ValueRef::Integer(number)) => number.to_string(),
        Ok(ValueRef::Real(number)) => number.to_string(),
        Ok(ValueRef::Null) | Err(_) => String::new(),
    }
}

struct Problems(Vec<RecordProblem>);

impl Problems {
    fn add<T>(&mut self, column: &str, code: Code, message: String) -> Option<T> {
        self.0.push(RecordProblem::new(code, column, message));
        None
    }

    fn keep<T, E: std::fmt::Display>(
        &mut self,
        value: Result<T, E>,
        column: &str,
        code: Code,
    ) -> Option<T> {
        match value {
            Ok(value) => Some(value),
            Err(error) => self.add(column, code, error.to_string()),
        }
    }

    fn text<'r>(
        &mut self,
        row: &'r Row<'_>,
        at: usize,
        column: &str,
        code: Code,
    ) -> Option<&'r str> {
        match row.get_ref(at) {
            Ok(ValueRef::Text(bytes)) => match std::str::from_utf8(bytes) {
                Ok(text) if text.contains('\0') => {
                    self.add(column, code, "it holds a NUL".to_owned())
                }
                Ok(text) => Some(text),
                Err(_) => self.add(column, code, "it is not UTF-8".to_owned()),
            },
            Ok(other) => {
                let kind = other.data_type().to_string().to_lowercase();
                self.add(column, code, format!("it is not text but {kind}"))
            }
            Err(error) => self.add(column, code, error.to_string()),
        }
    }

    fn word<T: std::str::FromStr<Err: std::fmt::Display>>(
        &mut self,
        row: &Row<'_>,
        at: usize,
        column: &str,
        code: Code,
    ) -> Option<T> {
        let text = self.text(row, at, column, code)?;
        self.keep(text.parse(), column, code)
    }

    fn limit(&mut self, text: &str, column: &str, most: usize, code: Code) {
        let count = text.chars().count();
        if count == 0 || count > most {
            let message = format!("it has {count} characters, and 1 to {most} are allowed");
            self.0.push(RecordProblem::new(code, column, message));
        }
    }
}
