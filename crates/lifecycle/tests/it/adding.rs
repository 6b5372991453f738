//! From a source to recorded, promoted capabilities.

use kitbag_lifecycle::{AddOutcome, Enable, Mode, Pick, Review};
use kitbag_types::{Action, Code, Kind, PlanStep, StoredSource};

use crate::support::{World, code, tree, write};

#[test]
fn an_added_skill_is_recorded_promoted_and_disabled_until_someone_enables_it() {
    let world = World::new();
    let source = world.skill("notes", "body");
    let result = world.add(&source).expect("added");
    let record = result.capability.expect("recorded");
    assert_eq!((record.kind, record.enabled), (Kind::Skill, false));
    assert_eq!(record.source, StoredSource::Local);
    assert_eq!(
        record.source_ref,
        fs_err::canonicalize(&source).expect("there").display().to_string()
    );
    assert_eq!((record.name.as_str(), record.description.as_str()), ("notes", "Does notes."));
    assert_eq!(record.installed_by, "cli");
    assert_eq!(tree(&world.promoted("notes")), tree(&source));
    assert!(result.changed);
    let list = world.service.list(None).expect("listed");
    assert_eq!(list.capabilities, [record]);
    let history = world.service.history(None, kitbag_lifecycle::Chain::Verify).expect("read");
    assert_eq!(history.first_broken, None);
    assert_eq!(history.entries[0].event.action, Action::Add);
}

#[test]
fn a_plan_changes_nothing_and_says_everything() {
    let world = World::new();
    let mut request = world.add_request(&world.skill("notes", "body"));
    request.mode = Mode::Plan;
    let result = world.add_with(&request).expect("planned");
    assert!(!result.changed);
    let plan = result.plan.expect("a plan");
    assert!(matches!(
        plan.steps[..],
        [PlanStep::Promote { files: 1, .. }, PlanStep::Record { .. }]
    ));
    assert!(world.service.list(None).expect("listed").capabilities.is_empty());
    assert!(!world.promoted("notes").exists());
    assert!(!world.root().join("db").exists(), "not even a database is made");
}

#[test]
fn one_bad_capability_never_hides_the_good_ones() {
    let world = World::new();
    world.skill("good", "body");
    write(&world.source("bad").join("SKILL.md"), "no front matter");
    let mut request = world.add_request(&world.folder.path().join("sources"));
    request.pick = Pick::All;
    request.enable = Enable::Yes;
    let AddOutcome::Many(batch) = world.service.add(&request).expect("tried") else {
        panic!("all were asked for");
    };
    assert!(!batch.ok);
    let outcomes: Vec<(&str, bool)> =
        batch.results.iter().map(|item| (item.id.as_str(), item.ok)).collect();
    assert_eq!(outcomes, [("bad", false), ("good", true)]);
    let error = batch.results[0].error.as_ref().expect("refused");
    assert_eq!(error.code, "scan/blocked");
    assert!(!batch.results[0].findings.is_empty());
    assert!(tree(&world.root().join("capabilities/.staging")).is_empty());
}

#[test]
fn several_capabilities_must_be_chosen_from() {
    let world = World::new();
    world.skill("one", "body");
    world.skill("two", "body");
    let sources = world.folder.path().join("sources");
    let error = world.add(&sources).expect_err("ambiguous");
    assert!(error.to_string().contains("`one`, `two`"), "{error}");
    assert_eq!(code(world.add(&sources)), Code::SourceChooseOne);
    let mut request = world.add_request(&sources);
    request.pick = Pick::Named(vec!["two".to_owned()]);
    assert_eq!(
        world.add_with(&request).expect("added").capability.expect("recorded").id.as_str(),
        "two"
    );
    request.pick = Pick::Named(vec!["three".to_owned()]);
    let error = world.service.add(&request).expect_err("unknown");
    assert!(error.to_string().contains("`one`"), "the names that exist are offered: {error}");
}

#[test]
fn an_id_is_taken_once_and_an_alias_goes_around_it() {
    let world = World::new();
    world.installed("notes", "body");
    let other = world.folder.path().join("sources/other/notes");
    write(&other.join("SKILL.md"), "---\nname: notes\ndescription: Others.\n---\n");
    let error = world.add(&other).expect_err("taken");
    assert!(
        error.to_string().contains("sources/notes") && error.to_string().contains("other/notes"),
        "both origins are named: {error}"
    );
    assert_eq!(code(world.add(&other)), Code::RegistryIdTaken);
    let mut request = world.add_request(&other);
    request.id = Some("notes-2".to_owned());
    let record = world.add_with(&request).expect("added").capability.expect("recorded");
    assert_eq!((record.id.as_str(), record.name.as_str()), ("notes-2", "notes"));
    request.id = Some("../escape".to_owned());
    assert_eq!(code(world.add_with(&request)), Code::IdInvalid);
}

