//! Staging, promoting, keeping and undoing.

use std::os::unix::fs::{PermissionsExt as _, symlink};

use kitbag_materializer::{Depot as _, FolderDepot, PREVIOUS, STAGING};
use kitbag_package::PackageTree;
use kitbag_types::{Code, Coded as _, Digest};
use rustix::fs::{self as rfs, Mode, OFlags};

use crate::support::{World, names, operation, slot, write};

#[test]
fn staged_bytes_modes_and_hidden_files_are_those_of_the_source() {
    let world = World::new();
    let source = world.source("hello", "one");
    for path in
        [".env.example", ".gitignore", "metadata.json", "_x.md", "a/b/c.txt", "node_modules/m.js"]
    {
        write(&source.join(path), path);
    }
    write(&source.join("empty"), "");
    write(&source.join("run.sh"), "#!/bin/sh\n");
    let setuid = std::fs::Permissions::from_mode(0o4775);
    fs_err::set_permissions(source.join("run.sh"), setuid).expect("set");
    write(&source.join(".git/HEAD"), "ref: refs/heads/main");
    let mut seen = Vec::new();
    let package = PackageTree::open(&source).expect("a package");
    let staged = world
        .depot
        .stage(operation(1), &package, &mut |entry, bytes| {
            seen.push((entry.path.clone(), bytes.len()));
        })
        .expect("staged");
    world.depot.promote(&staged, &slot(), None).expect("promoted");
    world.depot.discard(operation(1)).expect("discarded");

    assert_eq!(world.promoted(), Some(staged.digest));
    assert_eq!(seen.len(), staged.listing.len());
    let promoted = world.slot_path();
    assert_eq!(fs_err::read_to_string(promoted.join("a/b/c.txt")).expect("there"), "a/b/c.txt");
    let mode = fs_err::metadata(promoted.join("run.sh")).expect("there").permissions().mode();
    assert_eq!(mode & 0o7777, 0o755, "the execute bit stays, setuid and group write do not");
    let mode = fs_err::metadata(promoted.join("empty")).expect("there").permissions().mode();
    assert_eq!(mode & 0o7777, 0o644);
    assert!(!promoted.join(".git").exists());
    assert!(world.staging().is_empty());
}

#[test]
fn replacing_keeps_the_old_package_and_withdrawing_keeps_the_last() {
    let world = World::new();
    let first = world.put(1, &world.source("a", "one"), None);
    let second = world.put(2, &world.source("b", "two"), Some(&first));
    assert_eq!(world.promoted(), Some(second));
    assert_eq!(world.kept(&first), Some(first));
    world.depot.withdraw(operation(3), &slot(), &second).expect("withdrawn");
    world.depot.discard(operation(3)).expect("discarded");
    assert_eq!(world.promoted(), None);
    assert_eq!(world.kept(&second), Some(second));
    assert!(world.staging().is_empty());
}

#[test]
fn the_same_bytes_are_kept_once_and_edited_ones_are_replaced_by_good_ones() {
    let world = World::new();
    let one = world.source("a", "one");
    let two = world.source("b", "two");
    let first = world.put(1, &one, None);
    let second = world.put(2, &two, Some(&first));
    world.put(3, &one, Some(&second));
    let kept = world.folder.path().join("capabilities").join(PREVIOUS);
    assert_eq!(names(&kept).len(), 2);
    write(&kept.join(format!("sha256-{}", first.hex())).join("SKILL.md"), "edited");
    world.put(4, &two, Some(&first));
    assert_eq!(world.kept(&first), Some(first));
}

#[test]
fn what_kitbag_did_not_make_is_never_overwritten() {
    let world = World::new();
    write(&world.slot_path().join("mine.txt"), "mine");
    let staged = world.stage(1, &world.source("a", "one"));
    let error = world.depot.promote(&staged, &slot(), None).expect_err("in the way");
    assert_eq!(error.code(), Code::PackageInTheWay);
    assert_eq!(fs_err::read_to_string(world.slot_path().join("mine.txt")).expect("kept"), "mine");
}

