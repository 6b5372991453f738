//! What the one writer does, and that it does it whole.

use kitbag_store::{Change, JournalEntry, KeptVersion, Registry as _, StoreError, StoredRecord};
use kitbag_types::{
    Action, CapabilityRecord, Code, Coded as _, Coverage, CoverageStatus, Finding, Kind,
    ScanReport, Severity, Verdict,
};
use proptest::prelude::*;

use crate::support::{PATIENCE, World, at, digest, event, id, operation, package, person, record};

fn applied(world: &World, changes: &[Change]) -> Result<(), StoreError> {
    world.open().write(PATIENCE)?.apply(changes)
}

fn kept(text: &str) -> KeptVersion {
    KeptVersion {
        kind: Kind::Skill,
        id: id("one"),
        record: record("one"),
        package: package(text),
        kept_at: at(9),
        edited: true,
    }
}

fn report() -> ScanReport {
    ScanReport {
        verdict: Verdict::Review,
        findings: vec![Finding {
            rule: "text/zero-width".to_owned(),
            severity: Severity::Medium,
            message: "hidden".to_owned(),
            file: Some("SKILL.md".to_owned()),
            line: Some(3),
            column: None,
            remedy: None,
            evidence: None,
            match_hash: None,
        }],
        suppressed: Vec::new(),
        inventory: kitbag_types::Inventory::default(),
        coverage: vec![Coverage {
            file: "SKILL.md".to_owned(),
            bytes: 7,
            status: CoverageStatus::Scanned,
            note: None,
        }],
        rule_set: digest("rules"),
    }
}

#[test]
fn what_is_written_is_read_back() {
    let world = World::new();
    let journal = JournalEntry {
        operation: operation(1),
        action: Action::Update,
        kind: Kind::Skill,
        id: id("one"),
        before: None,
        after: Some(digest("after")),
        opened_at: at(4),
        principal: person(),
    };
    let registry = world.open();
    {
        let mut writer = registry.write(PATIENCE).expect("writable");
        writer.open_journal(&journal).expect("journalled");
        let changes = [
            Change::Insert(record("one")),
            Change::SetPackage {
                kind: Kind::Skill,
                id: id("one"),
                package: Box::new(package("one")),
            },
            Change::Keep(Box::new(kept("older"))),
            Change::Keep(Box::new(kept("newer"))),
            Change::Keep(Box::new(kept("older"))),
            Change::SetScan {
                digest: digest("one"),
                kind: Kind::Skill,
                report: Box::new(report()),
            },
            Change::Record(event("one")),
        ];
        writer.apply(&changes).expect("applied");
    }
    assert_eq!(registry.find("one").expect("asked"), Some(StoredRecord::Sound(record("one"))));
    assert_eq!(registry.packages().expect("asked"), [(Kind::Skill, id("one"), package("one"))]);
    assert_eq!(registry.kept(&id("one")).expect("asked"), [kept("older"), kept("newer")]);
    assert_eq!(registry.all_kept().expect("asked"), [kept("older"), kept("newer")]);
    assert_eq!(registry.kept_digests().expect("asked").len(), 2);
    assert_eq!(registry.scan(&digest("one"), Kind::Skill).expect("asked"), Some(report()));
    assert_eq!(registry.scan(&digest("one"), Kind::Tool).expect("asked"), None);
    assert_eq!(registry.open_journal().expect("asked"), std::slice::from_ref(&journal));
    let forget = Change::Forget { kind: Kind::Skill, id: id("one"), digest: digest("newer") };
    applied(&world, &[Change::CloseJournal(journal.operation), forget]).expect("applied");
    assert_eq!(registry.open_journal().expect("asked"), []);
    assert_eq!(registry.kept(&id("one")).expect("asked"), [kept("older")]);
}

#[test]
fn when_everybody_is_gone_the_database_is_one_file() {
    let world = World::ours();
    let names: Vec<String> = world.files().into_iter().map(|(name, _)| name).collect();
    assert_eq!(names, ["capabilities.sqlite"]);
}

#[test]
fn a_change_that_fails_takes_the_others_with_it() {
    let world = World::ours();
    let before = world.sqlite3(".dump");
    let taken = CapabilityRecord { kind: Kind::Tool, ..record("one") };
    let changes = [
        Change::Insert(record("two")),
        Change::Record(event("two")),
        Change::Keep(Box::new(kept("x"))),
        Change::Insert(taken),
    ];
    let error = applied(&world, &changes).expect_err("the id is taken");
    assert_eq!(error.code(), Code::RegistryIdTaken);
    assert_eq!(world.sqlite3(".dump"), before);
}

#[test]
fn a_record_that_changed_meanwhile_is_not_overwritten() {
    let world = World::ours();
    let later = CapabilityRecord { updated_at: at(5), enabled: false, ..record("one") };
    let replace = |expected| Change::Replace { record: later.clone(), expected };
    let conflict = |change: Change| applied(&world, &[change]).expect_err("a conflict").code();
    assert_eq!(conflict(replace(at(0))), Code::MutationConflict);
    let delete = |expected| Change::Delete { kind: Kind::Skill, id: id("one"), expected };
    assert_eq!(conflict(delete(at(0))), Code::MutationConflict);
    applied(&world, &[replace(at(1))]).expect("as planned");
    assert_eq!(world.open().find("one").expect("asked"), Some(StoredRecord::Sound(later.clone())));
    applied(&world, &[delete(at(5))]).expect("as planned");
    assert_eq!(world.open().list().expect("listed"), []);
    assert_eq!(conflict(delete(at(5))), Code::MutationConflict);
}

