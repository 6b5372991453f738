//! Capabilities from repositories, fetched over loopback from git's own server.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use kitbag_lifecycle::{
    AddOutcome, AddRequest, Against, CapabilityLifecycleService, ChangeRequest, Edits, Enable,
    LifecycleError, Links, Mend, Pick,
};
use kitbag_types::{
    BatchResult, Code, CompareStatus, ErrorKind, FileChangeKind, MutationResult, StoredSource,
    Unwatched, VerifyStatus, Watch,
};

use crate::server::{GitServer, Manner};
use crate::support::{World, change, code, person, tree, write};

fn world(server: &GitServer) -> World {
    World::with_remote(server.remote(), Arc::new(Unwatched))
}

fn request(source: &str) -> AddRequest {
    AddRequest { enable: Enable::Yes, ..AddRequest::new(person(), source, "/") }
}

fn one(outcome: Result<AddOutcome, LifecycleError>) -> Result<MutationResult, LifecycleError> {
    match outcome? {
        AddOutcome::One(result) => Ok(*result),
        AddOutcome::Many(batch) => panic!("one was asked for: {batch:?}"),
    }
}

fn add(world: &World, source: &str) -> MutationResult {
    one(world.service.add(&request(source))).expect("added")
}

fn all(service: &CapabilityLifecycleService, source: &str) -> BatchResult {
    let asked = AddRequest { pick: Pick::All, ..request(source) };
    match service.add(&asked).expect("something was added") {
        AddOutcome::Many(batch) => batch,
        AddOutcome::One(result) => panic!("all were asked for: {result:?}"),
    }
}

fn body(world: &World, id: &str) -> String {
    fs_err::read_to_string(world.promoted(id).join("SKILL.md")).expect("promoted")
}

#[test]
fn a_skill_is_added_with_its_commit_and_followed_on_its_branch() {
    let server = GitServer::new();
    let work = server.repository();
    work.skill("skills/alpha", "one");
    let first = work.push("trunk");
    let world = world(&server);
    let added = add(&world, "acme/tools");
    let record = added.capability.expect("a record");
    assert_eq!(
        (record.source, record.source_ref.as_str()),
        (StoredSource::Github, "https://github.com/acme/tools")
    );
    let package = added.package.expect("a package");
    assert_eq!((package.commit, package.subpath.as_deref()), (Some(first), Some("skills/alpha")));
    assert_eq!(world.status("alpha"), VerifyStatus::Ok);
    assert!(!world.root().join("capabilities/.staging").read_dir().expect("read").any(|_| true));

    let asked = server.requests().len();
    assert!(!world.service.update(&change("alpha")).expect("asked").changed);
    let since = server.requests().split_off(asked);
    assert!(since.iter().all(|line| line.starts_with("GET")), "nothing is fetched: {since:?}");

    work.skill("skills/alpha", "two");
    work.write("skills/alpha/new.md", "new");
    work.skill("skills/beta", "not asked for");
    let second = work.push("trunk");
    let outdated = world.service.outdated().expect("asked");
    assert_eq!((outdated.ok, outdated.results[0].status), (false, CompareStatus::Differs));
    assert_eq!(outdated.results[0].other.as_ref(), Some(&second));
    let diff = world.service.diff("alpha", &Against::Source).expect("compared");
    let files: Vec<_> = diff.files.iter().map(|file| (file.path.as_str(), file.change)).collect();
    assert_eq!(files, [("SKILL.md", FileChangeKind::Changed), ("new.md", FileChangeKind::Added)]);
    assert!(diff.files[0].text.as_ref().expect("text").contains("-one\n+two"));
    assert!(body(&world, "alpha").contains("one"), "looking changes nothing");

    let updated = world.service.update(&change("alpha")).expect("updated");
    assert!(updated.changed);
    assert_eq!(updated.package.expect("a package").commit, Some(second));
    assert!(body(&world, "alpha").contains("two"));
    assert!(!world.promoted("beta").exists(), "only what was named is updated");
    assert!(world.service.outdated().expect("asked").ok);
    world.service.revert(&change("alpha")).expect("reverted");
    assert!(body(&world, "alpha").contains("one"));
}