#[test]
fn a_link_where_a_slot_belongs_is_not_followed() {
    let world = World::new();
    let outside = world.folder.path().join("outside");
    write(&outside.join("SKILL.md"), "outside");
    fs_err::create_dir_all(world.slot_path().parent().expect("a parent")).expect("created");
    symlink(&outside, world.slot_path()).expect("linked");
    assert!(world.depot.promoted(&slot()).is_err());
    let staged = world.stage(1, &world.source("a", "one"));
    let before = staged.digest;
    assert!(world.depot.promote(&staged, &slot(), None).is_err());
    assert!(world.depot.promote(&staged, &slot(), Some(&before)).is_err());
    assert_eq!(fs_err::read_to_string(outside.join("SKILL.md")).expect("there"), "outside");
}

#[test]
fn undo_brings_back_each_state_and_may_be_repeated() {
    // Nothing was there: what was put there goes.
    let world = World::new();
    let staged = world.stage(1, &world.source("a", "one"));
    world.depot.promote(&staged, &slot(), None).expect("promoted");
    for _ in 0..2 {
        world.depot.undo(operation(1), &slot(), None, Some(&staged.digest)).expect("undone");
        assert_eq!(world.promoted(), None);
        assert!(world.staging().is_empty());
    }

    // Something was there: it comes back from among the kept versions.
    let first = world.put(2, &world.source("a", "one"), None);
    let staged = world.stage(3, &world.source("b", "two"));
    world.depot.promote(&staged, &slot(), Some(&first)).expect("promoted");
    for _ in 0..2 {
        world
            .depot
            .undo(operation(3), &slot(), Some(&first), Some(&staged.digest))
            .expect("undone");
        assert_eq!(world.promoted(), Some(first));
        assert!(world.staging().is_empty());
    }

    // It was withdrawn: it comes back.
    world.depot.withdraw(operation(4), &slot(), &first).expect("withdrawn");
    world.depot.undo(operation(4), &slot(), Some(&first), None).expect("undone");
    assert_eq!(world.promoted(), Some(first));
}

#[test]
fn undo_leaves_a_persons_edits_alone() {
    let world = World::new();
    let first = world.put(1, &world.source("a", "one"), None);
    write(&world.slot_path().join("SKILL.md"), "edited by hand");
    let edited = world.promoted();
    world.depot.undo(operation(2), &slot(), None, Some(&first)).expect("nothing to do");
    assert_eq!(world.promoted(), edited);
}

#[test]
fn undo_says_when_the_package_is_nowhere() {
    let world = World::new();
    let lost = Digest::of_bytes(b"lost");
    let error = world.depot.undo(operation(1), &slot(), Some(&lost), None).expect_err("nowhere");
    assert_eq!(error.code(), Code::DepotUnrecoverable);
    assert!(error.to_string().contains(&lost.to_string()));
}

#[test]
fn a_staging_area_is_abandoned_only_once_its_process_let_go() {
    let world = World::new();
    let source = world.source("a", "one");
    world.stage(1, &source);
    let other = FolderDepot::new(world.folder.path().join("capabilities"));
    assert!(other.abandoned().expect("read").is_empty(), "its owner is alive");
    other.discard(operation(1)).expect("not ours, so not touched");
    assert!(!world.staging().is_empty());
    let World { folder, depot } = world;
    drop(depot);
    assert_eq!(other.abandoned().expect("read"), [operation(1)]);
    other.discard(operation(1)).expect("swept");
    assert!(names(&folder.path().join("capabilities/.staging")).is_empty());
}

#[test]
fn survey_tells_slots_kept_versions_and_strangers_apart() {
    let world = World::new();
    let first = world.put(1, &world.source("a", "one"), None);
    world.put(2, &world.source("b", "two"), Some(&first));
    let capabilities = world.folder.path().join("capabilities");
    write(&capabilities.join("skills/Not An Id/SKILL.md"), "x");
    write(&capabilities.join("skills/hello.rollback-1/SKILL.md"), "x");
    write(&capabilities.join("notes.txt"), "x");
    let survey = world.depot.survey().expect("read");
    assert_eq!(survey.slots, [slot()]);
    assert_eq!(survey.kept, [first]);
    assert_eq!(survey.strangers, ["notes.txt", "skills/Not An Id", "skills/hello.rollback-1"]);
}

#[test]
fn a_refused_package_leaves_nothing_in_staging() {
    let world = World::new();
    let source = world.source("a", "one");
    write(&source.join("b"), "two");
    let package = PackageTree::open(&source).expect("a package");
    write(&source.join("b"), "three");
    let error = world.depot.stage(operation(1), &package, &mut |_, _| {}).expect_err("changed");
    assert_eq!(error.code(), Code::PackageChanged);
    assert!(world.staging().is_empty());
}

