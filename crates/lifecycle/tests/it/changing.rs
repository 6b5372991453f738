//! Update, enable, disable, remove, revert.

use kitbag_lifecycle::{Against, ChangeRequest, Mend, Mode};
use kitbag_types::{Code, FileChangeKind, VerifyStatus};

use crate::support::{World, change, code, forced, tree, write};

#[test]
fn update_brings_the_sources_bytes_and_touches_nothing_else() {
    let world = World::new();
    world.installed("notes", "one");
    world.installed("other", "one");
    let other = tree(&world.promoted("other"));
    assert!(!world.service.update(&change("notes")).expect("compared").changed);
    let source = world.skill("notes", "two");
    write(&source.join("more.md"), "more");
    world.skill("other", "two");
    let result = world.service.update(&change("notes")).expect("updated");
    assert!(result.changed && result.capability.expect("recorded").enabled);
    assert_eq!(tree(&world.promoted("notes")), tree(&source));
    assert_eq!(tree(&world.promoted("other")), other);
    assert_eq!(world.status("notes"), VerifyStatus::Ok);
}

#[test]
fn diff_shows_what_an_update_would_change_before_it_does() {
    let world = World::new();
    world.installed("notes", "one");
    let source = world.skill("notes", "two");
    write(&source.join("new.md"), "new\n");
    let diff = world.service.diff("notes", &Against::Source).expect("compared");
    let changes: Vec<(&str, FileChangeKind)> =
        diff.files.iter().map(|change| (change.path.as_str(), change.change)).collect();
    assert_eq!(changes, [("SKILL.md", FileChangeKind::Changed), ("new.md", FileChangeKind::Added)]);
    let text = diff.files[0].text.as_ref().expect("text");
    assert!(text.contains("-one") && text.contains("+two"), "{text}");
    assert!(diff.local.is_empty());
    let mut plan = change("notes");
    plan.mode = Mode::Plan;
    let planned = world.service.update(&plan).expect("planned");
    assert!(!planned.changed && planned.plan.is_some());
    assert_eq!(world.service.diff("notes", &Against::Source).expect("compared"), diff);
}

#[test]
fn revert_brings_back_any_kept_version_byte_for_byte() {
    let world = World::new();
    let mut trees = Vec::new();
    let mut digests = Vec::new();
    for body in ["one", "two", "three"] {
        let result = if trees.is_empty() {
            world.installed("notes", body)
        } else {
            world.skill("notes", body);
            world.service.update(&change("notes")).expect("updated")
        };
        trees.push(tree(&world.promoted("notes")));
        digests.push(result.package.expect("promoted").digest);
    }
    world.service.revert(&change("notes")).expect("reverted");
    assert_eq!(tree(&world.promoted("notes")), trees[1]);
    let to = ChangeRequest { to: Some(digests[0].short()), ..change("notes") };
    world.service.revert(&to).expect("reverted");
    assert_eq!(tree(&world.promoted("notes")), trees[0]);
    let to = ChangeRequest { to: Some(digests[2].to_string()), ..change("notes") };
    world.service.revert(&to).expect("reverted");
    assert_eq!(tree(&world.promoted("notes")), trees[2]);
    let to = ChangeRequest { to: Some("9.9.9".to_owned()), ..change("notes") };
    assert_eq!(code(world.service.revert(&to)), Code::RegistryNoKept);
    assert_eq!(world.status("notes"), VerifyStatus::Ok);
}

#[test]
fn revert_by_version_number() {
    let world = World::new();
    let source = world.source("notes");
    let manifest = |version: &str| {
        write(
            &source.join("SKILL.md"),
            &format!(
                "---\nname: notes\ndescription: d\nmetadata:\n  version: \"{version}\"\n---\n"
            ),
        );
    };
    manifest("1.0.0");
    world.add(&source).expect("added");
    manifest("2.0.0");
    world.service.update(&change("notes")).expect("updated");
    let to = ChangeRequest { to: Some("1.0.0".to_owned()), ..change("notes") };
    let record = world.service.revert(&to).expect("reverted").capability.expect("recorded");
    assert_eq!(record.version.as_deref(), Some("1.0.0"));
}

#[test]
fn only_the_last_versions_are_kept_and_the_rest_frees_its_bytes() {
    let world = World::new();
    world.installed("notes", "0");
    for body in 1..=8 {
        world.skill("notes", &body.to_string());
        world.service.update(&change("notes")).expect("updated");
    }
    let kept = world.service.inspect("notes").expect("inspected").kept;
    assert_eq!(kept.len(), 5);
    let folders =
        fs_err::read_dir(world.root().join("capabilities/.previous")).expect("read").count();
    assert_eq!(folders, 5);
}

#[test]
fn remove_takes_everything_out_and_revert_takes_it_back() {
    let world = World::new();
    world.installed("notes", "one");
    let before = tree(&world.promoted("notes"));
    let result = world.service.remove(&change("notes")).expect("removed");
    assert_eq!((result.capability, result.package), (None, None));
    assert!(!world.promoted("notes").exists());
    assert!(world.service.list(None).expect("listed").capabilities.is_empty());
    assert_eq!(code(world.service.remove(&change("notes"))), Code::RegistryNotFound);
    let world = world.reopen();
    let record =
        world.service.revert(&change("notes")).expect("back").capability.expect("recorded");
    assert!(record.enabled, "it was enabled with these bytes");
    assert_eq!(tree(&world.promoted("notes")), before);
    assert_eq!(world.status("notes"), VerifyStatus::Ok);
}