#[test]
fn a_record_that_would_list_as_broken_is_not_written() {
    let world = World::ours();
    for broken in [
        CapabilityRecord { name: String::new(), ..record("two") },
        CapabilityRecord { name: "n".repeat(129), ..record("two") },
        CapabilityRecord { name: "two\nlines".to_owned(), ..record("two") },
        CapabilityRecord { description: "d".repeat(1025), ..record("two") },
        CapabilityRecord { source_ref: "a\0b".to_owned(), ..record("two") },
    ] {
        let error = applied(&world, &[Change::Insert(broken)]).expect_err("refused");
        assert_eq!(error.code(), Code::InternalBug, "{error}");
    }
    for longest in [
        CapabilityRecord { name: "é".repeat(128), ..record("two") },
        CapabilityRecord { description: "é".repeat(1024), ..record("three") },
    ] {
        applied(&world, &[Change::Insert(longest)]).expect("at the limit");
    }
    assert_eq!(world.open().list().expect("listed").len(), 3);
}

#[test]
fn the_history_is_chained_and_tells_where_it_was_broken() {
    let world = World::new();
    for number in 0..5 {
        applied(&world, &[Change::Record(event(&format!("c{number}")))]).expect("recorded");
    }
    let history = world.open().history(None).expect("asked");
    let numbers: Vec<u64> = history.iter().map(|entry| entry.seq).collect();
    assert_eq!(numbers, [1, 2, 3, 4, 5]);
    assert_eq!(history[0].previous, None);
    assert!(history.windows(2).all(|pair| pair[1].previous == Some(pair[0].hash)));
    let broken = |script: &str| {
        let copy = World::of(&world.sqlite3(".dump"));
        copy.sqlite3(&format!(
            "PRAGMA application_id = {}; PRAGMA user_version = 1;
             DROP TRIGGER history_is_not_changed; DROP TRIGGER history_is_not_deleted; {script}",
            u32::from_be_bytes(*b"Kitb")
        ));
        copy.open().first_broken_link().expect("asked")
    };
    assert_eq!(broken(""), None);
    assert_eq!(
        broken("UPDATE history SET event = json_set(event, '$.id', 'x') WHERE seq = 3"),
        Some(3)
    );
    assert_eq!(broken("UPDATE history SET event = '{}' WHERE seq = 4"), Some(4));
    assert_eq!(broken("UPDATE history SET hash = previous WHERE seq = 2"), Some(2));
    assert_eq!(broken("DELETE FROM history WHERE seq = 1"), Some(1));
    assert_eq!(broken("DELETE FROM history WHERE seq = 3"), Some(3));
    assert_eq!(broken("DELETE FROM history WHERE seq = 5"), Some(5));
    assert_eq!(broken("DELETE FROM history"), Some(1));
}

#[test]
fn the_history_cannot_be_changed_by_accident() {
    let world = World::new();
    applied(&world, &[Change::Record(event("one"))]).expect("recorded");
    for script in ["UPDATE history SET previous = 'x'", "DELETE FROM history"] {
        let output = std::process::Command::new("sqlite3").arg(world.path()).arg(script).output();
        let output = output.expect("sqlite3 is installed");
        assert!(String::from_utf8_lossy(&output.stderr).contains("append-only"));
    }
    assert_eq!(world.open().history(None).expect("asked").len(), 1);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    #[test]
    fn any_text_that_a_record_may_hold_comes_back(
        name in "[^\\p{C}]{1,40}",
        description in "[^\0]{1,200}",
        version in proptest::option::of("[^\0]{0,20}"),
        value in "\\PC{0,20}",
    ) {
        let world = World::new();
        let mut record = CapabilityRecord { name, description, version, ..record("one") };
        record.config.insert(value.clone(), value.into());
        applied(&world, &[Change::Insert(record.clone())]).expect("stored");
        let found = world.open().find("one").expect("asked");
        prop_assert_eq!(found, Some(StoredRecord::Sound(record)));
    }
}

/// SQLite's locks belong to the process: no look at the file may let go of them.
#[test]
fn a_registry_that_is_open_outlasts_the_writes_of_other_processes() {
    let world = World::ours();
    let registry = world.open();
    assert_eq!(registry.list().expect("listed").len(), 1);
    for round in 0..3 {
        world.add(&format!("ours-{round}"));
        world.sqlite3("INSERT INTO capabilities SELECT 'n' || hex(randomblob(4)), kind, name, description, source, source_ref, version, enabled, config_json, installed_at, updated_at, installed_by FROM capabilities LIMIT 1");
        assert_eq!(registry.list().expect("listed").len(), 3 + 2 * round);
    }
}