#[test]
fn forgetting_frees_the_bytes_even_of_folders_without_a_write_bit() {
    let world = World::new();
    let source = world.source("a", "one");
    write(&source.join("deep/er/x"), "x");
    let first = world.put(1, &source, None);
    world.put(2, &world.source("b", "two"), Some(&first));
    let kept = world
        .folder
        .path()
        .join("capabilities")
        .join(PREVIOUS)
        .join(format!("sha256-{}", first.hex()));
    fs_err::set_permissions(kept.join("deep"), std::fs::Permissions::from_mode(0o555))
        .expect("set");
    world.depot.forget(&first).expect("forgotten");
    assert_eq!(world.kept(&first), None);
    world.depot.forget(&first).expect("twice is no error");
}

/// Deeper than any stack that recurses on it, with more levels than files may be open.
#[test]
fn forgetting_takes_a_tree_of_any_depth() {
    let world = World::new();
    let digest = world.put(1, &world.source("a", "one"), None);
    world.put(2, &world.source("b", "two"), Some(&digest));
    let kept = world.folder.path().join("capabilities").join(PREVIOUS);
    let kept = kept.join(format!("sha256-{}", digest.hex()));
    let (flags, mode) = (OFlags::RDONLY | OFlags::DIRECTORY, Mode::RWXU);
    let mut folder = rfs::openat(rfs::CWD, &kept, flags, mode).expect("opened");
    for _ in 0..25_000 {
        rfs::mkdirat(&folder, "d", mode).expect("made");
        rfs::openat(&folder, "lifted-7", OFlags::CREATE | OFlags::WRONLY, mode).expect("written");
        folder = rfs::openat(&folder, "d", flags, mode).expect("opened");
    }
    let limit = rustix::process::Resource::Nofile;
    let before = rustix::process::getrlimit(limit);
    let few = rustix::process::Rlimit { current: Some(64), maximum: before.maximum };
    rustix::process::setrlimit(limit, few).expect("lowered");
    let forgotten = world.depot.forget(&digest);
    rustix::process::setrlimit(limit, before).expect("raised again");
    forgotten.expect("forgotten");
    assert!(!kept.exists());
}

#[test]
fn folders_that_others_can_change_are_not_used() {
    let others = std::fs::Permissions::from_mode(0o777);
    for exposed in [STAGING, PREVIOUS, "skills"] {
        let world = World::new();
        let first = world.put(1, &world.source("a", "one"), None);
        let second = world.put(2, &world.source("b", "two"), Some(&first));
        let folder = world.folder.path().join("capabilities").join(exposed);
        fs_err::set_permissions(&folder, others.clone()).expect("opened to others");
        assert_eq!(world.depot.survey().expect("surveyed").exposed, [exposed]);
        let package = PackageTree::open(&world.source("c", "three")).expect("a package");
        let error = world
            .depot
            .stage(operation(3), &package, &mut |_, _| {})
            .and_then(|staged| world.depot.promote(&staged, &slot(), Some(&second)))
            .expect_err("refused");
        assert_eq!(error.code(), Code::DepotUntrusted);
        assert!(error.to_string().contains(exposed), "{error}");
    }
}

#[test]
fn what_was_put_in_the_place_of_the_staged_package_is_not_promoted() {
    let world = World::new();
    let first = world.put(1, &world.source("a", "one"), None);
    for before in [Some(&first), None] {
        let staged = world.stage(2, &world.source("b", "two"));
        let area = world.folder.path().join("capabilities").join(STAGING);
        let tree = area.join(operation(2).to_string()).join("tree");
        fs_err::rename(&tree, world.folder.path().join("moved")).expect("moved");
        write(&tree.join("SKILL.md"), "evil");
        if before.is_none() {
            fs_err::remove_dir_all(world.slot_path()).expect("emptied");
        }
        let error = world.depot.promote(&staged, &slot(), before).expect_err("refused");
        assert_eq!(error.code(), Code::PackageChanged);
        assert_eq!(world.promoted().as_ref(), before);
        world.depot.discard(operation(2)).expect("discarded");
        assert!(world.staging().is_empty());
        fs_err::remove_dir_all(world.folder.path().join("moved")).expect("cleared");
    }
}
