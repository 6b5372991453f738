//! Files that are not a database of ours: refused by the right code, and not a byte is changed.

use std::os::unix::fs::PermissionsExt as _;

use kitbag_store::{Registry as _, SqliteRegistry};
use kitbag_types::{Code, Coded as _};

use crate::support::{PATIENCE, World, fixture, record};

/// Both ways to a database must refuse it: opening, and writing with a registry that was opened
/// before the file came to be what it is.
#[track_caller]
fn check(world: &World, code: Code, says: &str) {
    let before = bytes(world);
    let error = SqliteRegistry::open(&world.path()).expect_err("refused");
    assert_eq!(error.code(), code, "{error}");
    assert!(error.to_string().contains(says), "`{error}` does not say `{says}`");
    let elsewhere = World::new();
    let early = SqliteRegistry::open(&elsewhere.path()).expect("nothing is there yet");
    fs_err::copy(world.path(), elsewhere.path()).expect("copied");
    let untouched = bytes(&elsewhere);
    assert_eq!(early.write(PATIENCE).err().map(|error| error.code()), Some(code));
    assert_eq!(bytes(&elsewhere), untouched);
    assert_eq!(bytes(world), before);
}

/// Every file that holds something. Whoever reads a database with a write-ahead log makes an empty
/// one, and an index of it.
fn bytes(world: &World) -> Vec<(String, Vec<u8>)> {
    let mut files = world.files();
    files.retain(|(name, bytes)| {
        let is_empty_log = name.ends_with("-wal") && bytes.is_empty();
        !name.ends_with("-shm") && !is_empty_log
    });
    files
}

fn with_bytes(bytes: &[u8]) -> World {
    let world = World::new();
    fs_err::write(world.path(), bytes).expect("written");
    world
}

/// The bytes of a sound database with a few hundred rows: some dozen pages.
fn sound() -> Vec<u8> {
    let world = World::of(&fixture("simone.sql"));
    world.sqlite3(
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 300)
         INSERT INTO capabilities SELECT 'c' || i, 'skill', 'n', printf('%0200d', i), 'local', 'x',
           NULL, 0, '{}', '2026-01-01T00:00:00.000Z', '2026-01-01T00:00:00.000Z', 'cli' FROM n",
    );
    fs_err::read(world.path()).expect("read")
}

#[test]
fn empty() {
    check(&with_bytes(b""), Code::StoreDamaged, "it is empty");
}

#[test]
fn text_instead_of_a_database() {
    check(
        &with_bytes("not a database\n".repeat(30).as_bytes()),
        Code::StoreDamaged,
        "not an SQLite",
    );
    check(&with_bytes(b"short"), Code::StoreDamaged, "5 bytes");
}

#[test]
fn truncated_anywhere() {
    let bytes = sound();
    for keep in [50, 100, 4096, 4097, bytes.len() / 2, bytes.len() - 1] {
        let says = if keep < 100 { "less than a header" } else { "truncated" };
        check(&with_bytes(&bytes[..keep]), Code::StoreDamaged, says);
    }
}

#[test]
fn zeroed() {
    let bytes = sound();
    check(&with_bytes(&vec![0; bytes.len()]), Code::StoreDamaged, "zeros");
    let mut headless = bytes.clone();
    headless[..4096].fill(0);
    check(&with_bytes(&headless), Code::StoreDamaged, "zeros");
}

/// A page in the middle is only met by what reads it, so opening succeeds; nothing is written.
#[test]
fn a_zeroed_page_in_the_middle_is_found_before_anything_is_written() {
    let mut bytes = sound();
    let middle = bytes.len() / 2 / 4096 * 4096;
    bytes[middle..middle + 4096].fill(0);
    let world = with_bytes(&bytes);
    let registry = world.open();
    assert_eq!(registry.list().map_err(|error| error.code()), Err(Code::StoreDamaged));
    let refused = registry.write(PATIENCE).err().map(|error| error.code());
    assert_eq!(refused, Some(Code::StoreDamaged));
    drop(registry);
    assert_eq!(world.files(), [("capabilities.sqlite".to_owned(), bytes)]);
}

#[test]
fn of_another_program() {
    let table = "CREATE TABLE t (a); INSERT INTO t VALUES (1);";
    check(&World::of(table), Code::StoreForeign, "no table `capabilities`");
    check(
        &World::of("CREATE TABLE capabilities (id TEXT, kind TEXT)"),
        Code::StoreForeign,
        "no column `config_json`",
    );
    let marked = format!("{} PRAGMA application_id = 77;", fixture("simone.sql"));
    check(&World::of(&marked), Code::StoreForeign, "application id");
    let versioned = format!("{} PRAGMA user_version = 1;", fixture("simone.sql"));
    check(&World::of(&versioned), Code::StoreForeign, "do not belong together");
    let taken = format!("{} CREATE TABLE history (a);", fixture("simone.sql"));
    check(&World::of(&taken), Code::StoreForeign, "table `history`");
}

