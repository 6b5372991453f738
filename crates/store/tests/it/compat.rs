//! Databases that SIM-ONE or an earlier version wrote.

use kitbag_store::{Change, Registry as _, StoredRecord};
use kitbag_types::{CapabilityRecord, Kind, StoredSource};

use crate::support::{PATIENCE, World, event, fixture, id, package, record};

/// Each column of each row that was there before, as SQL literals.
const QUOTED: &str =
    "SELECT quote(id), quote(kind), quote(name), quote(description), quote(source),
    quote(source_ref), quote(version), quote(enabled), quote(config_json), quote(installed_at),
    quote(updated_at), quote(installed_by) FROM capabilities WHERE id <> 'new' ORDER BY rowid";

fn sound(records: &[StoredRecord]) -> Vec<&CapabilityRecord> {
    records
        .iter()
        .filter_map(|record| match record {
            StoredRecord::Sound(record) => Some(record),
            StoredRecord::Broken(_) => None,
        })
        .collect()
}

#[test]
fn a_database_of_simone_lists_as_it_is_and_reading_changes_no_byte() {
    let world = World::of(&fixture("simone.sql"));
    let before = world.files();
    let registry = world.open();
    let records = registry.list().expect("listed");
    let seen: Vec<_> = sound(&records)
        .iter()
        .map(|record| (record.id.as_str().to_owned(), record.kind, record.source, record.enabled))
        .collect();
    assert_eq!(
        seen,
        [
            ("docs".to_owned(), Kind::Mcp, StoredSource::Builtin, false),
            ("greeting".to_owned(), Kind::Skill, StoredSource::Local, true),
            ("echo".to_owned(), Kind::Tool, StoredSource::Github, true),
            ("helper".to_owned(), Kind::Worker, StoredSource::Npm, false),
        ]
    );
    assert_eq!(registry.package(Kind::Skill, &id("greeting")).expect("asked"), None);
    assert_eq!(registry.history(None).expect("asked"), []);
    assert_eq!(registry.open_journal().expect("asked"), []);
    assert_eq!(registry.first_broken_link().expect("asked"), None);
    drop(registry);
    assert_eq!(world.files(), before);
}

#[test]
fn each_rule_that_a_row_breaks_is_named_by_code_and_column() {
    let world = World::of(&fixture("simone.sql"));
    let mut lines = Vec::new();
    for record in world.open().list().expect("listed") {
        if let StoredRecord::Broken(broken) = record {
            for problem in broken.problems {
                lines.push(format!(
                    "{:?} {}: {}: {}",
                    broken.id, problem.column, problem.code, problem.message
                ));
            }
        }
    }
    insta::assert_snapshot!(lines.join("\n"));
}

#[test]
fn an_add_leaves_every_old_row_as_it_was() {
    let world = World::of(&fixture("simone.sql"));
    let before = world.sqlite3(QUOTED);
    assert_eq!(world.sqlite3("SELECT count(*) FROM capabilities"), "12\n");
    let registry = world.open();
    let changes = [
        Change::Insert(record("new")),
        Change::SetPackage { kind: Kind::Skill, id: id("new"), package: Box::new(package("new")) },
        Change::Record(event("new")),
    ];
    registry.write(PATIENCE).expect("writable").apply(&changes).expect("applied");
    assert_eq!(world.sqlite3(QUOTED), before);
    assert_eq!(world.sqlite3("PRAGMA integrity_check"), "ok\n");
    // The reader that was open before sees the new tables.
    assert_eq!(registry.package(Kind::Skill, &id("new")).expect("asked"), Some(package("new")));
    assert_eq!(registry.history(Some("new")).expect("asked").len(), 1);
}

#[test]
fn a_new_database_has_the_table_and_the_indexes_of_simone() {
    let schema = "SELECT sql FROM sqlite_schema WHERE tbl_name = 'capabilities' ORDER BY name";
    let theirs = World::of(&fixture("simone.sql"));
    assert_eq!(World::ours().sqlite3(schema), theirs.sqlite3(schema));
}

/// Golden: a released schema never changes. A new version gets a new file, and this test a line.
#[test]
fn the_schema_is_the_released_one() {
    let schema = World::ours().sqlite3(".dump");
    let released = World::of(&fixture("schema-v1.sql"));
    let shape =
        "SELECT type, name, sql FROM sqlite_schema WHERE name NOT LIKE 'sqlite_%' ORDER BY name";
    assert_eq!(World::of(&schema).sqlite3(shape), released.sqlite3(shape));
}

#[test]
fn a_database_of_schema_version_1_opens_with_everything_in_it() {
    let world = World::of(&fixture("schema-v1.sql"));
    let registry = world.open();
    assert_eq!(registry.find("one").expect("asked"), Some(StoredRecord::Sound(record("one"))));
    assert_eq!(registry.package(Kind::Skill, &id("one")).expect("asked"), Some(package("one")));
    assert_eq!(registry.kept(&id("one")).expect("asked").len(), 1);
    assert_eq!(registry.first_broken_link().expect("asked"), None);
    assert_eq!(registry.history(None).expect("asked").len(), 2);
    assert_eq!(registry.open_journal().expect("asked").len(), 1);
    world.add("two");
    assert_eq!(registry.list().expect("listed").len(), 2);
}
