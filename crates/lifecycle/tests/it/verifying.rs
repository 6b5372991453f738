//! Verify and repair.

use kitbag_lifecycle::Mend;
use kitbag_types::VerifyStatus;

use crate::support::{World, tree, write};

#[test]
fn verify_names_every_file_that_differs_and_every_stranger() {
    let world = World::new();
    let source = world.skill("notes", "one");
    write(&source.join("a.md"), "a");
    world.add(&source).expect("added");
    world.installed("fine", "one");
    write(&world.promoted("notes").join("a.md"), "edited");
    write(&world.promoted("notes").join("b.md"), "new");
    write(&world.promoted("unknown").join("SKILL.md"), "x");
    let result = world.verify(Mend::Nothing);
    assert!(!result.ok);
    let told: Vec<(&str, VerifyStatus)> =
        result.results.iter().map(|item| (item.id.as_str(), item.status)).collect();
    assert_eq!(
        told,
        [
            ("fine", VerifyStatus::Ok),
            ("notes", VerifyStatus::Modified),
            ("unknown", VerifyStatus::Stranger)
        ]
    );
    let files: Vec<&str> = result.results[1].files.iter().map(|file| file.path.as_str()).collect();
    assert_eq!(files, ["a.md", "b.md"]);
}

#[test]
fn repair_restores_missing_files_and_leaves_edits_alone() {
    let world = World::new();
    let source = world.skill("notes", "one");
    write(&source.join("a.md"), "a");
    world.add(&source).expect("added");
    let whole = tree(&world.promoted("notes"));
    fs_err::remove_file(world.promoted("notes").join("a.md")).expect("lost");
    assert!(world.verify(Mend::Repair).ok);
    assert_eq!(tree(&world.promoted("notes")), whole);

    fs_err::remove_dir_all(world.promoted("notes")).expect("lost");
    assert_eq!(world.status("notes"), VerifyStatus::Missing);
    assert!(world.verify(Mend::Repair).ok);
    assert_eq!(tree(&world.promoted("notes")), whole);

    write(&world.promoted("notes").join("a.md"), "edited");
    let edited = tree(&world.promoted("notes"));
    assert!(!world.verify(Mend::Repair).ok);
    assert_eq!(tree(&world.promoted("notes")), edited);
}

#[test]
fn repair_never_takes_other_bytes_from_the_source() {
    let world = World::new();
    world.installed("notes", "one");
    world.skill("notes", "two");
    fs_err::remove_dir_all(world.promoted("notes")).expect("lost");
    let result = world.verify(Mend::Repair);
    assert!(!result.ok);
    assert!(result.results[0].note.as_ref().expect("a reason").contains("recorded bytes"));
    assert!(!world.promoted("notes").exists());
}

#[test]
fn a_file_mode_is_part_of_the_package() {
    use std::os::unix::fs::PermissionsExt as _;
    let world = World::new();
    world.installed("notes", "one");
    let file = world.promoted("notes").join("SKILL.md");
    fs_err::set_permissions(&file, std::fs::Permissions::from_mode(0o755)).expect("set");
    assert_eq!(world.status("notes"), VerifyStatus::Modified);
}

/// Runs SQL on the database, as somebody who can write it would.
fn tamper(world: &World, script: &str) {
    let database = world.root().join("db/capabilities.sqlite");
    let output = std::process::Command::new("sqlite3").arg(database).arg(script).output();
    let output = output.expect("sqlite3 is installed");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn a_journal_that_disagrees_with_the_registry_moves_no_package() {
    let world = World::new();
    let digest = world.installed("notes", "one").package.expect("a package").digest;
    let whole = tree(&world.promoted("notes"));
    for (before, after) in [
        ("NULL".to_owned(), format!("'{digest}'")),
        (format!("'{}'", kitbag_types::Digest::of_bytes(b"lost")), format!("'{digest}'")),
    ] {
        tamper(
            &world,
            &format!(
                "INSERT INTO journal VALUES ('01ARZ3NDEKTSV4RRFFQ69G5FAV', 'add', 'skill', 'notes',
             {before}, {after}, '2026-01-01T00:00:00.000Z', '{{\"type\":\"cli\",\"user\":\"x\"}}')"
            ),
        );
        world.installed("other", "one");
        assert_eq!(world.status("notes"), VerifyStatus::Ok);
        assert_eq!(tree(&world.promoted("notes")), whole);
        world.service.remove(&crate::support::change("other")).expect("nothing is in the way");
    }
}

#[test]
fn doctor_names_kept_versions_that_cannot_come_back() {
    let world = World::new();
    world.installed("gone", "one");
    world.installed("edited", "two");
    for id in ["gone", "edited"] {
        world.service.remove(&crate::support::change(id)).expect("removed");
    }
    assert!(world.doctor().ok);
    let previous = world.root().join("capabilities/.previous");
    let kept = |text: &str| {
        fs_err::read_dir(&previous)
            .expect("there")
            .map(|entry| entry.expect("an entry").path())
            .find(|path| {
                fs_err::read_to_string(path.join("SKILL.md")).is_ok_and(|all| all.contains(text))
            })
            .expect("kept")
    };
    write(&kept("two").join("SKILL.md"), "edited");
    fs_err::remove_dir_all(kept("one")).expect("lost");
    let result = world.doctor();
    let told: Vec<&str> = result
        .checks
        .iter()
        .filter(|check| !check.ok)
        .map(|check| check.message.as_str())
        .collect();
    assert_eq!(told.len(), 2);
    assert!(told.iter().any(|message| message.ends_with("is gone")));
    assert!(told.iter().any(|message| message.ends_with("was edited")));
}