#[test]
fn of_a_newer_version() {
    let world = World::ours();
    world.sqlite3("PRAGMA wal_checkpoint; PRAGMA journal_mode = DELETE; PRAGMA user_version = 2;");
    check(&world, Code::StoreNewer, "schema version 2, and this program knows versions up to 1");
}

#[test]
fn whose_migrations_are_not_ours() {
    let world = World::ours();
    world.sqlite3("UPDATE schema_migrations SET sha256 = 'sha256:00'");
    let refused = world.open().write(PATIENCE).err().map(|error| error.code());
    assert_eq!(refused, Some(Code::StoreForeign));
    assert_eq!(
        world.open().find("one").expect("readable"),
        Some(kitbag_store::StoredRecord::Sound(record("one")))
    );
}

#[test]
fn a_folder_where_the_database_belongs() {
    let world = World::new();
    fs_err::create_dir(world.path()).expect("made");
    let error = SqliteRegistry::open(&world.path()).expect_err("refused");
    assert_eq!(error.code(), Code::StoreForeign);
}

/// Adds something to the schema of a sound database of either layout, and expects it refused.
#[track_caller]
fn check_schema(script: &str, says: &str) {
    let ours = World::ours();
    ours.sqlite3(script);
    check(&ours, Code::StoreForeign, says);
}

#[test]
fn what_would_act_by_itself() {
    check_schema(
        "CREATE TRIGGER t AFTER INSERT ON history BEGIN UPDATE capabilities SET enabled = 1; END",
        "it has a trigger `t`",
    );
    check_schema(
        "DROP TRIGGER history_is_not_deleted;
         CREATE TRIGGER history_is_not_deleted BEFORE DELETE ON history BEGIN SELECT 1; END",
        "it has a trigger `history_is_not_deleted`",
    );
    check_schema(
        "CREATE TRIGGER t AFTER INSERT ON CAPABILITIES BEGIN DELETE FROM capabilities; END",
        "it has a trigger `t`",
    );
    let theirs = World::of(&fixture("simone.sql"));
    theirs.sqlite3("CREATE TRIGGER t AFTER UPDATE ON capabilities BEGIN SELECT 1; END");
    check(&theirs, Code::StoreForeign, "it has a trigger `t`");
}

#[test]
fn what_stands_in_the_place_of_a_table() {
    check_schema(
        "ALTER TABLE capabilities RENAME TO c0;
         CREATE VIEW capabilities AS WITH RECURSIVE c(x) AS
           (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT c0.* FROM c0, c",
        "its `capabilities` is a view",
    );
    check_schema(
        "DROP TABLE journal; CREATE VIRTUAL TABLE journal USING fts5(operation)",
        "its table `journal` is a virtual one",
    );
}

#[test]
fn what_belongs_to_other_programs_is_left_alone() {
    let world = World::ours();
    world.sqlite3(
        "CREATE TABLE notes (text TEXT); CREATE VIEW recent AS SELECT * FROM notes;
         CREATE TRIGGER n AFTER INSERT ON notes BEGIN DELETE FROM notes; END",
    );
    assert_eq!(world.open().list().expect("listed").len(), 1);
    world.add("two");
    assert_eq!(world.open().list().expect("listed").len(), 2);
}

fn fifo(path: &std::path::Path) {
    let mode = rustix::fs::Mode::RUSR | rustix::fs::Mode::WUSR;
    rustix::fs::mknodat(rustix::fs::CWD, path, rustix::fs::FileType::Fifo, mode, 0).expect("made");
}

#[test]
fn companions_that_are_no_files() {
    for suffix in ["-journal", "-wal", "-shm"] {
        let world = World::ours();
        let beside = world.folder.path().join(format!("capabilities.sqlite{suffix}"));
        let _ = fs_err::remove_file(&beside);
        fifo(&beside);
        let error = SqliteRegistry::open(&world.path()).expect_err("refused");
        assert_eq!(error.code(), Code::StoreForeign);
        assert!(error.to_string().contains(suffix), "{error}");
    }
}

#[test]
fn a_lock_that_is_no_file() {
    let lock = |world: &World| world.folder.path().join("capabilities.sqlite.lock");
    let with_fifo = World::new();
    fifo(&lock(&with_fifo));
    let with_link = World::new();
    let target = with_link.folder.path().join("elsewhere");
    fs_err::os::unix::fs::symlink(&target, lock(&with_link)).expect("linked");
    for world in [with_fifo, with_link] {
        let error = world.open().write(PATIENCE).err().expect("refused");
        assert_eq!(error.code(), Code::StoreIo);
        let cause = std::error::Error::source(&error).map(ToString::to_string);
        assert!(cause.is_some_and(|cause| cause.contains("not a regular file")), "{error}");
    }
    assert!(!target.exists());
}

#[test]
fn the_lock_is_its_owners_alone() {
    let world = World::new();
    let lock = world.folder.path().join("capabilities.sqlite.lock");
    fs_err::write(&lock, "").expect("written");
    fs_err::set_permissions(&lock, std::fs::Permissions::from_mode(0o644)).expect("set");
    world.add("one");
    let mode = fs_err::metadata(&lock).expect("there").permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
}