#[test]
fn one_of_many_is_picked_in_the_source_or_by_name_and_all_go_in_one_by_one() {
    let server = GitServer::new();
    let work = server.repository();
    for name in ["alpha", "beta", "gamma"] {
        work.skill(&format!("skills/{name}"), "one");
    }
    work.write("skills/broken/SKILL.md", "no front matter");
    std::os::unix::fs::symlink("/etc/passwd", work.path.join("skills/gamma/pw")).expect("linked");
    work.write("tools/echo/index.mjs", "export default 1");
    work.push("trunk");
    let world = world(&server);
    let error = one(world.service.add(&request("acme/tools"))).expect_err("there are several");
    assert_eq!(kitbag_types::Coded::code(&error), Code::SourceChooseOne);
    assert!(error.to_string().contains("`alpha`, `beta`"), "{error}");
    add(&world, "acme/tools@beta");
    let batch = all(&world.service, "acme/tools");
    let outcomes: Vec<_> = batch
        .results
        .iter()
        .map(|item| (item.id.as_str(), item.error.as_ref().map(|error| error.code.as_str())))
        .collect();
    assert_eq!(
        outcomes,
        [
            ("alpha", None),
            ("skills/beta", Some("registry/id-taken")),
            ("skills/broken", Some("scan/blocked")),
            ("skills/gamma", Some("package/symlink")),
            ("tools/echo", Some("kind/not-built")),
        ]
    );
    assert_eq!(world.service.list(None).expect("listed").capabilities.len(), 2);
}

#[test]
fn a_tag_stays_and_one_that_moved_is_refused() {
    let server = GitServer::new();
    let work = server.repository();
    work.skill("alpha", "one");
    work.push("trunk");
    work.git(&["tag", "v1"]);
    work.git(&["push", "--quiet", "origin", "v1"]);
    let world = world(&server);
    add(&world, "acme/tools#v1");
    work.skill("alpha", "two");
    work.push("trunk");
    assert!(!world.service.update(&change("alpha")).expect("asked").changed);
    work.git(&["tag", "--force", "v1"]);
    work.git(&["push", "--quiet", "--force", "origin", "v1"]);
    let error = world.service.update(&change("alpha")).expect_err("the tag moved");
    assert_eq!(kitbag_types::Coded::code(&error), Code::SourceTagMoved);
    assert!(error.to_string().contains("refs/tags/v1"), "{error}");
    let outdated = world.service.outdated().expect("asked");
    assert_eq!(outdated.results[0].status, CompareStatus::TagMoved);
    assert!(body(&world, "alpha").contains("one"));
}

#[test]
fn a_commit_is_pinned_and_a_renamed_default_branch_is_followed() {
    let server = GitServer::new();
    let work = server.repository();
    work.skill("alpha", "one");
    work.skill("beta", "one");
    let first = work.push("trunk");
    let world = world(&server);
    add(&world, &format!("acme/tools#{first}@alpha"));
    add(&world, "acme/tools@beta");
    work.skill("alpha", "two");
    work.skill("beta", "two");
    work.push("other");
    work.served(&["symbolic-ref", "HEAD", "refs/heads/other"]);
    assert!(!world.service.update(&change("alpha")).expect("asked").changed);
    assert!(world.service.update(&change("beta")).expect("updated").changed);
    assert!(body(&world, "beta").contains("two"));
}

#[test]
fn an_update_that_cannot_be_made_leaves_what_is_installed_and_says_so() {
    let server = GitServer::new();
    let work = server.repository();
    work.skill("skills/alpha", "one");
    work.push("trunk");
    let world = world(&server);
    add(&world, "acme/tools");
    work.skill("skills/alpha", "two");
    work.push("trunk");
    let before = tree(&world.promoted("alpha"));
    let check = |expected: Code, kind: ErrorKind| {
        let error = world.service.update(&change("alpha")).expect_err("refused");
        let found = kitbag_types::Coded::code(&error);
        assert_eq!((found, found.kind()), (expected, kind), "{error}");
        assert!(error.to_string().contains("`alpha` stays as it is (sha256:"), "{error}");
        assert_eq!(tree(&world.promoted("alpha")), before);
        assert_eq!(world.status("alpha"), VerifyStatus::Ok);
    };
    server.behave(Manner::Status(404));
    check(Code::SourceGone, ErrorKind::Refused);
    server.behave(Manner::Status(503));
    check(Code::SourceUnreachable, ErrorKind::Environment);
    server.behave(Manner::Breaks);
    check(Code::SourceBroken, ErrorKind::Environment);
    server.behave(Manner::Good);
    work.write("skills/alpha/run.py", "x = 1 # \u{202e}\n");
    work.push("trunk");
    check(Code::ScanBlocked, ErrorKind::Refused);
    work.git(&["rm", "-r", "--quiet", "skills/alpha"]);
    work.skill("skills/other", "one");
    work.push("trunk");
    check(Code::SourceGone, ErrorKind::Refused);
}

#[test]
fn a_local_source_that_vanished_leaves_what_is_installed() {
    let world = World::new();
    world.installed("notes", "one");
    fs_err::remove_dir_all(world.source("notes")).expect("ours");
    let error = world.service.update(&change("notes")).expect_err("gone");
    assert_eq!(kitbag_types::Coded::code(&error), Code::SourceGone);
    assert_eq!(world.service.outdated().expect("asked").results[0].status, CompareStatus::Gone);
    assert_eq!(world.status("notes"), VerifyStatus::Ok);
}