#[test]
fn a_name_that_would_leave_the_folder_is_refused_before_anything_is_written() {
    let world = World::new();
    let source = world.source("evil");
    write(&source.join("SKILL.md"), "---\nname: ../../escape\ndescription: x\n---\n");
    assert_eq!(code(world.add(&source)), Code::IdInvalid);
    assert!(tree(&world.root()).is_empty());
}

#[test]
fn a_folder_in_the_way_is_kept_and_named() {
    let world = World::new();
    write(&world.promoted("notes").join("mine.txt"), "mine");
    let error = world.add(&world.skill("notes", "body")).expect_err("in the way");
    assert_eq!(kitbag_types::Coded::code(&error), Code::PackageInTheWay);
    assert!(error.to_string().contains("skills/notes"), "{error}");
    assert_eq!(
        fs_err::read_to_string(world.promoted("notes").join("mine.txt")).expect("kept"),
        "mine"
    );
    assert!(world.service.list(None).expect("listed").capabilities.is_empty());
}

#[test]
fn kinds_that_cannot_be_inspected_yet_are_refused_whole() {
    let world = World::new();
    let source = world.folder.path().join("sources/tools/echo");
    write(&source.join("index.mjs"), "export default 1");
    let mut request = world.add_request(&world.folder.path().join("sources"));
    assert_eq!(code(world.add_with(&request)), Code::KindNotBuilt);
    request = world.add_request(&source);
    assert_eq!(code(world.add_with(&request)), Code::KindNotBuilt);
    let bare = world.folder.path().join("elsewhere/echo");
    write(&bare.join("index.mjs"), "export default 1");
    request = world.add_request(&bare);
    assert_eq!(code(world.add_with(&request)), Code::KindUnknown);
    request.kind = Some(Kind::Tool);
    assert_eq!(code(world.add_with(&request)), Code::KindNotBuilt);
    assert!(tree(&world.root()).is_empty());
}

#[test]
fn a_package_that_breaks_a_rule_is_refused_by_its_code_and_leaves_nothing() {
    let world = World::new();
    let source = world.skill("linked", "body");
    std::os::unix::fs::symlink("/etc/passwd", source.join("pw")).expect("linked");
    let error = world.add(&source).expect_err("refused");
    assert_eq!(kitbag_types::Coded::code(&error), Code::PackageSymlink);
    assert!(error.to_string().contains("/etc/passwd"), "the target is named: {error}");
    assert_eq!(error.findings().len(), 1);
    assert!(tree(&world.root()).is_empty());
}

#[test]
fn hidden_direction_marks_block_and_cannot_be_waved_through() {
    let world = World::new();
    let source = world.skill("trojan", "body");
    write(&source.join("run.py"), "access = 'user\u{202e} \u{2066}'\n");
    let mut request = world.add_request(&source);
    request.review = Review::Accept;
    assert_eq!(code(world.add_with(&request)), Code::ScanBlocked);
}

#[test]
fn lenient_front_matter_goes_in_loudly_and_bytes_stay_as_they_are() {
    let world = World::new();
    let source = world.source("tidy-notes");
    let text = "---\nname: tidy-notes\ndescription: Use when: the user pastes notes\n---\n";
    write(&source.join("SKILL.md"), text);
    let result = world.add(&source).expect("added");
    let record = result.capability.expect("recorded");
    assert_eq!(record.description, "Use when: the user pastes notes");
    let finding = &result.findings[0];
    assert_eq!((finding.file.as_deref(), finding.line), (Some("SKILL.md"), Some(3)));
    assert!(
        finding.remedy.as_ref().expect("a remedy").contains('"')
            || finding.remedy.as_ref().expect("a remedy").contains('\'')
    );
    assert_eq!(
        fs_err::read_to_string(world.promoted("tidy-notes").join("SKILL.md")).expect("there"),
        text
    );
}

#[test]
fn an_id_that_looks_like_another_is_flagged() {
    let world = World::new();
    world.installed("paypal", "body");
    // The first letter of the second is Cyrillic.
    let source = world.skill("\u{440}aypal", "body");
    let result = world.add(&source).expect("added");
    assert_eq!(result.warnings.iter().filter(|w| w.code == "registry/look-alike").count(), 1);
}

#[test]
fn a_source_that_is_not_there_says_what_to_do() {
    let world = World::new();
    let error = world.add(&world.source("absent")).expect_err("absent");
    assert_eq!(kitbag_types::Coded::code(&error), Code::SourceNotFound);
    let empty = world.source("empty");
    fs_err::create_dir_all(&empty).expect("created");
    assert_eq!(code(world.add(&empty)), Code::SourceNoCandidate);
}