#[test]
fn edits_by_hand_are_kept_shown_and_never_overwritten() {
    let world = World::new();
    world.installed("notes", "one");
    write(&world.promoted("notes").join("mine.txt"), "mine");
    let edited = {
        let path = world.promoted("notes").join("SKILL.md");
        let text = fs_err::read_to_string(&path).expect("there") + "my line\n";
        write(&path, &text);
        tree(&world.promoted("notes"))
    };
    world.skill("notes", "two");
    for outcome in [world.service.update(&change("notes")), world.service.remove(&change("notes"))]
    {
        let error = outcome.expect_err("refused");
        let refusal = error.refusal().expect("a refusal");
        assert_eq!(refusal.code, Code::PackageModified);
        let names: Vec<&str> = refusal.files.iter().map(|file| file.path.as_str()).collect();
        assert_eq!(names, ["SKILL.md", "mine.txt"]);
    }
    assert_eq!(code(world.service.enable(&change("notes"))), Code::PackageModified);
    assert_eq!(tree(&world.promoted("notes")), edited);

    let result = world.service.update(&forced("notes")).expect("updated");
    assert!(result.warnings.iter().any(|warning| warning.code == "package/modified"));
    assert_ne!(tree(&world.promoted("notes")), edited);
    world.service.revert(&change("notes")).expect("reverted");
    assert_eq!(tree(&world.promoted("notes")), edited, "the edits came back");
}

#[test]
fn removing_by_force_keeps_the_edits_too() {
    let world = World::new();
    world.installed("notes", "one");
    write(&world.promoted("notes").join("mine.txt"), "mine");
    let edited = tree(&world.promoted("notes"));
    world.service.remove(&forced("notes")).expect("removed");
    assert!(!world.promoted("notes").exists());
    world.service.revert(&change("notes")).expect("back");
    assert_eq!(tree(&world.promoted("notes")), edited);
}

#[test]
fn what_was_put_into_a_package_and_is_no_part_of_one_is_never_moved() {
    let world = World::new();
    world.installed("notes", "one");
    std::os::unix::fs::symlink("/etc/hostname", world.promoted("notes").join("link"))
        .expect("linked");
    let error = world.service.remove(&forced("notes")).expect_err("refused");
    assert!(error.to_string().contains("link"), "{error}");
    assert!(world.promoted("notes").join("link").is_symlink());
    fs_err::remove_file(world.promoted("notes").join("link")).expect("moved away");
    world.service.remove(&change("notes")).expect("removed");
}

#[test]
fn enable_and_disable_need_no_source_and_say_whether_anything_changed() {
    let world = World::new();
    let source = world.skill("notes", "one");
    world.add(&source).expect("added");
    fs_err::remove_dir_all(&source).expect("the source goes away");
    assert!(world.service.enable(&change("notes")).expect("enabled").changed);
    assert!(!world.service.enable(&change("notes")).expect("enabled").changed);
    assert!(world.service.disable(&change("notes")).expect("disabled").changed);
    assert!(!world.service.list(None).expect("listed").capabilities[0].enabled);
    assert_eq!(code(world.service.enable(&change("absent"))), Code::RegistryNotFound);
}

#[test]
fn a_missing_package_fails_closed_and_can_still_be_disabled_and_removed() {
    let world = World::new();
    world.installed("notes", "one");
    fs_err::remove_dir_all(world.promoted("notes")).expect("lost");
    assert_eq!(code(world.service.enable(&change("notes"))), Code::PackageMissing);
    assert!(world.service.disable(&change("notes")).expect("disabled").changed);
    world.service.remove(&change("notes")).expect("removed");
}

#[test]
fn a_name_given_by_a_person_survives_an_update() {
    let world = World::new();
    let mut request = world.add_request(&world.skill("notes", "one"));
    request.name = Some("My Notes".to_owned());
    world.add_with(&request).expect("added");
    write(
        &world.source("notes").join("SKILL.md"),
        "---\nname: notes\ndescription: Other words.\n---\n",
    );
    let record =
        world.service.update(&change("notes")).expect("updated").capability.expect("recorded");
    assert_eq!((record.name.as_str(), record.description.as_str()), ("My Notes", "Other words."));
}

#[test]
fn a_repository_in_an_installed_package_is_named_and_never_lost() {
    let world = World::new();
    world.installed("notes", "one");
    write(&world.promoted("notes").join(".git/notes"), "mine");
    let result = world.verify(Mend::Nothing);
    assert_eq!(result.results[0].status, VerifyStatus::Modified);
    assert_eq!(result.results[0].files[0].path.as_str(), ".git");
    world.skill("notes", "two");
    assert_eq!(code(world.service.update(&change("notes"))), Code::PackageModified);
    assert_eq!(code(world.service.update(&forced("notes"))), Code::PackageModified);
    assert_eq!(code(world.service.remove(&forced("notes"))), Code::PackageModified);
    let kept = fs_err::read_to_string(world.promoted("notes").join(".git/notes"));
    assert_eq!(kept.expect("still there"), "mine");
}