#[test]
fn links_are_files_only_where_a_person_says_so_each_named() {
    let server = GitServer::new();
    let work = server.repository();
    work.skill("skills/alpha", "one");
    work.write("shared.md", "shared");
    std::os::unix::fs::symlink("../../shared.md", work.path.join("skills/alpha/shared.md"))
        .expect("linked");
    work.push("trunk");
    let world = world(&server);
    assert_eq!(code(one(world.service.add(&request("acme/tools")))), Code::PackageSymlink);
    let asked = AddRequest { links: Links::Resolve, ..request("acme/tools") };
    let added = one(world.service.add(&asked)).expect("added");
    assert!(
        added.warnings[0].message.contains("shared.md (a link, taken as the file `shared.md`)"),
        "{:?}",
        added.warnings
    );
    let copied =
        fs_err::symlink_metadata(world.promoted("alpha").join("shared.md")).expect("there");
    assert!(copied.is_file());
}

#[test]
fn missing_files_are_repaired_from_the_pinned_commit_whatever_the_branch_is_now() {
    let server = GitServer::new();
    let work = server.repository();
    work.skill("alpha", "one");
    work.write("alpha/more.md", "more");
    work.push("trunk");
    let world = world(&server);
    add(&world, "acme/tools");
    work.skill("alpha", "two");
    work.push("trunk");
    fs_err::remove_file(world.promoted("alpha").join("more.md")).expect("ours");
    world.verify(Mend::Repair);
    assert_eq!(world.status("alpha"), VerifyStatus::Ok);
    assert!(body(&world, "alpha").contains("one"));
}

#[test]
fn edits_by_hand_are_kept_over_an_update_from_a_repository() {
    let server = GitServer::new();
    let work = server.repository();
    work.skill("alpha", "one");
    work.push("trunk");
    let world = world(&server);
    add(&world, "acme/tools");
    write(&world.promoted("alpha").join("mine.md"), "mine");
    work.skill("alpha", "two");
    work.push("trunk");
    assert_eq!(code(world.service.update(&change("alpha"))), Code::PackageModified);
    world
        .service
        .update(&ChangeRequest { edits: Edits::Keep, ..change("alpha") })
        .expect("updated");
    world.service.revert(&change("alpha")).expect("reverted");
    assert!(world.promoted("alpha").join("mine.md").exists());
}

/// Calls everything off at the n-th look.
struct CallsOff(AtomicU64);

impl Watch for CallsOff {
    fn is_cancelled(&self) -> bool {
        self.0
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| Some(left.saturating_sub(1)))
            == Ok(0)
    }
}

#[test]
fn called_off_at_any_moment_an_add_leaves_the_root_as_it_was() {
    let server = GitServer::new();
    let work = server.repository();
    work.skill("alpha", &"long ".repeat(2_000));
    for number in 0..20 {
        work.write(&format!("alpha/f{number}"), "x");
    }
    work.push("trunk");
    let mut ended_otherwise = false;
    for moment in 0..80 {
        let watch = Arc::new(CallsOff(AtomicU64::new(moment)));
        let world =
            World::with_remote(server.remote_within(Duration::from_secs(20), 1 << 30), watch);
        match one(world.service.add(&request("acme/tools"))) {
            Ok(_) => ended_otherwise = true,
            Err(error) => {
                assert_eq!(kitbag_types::Coded::code(&error), Code::OperationCancelled, "{error}");
                assert!(tree(&world.root()).is_empty(), "{moment}: {:?}", tree(&world.root()));
                assert!(!Path::new(&world.root()).join("db/capabilities.sqlite").exists());
            }
        }
    }
    assert!(ended_otherwise, "late enough it is done");
}

#[test]
fn two_hundred_skills_go_in_each_in_its_own_transaction() {
    let server = GitServer::new();
    let work = server.repository();
    for number in 0..200 {
        work.skill(&format!("skills/s{number}"), "one");
    }
    work.push("trunk");
    let world = world(&server);
    let batch = all(&world.service, "acme/tools");
    assert!(batch.ok && batch.results.len() == 200);
    let fetches = server.requests().iter().filter(|line| line.starts_with("POST")).count();
    assert!(fetches <= 2, "the repository is fetched once, not {fetches} times");
    assert_eq!(
        world.service.history(None, kitbag_lifecycle::Chain::Verify).expect("read").entries.len(),
        200
    );
    assert!(world.verify(Mend::Nothing).ok);
}
