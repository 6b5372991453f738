//! A folder with a database, and the plain data that goes into it.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use kitbag_store::{PackageRow, Registry as _, SqliteRegistry};
use kitbag_types::{
    Action, CapabilityId, CapabilityRecord, Digest, HistoryEvent, Kind, OperationId, Principal,
    StoredSource, Timestamp,
};
use tempfile::TempDir;

/// More than any other test's transaction takes, on any machine.
pub(crate) const PATIENCE: Duration = Duration::from_secs(60);

pub(crate) struct World {
    pub(crate) folder: TempDir,
}

impl World {
    pub(crate) fn new() -> Self {
        Self { folder: TempDir::new().expect("a temporary folder") }
    }

    /// A world whose database is the output of a script.
    pub(crate) fn of(script: &str) -> Self {
        let world = Self::new();
        world.sqlite3(script);
        world
    }

    /// A world whose database this program made, with one record.
    pub(crate) fn ours() -> Self {
        let world = Self::new();
        world.add("one");
        world
    }

    pub(crate) fn path(&self) -> PathBuf {
        self.folder.path().join("capabilities.sqlite")
    }

    pub(crate) fn open(&self) -> SqliteRegistry {
        SqliteRegistry::open(&self.path()).expect("opens")
    }

    pub(crate) fn add(&self, id: &str) {
        let registry = self.open();
        let mut writer = registry.write(PATIENCE).expect("writable");
        writer.apply(&[kitbag_store::Change::Insert(record(id))]).expect("inserted");
    }

    /// Runs SQL by the command that everybody has.
    pub(crate) fn sqlite3(&self, script: &str) -> String {
        sqlite3(&self.path(), script)
    }

    /// Every file of the folder with its bytes, but for the lock.
    pub(crate) fn files(&self) -> Vec<(String, Vec<u8>)> {
        let mut files: Vec<_> = fs_err::read_dir(self.folder.path())
            .expect("listed")
            .map(|entry| entry.expect("an entry"))
            .map(|entry| {
                let name = entry.file_name().to_string_lossy().into_owned();
                (name, fs_err::read(entry.path()).expect("read"))
            })
            .filter(|(name, _)| !name.ends_with(".lock"))
            .collect();
        files.sort();
        files
    }
}

pub(crate) fn sqlite3(path: &Path, script: &str) -> String {
    let output =
        Command::new("sqlite3").arg(path).arg(script).output().expect("sqlite3 is installed");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).into_owned()
}

pub(crate) fn fixture(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/compat").join(name);
    fs_err::read_to_string(path).expect("a fixture")
}

pub(crate) fn at(millis: i64) -> Timestamp {
    Timestamp::from_millis(1_790_000_000_000 + millis)
}

pub(crate) fn id(text: &str) -> CapabilityId {
    CapabilityId::new(text).expect("an id")
}

pub(crate) fn record(text: &str) -> CapabilityRecord {
    CapabilityRecord {
        id: id(text),
        kind: Kind::Skill,
        name: format!("The skill {text}"),
        description: "Does one thing.\nAnd says so: é 技 😀 'quoted' \"twice\".".to_owned(),
        source: StoredSource::Local,
        source_ref: "projects/one".to_owned(),
        version: Some("1.0".to_owned()),
        enabled: true,
        config: serde_json::from_str(r#"{"b": [1, null, "x"], "a": {"é": true}}"#).expect("JSON"),
        installed_at: at(0),
        updated_at: at(1),
        installed_by: "cli".to_owned(),
    }
}

pub(crate) fn digest(text: &str) -> Digest {
    Digest::of_bytes(text.as_bytes())
}

pub(crate) fn package(text: &str) -> PackageRow {
    PackageRow {
        digest: digest(text),
        files: 3,
        bytes: 1 << 40,
        listing: "[]".to_owned(),
        commit: Some("0123abc".to_owned()),
        subpath: Some("skills/one".to_owned()),
        git_ref: None,
        promoted_at: at(2),
        previous: Some(digest("before")),
    }
}

pub(crate) fn event(id: &str) -> HistoryEvent {
    HistoryEvent {
        at: at(3),
        principal: person(),
        action: Action::Add,
        kind: "skill".to_owned(),
        id: id.to_owned(),
        operation: operation(7).to_string(),
        before: None,
        after: Some(digest("after")),
        enabled: true,
        note: Some("first".to_owned()),
    }
}

pub(crate) fn person() -> Principal {
    Principal::Cli { user: "ada".to_owned() }
}

pub(crate) fn operation(random: u128) -> OperationId {
    OperationId::new(at(0), random)
}
