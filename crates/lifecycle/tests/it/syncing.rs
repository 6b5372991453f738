//! A root made equal to another by a lock file, and what cannot be had named.

use std::sync::Arc;

use kitbag_lifecycle::{
    AddRequest, Edits, Enable, GcRequest, LifecycleError, Mode, Pick, Review, SyncMode,
    SyncRequest, parse_lock,
};
use kitbag_types::{Code, CompareResult, CompareStatus, LockFile, Unwatched, VerifyStatus};

use crate::server::{GitServer, Manner};
use crate::support::{World, change, code, person, tree, write};

fn locked(world: &World) -> LockFile {
    world.service.export_lock(&world.folder.path().join("sources")).expect("exported")
}

fn request(world: &World, lock: &LockFile, mode: SyncMode) -> SyncRequest {
    SyncRequest {
        principal: person(),
        lock: lock.clone(),
        base: world.folder.path().join("sources"),
        mode,
        edits: Edits::Refuse,
        review: Review::Refuse,
        accept: Vec::new(),
    }
}

fn sync(world: &World, lock: &LockFile, mode: SyncMode) -> CompareResult {
    world.service.sync(&request(world, lock, mode)).expect("compared")
}

fn statuses(result: &CompareResult) -> Vec<(&str, CompareStatus, bool)> {
    result.results.iter().map(|item| (item.id.as_str(), item.status, item.changed)).collect()
}

fn add_all(world: &World, source: &str) {
    let asked = AddRequest {
        pick: Pick::All,
        enable: Enable::Yes,
        ..AddRequest::new(person(), source, world.folder.path())
    };
    world.service.add(&asked).expect("added");
}

#[test]
fn another_root_becomes_equal_byte_for_byte_and_equal_roots_give_equal_files() {
    let server = GitServer::new();
    let work = server.repository();
    for name in ["alpha", "beta"] {
        work.skill(&format!("skills/{name}"), "one");
        work.write(&format!("skills/{name}/more.md"), "more");
    }
    work.push("trunk");
    let here = World::with_remote(server.remote(), Arc::new(Unwatched));
    add_all(&here, "acme/tools");
    here.service.disable(&change("beta")).expect("disabled");
    let lock = locked(&here);
    // The branch goes on; the commit is pinned.
    work.skill("skills/alpha", "two");
    work.push("trunk");

    let there = World::with_remote(server.remote(), Arc::new(Unwatched));
    let checked = sync(&there, &lock, SyncMode::Check);
    assert_eq!(
        statuses(&checked),
        [("alpha", CompareStatus::Missing, false), ("beta", CompareStatus::Missing, false)]
    );
    assert!(tree(&there.root()).is_empty(), "checking changes nothing");
    let posts = server.requests().iter().filter(|line| line.starts_with("POST")).count();
    assert!(sync(&there, &lock, SyncMode::Frozen).ok);
    let after = server.requests().iter().filter(|line| line.starts_with("POST")).count();
    assert!(after - posts <= 3, "one commit is fetched once, not {} times", after - posts);
    for id in ["alpha", "beta"] {
        assert_eq!(tree(&there.promoted(id)), tree(&here.promoted(id)));
        assert_eq!(there.status(id), VerifyStatus::Ok);
    }
    assert_eq!(locked(&there), lock, "equal roots, equal files");
    let again = sync(&there, &lock, SyncMode::Frozen);
    assert!(again.ok && again.results.iter().all(|item| !item.changed));
    assert_eq!(
        there.service.history(None, kitbag_lifecycle::Chain::Verify).expect("read").entries.len(),
        2
    );
}

#[test]
fn each_difference_that_stays_is_named() {
    let server = GitServer::new();
    let work = server.repository();
    for name in ["alpha", "beta", "gamma", "same"] {
        work.skill(name, "one");
    }
    work.push("trunk");
    let world = World::with_remote(server.remote(), Arc::new(Unwatched));
    add_all(&world, "acme/tools");
    let mut lock = locked(&world);
    // A changed upstream: the commit is there, and its bytes are not the pinned ones.
    lock.capabilities[0].digest = kitbag_types::Digest::of_bytes(b"other");
    // A missing commit.
    lock.capabilities[1].digest = kitbag_types::Digest::of_bytes(b"other");
    lock.capabilities[1].commit = Some("0123456789abcdef0123456789abcdef01234567".to_owned());
    // An edited package.
    write(&world.promoted("gamma").join("mine.md"), "mine");
    let before = ["alpha", "beta", "gamma"].map(|id| tree(&world.promoted(id)));
    let result = sync(&world, &lock, SyncMode::Frozen);
    assert!(!result.ok);
    assert_eq!(
        statuses(&result),
        [
            ("alpha", CompareStatus::Differs, false),
            ("beta", CompareStatus::Gone, false),
            ("gamma", CompareStatus::Modified, false),
            ("same", CompareStatus::Same, false),
        ]
    );
    let note = |at: usize| result.results[at].note.clone().expect("a note");
    assert!(note(0).contains("is pinned to sha256:"), "{}", note(0));
    assert!(note(1).contains("does not have the commit 0123456789abcdef"), "{}", note(1));
    assert!(note(2).contains("--force"), "{}", note(2));
    assert_eq!(["alpha", "beta", "gamma"].map(|id| tree(&world.promoted(id))), before);
    server.behave(Manner::Status(503));
    let result = sync(&world, &lock, SyncMode::Apply);
    assert_eq!(result.results[0].status, CompareStatus::Unreachable);
}

#[test]
fn a_local_skill_is_found_from_the_lock_files_folder() {
    let here = World::new();
    here.installed("notes", "one");
    let lock = locked(&here);
    assert_eq!(lock.capabilities[0].source_ref, "./notes");
    let there = World::new();
    there.skill("notes", "one");
    assert!(sync(&there, &lock, SyncMode::Apply).ok);
    assert_eq!(tree(&there.promoted("notes")), tree(&here.promoted("notes")));
    there.skill("notes", "two");
    there.service.update(&change("notes")).expect("updated");
    // The source has moved on, and the version is kept: it comes from there.
    let result = sync(&there, &lock, SyncMode::Apply);
    assert_eq!(statuses(&result), [("notes", CompareStatus::Differs, true)]);
    assert_eq!(tree(&there.promoted("notes")), tree(&here.promoted("notes")));
}

#[test]
fn what_is_not_locked_stays_unless_the_root_shall_be_equal() {
    let world = World::new();
    world.installed("notes", "one");
    let lock = locked(&world);
    world.installed("extra", "one");
    world.service.disable(&change("notes")).expect("disabled");
    let result = sync(&world, &lock, SyncMode::Apply);
    assert_eq!(
        statuses(&result),
        [("extra", CompareStatus::Extra, false), ("notes", CompareStatus::Settings, true)]
    );
    assert!(result.ok && world.promoted("extra").exists());
    assert!(world.service.inspect("notes").expect("there").capability.enabled);
    assert!(sync(&world, &lock, SyncMode::Frozen).ok);
    assert!(!world.promoted("extra").exists());
    world.service.revert(&change("extra")).expect("removed is not lost");
}

#[test]
fn a_lock_file_that_cannot_be_meant_is_refused() {
    let refused = |text: &str| match parse_lock(text) {
        Err(error) => (kitbag_types::Coded::code(&error), error.to_string()),
        Ok(lock) => panic!("{lock:?}"),
    };
    let world = World::new();
    world.installed("notes", "one");
    let text = serde_json::to_string(&locked(&world)).expect("plain data");
    assert!(parse_lock(&text).is_ok());
    for (broken, says) in [
        ("{", "cannot be read"),
        (&text.replace("\"version\":1", "\"version\":2"), "version 2"),
        (&text.replace("notes\",\"kind", "../notes\",\"kind"), "not a capability id"),
        (&text.replace("sha256:", "md5:"), "not a digest"),
        (&text.replace("\"enabled\"", "\"unknown\":1,\"enabled\""), "unknown field `unknown`"),
    ] {
        let (code, message) = refused(broken);
        assert_eq!(code, Code::LockInvalid);
        assert!(message.contains(says), "`{message}` does not say `{says}`");
    }
    let mut twice = locked(&world);
    twice.capabilities.push(twice.capabilities[0].clone());
    let (_, message) = refused(&serde_json::to_string(&twice).expect("plain data"));
    assert!(message.contains("`notes` twice"), "{message}");
}

#[test]
fn an_agent_may_compare_and_not_sync() {
    let world = World::new();
    world.installed("notes", "one");
    let lock = locked(&world);
    let agent = kitbag_types::Principal::Agent { agent: "helper".to_owned(), event_id: None };
    let ask = |mode| -> Result<CompareResult, LifecycleError> {
        world
            .service
            .sync(&SyncRequest { principal: agent.clone(), ..request(&world, &lock, mode) })
    };
    assert!(ask(SyncMode::Check).expect("compared").ok);
    assert_eq!(code(ask(SyncMode::Apply)), Code::ApprovalRequired);
}

#[test]
fn gc_lets_go_of_the_oldest_versions_and_of_what_nothing_names() {
    let world = World::new();
    world.installed("notes", "0");
    for body in ["1", "2", "3"] {
        world.skill("notes", body);
        world.service.update(&change("notes")).expect("updated");
    }
    world.installed("gone", "0");
    world.service.remove(&change("gone")).expect("removed");
    let previous = world.root().join("capabilities/.previous");
    let count = || fs_err::read_dir(&previous).expect("read").count();
    assert_eq!(count(), 4);
    let gc = |keep, mode| {
        world.service.gc(&GcRequest { principal: person(), keep, mode }).expect("collected")
    };
    assert_eq!(gc(1, Mode::Plan).forgotten.len(), 2);
    assert_eq!(count(), 4, "a plan changes nothing");
    assert!(gc(1, Mode::Apply).changed);
    assert_eq!(count(), 2);
    assert!(!gc(1, Mode::Apply).changed);
    // What somebody else put there is no litter of ours.
    let stranger = previous.join(format!("sha256-{}", "0".repeat(64)));
    write(&stranger.join("SKILL.md"), "somebody's last copy");
    assert!(gc(0, Mode::Apply).changed);
    assert_eq!(count(), 1);
    assert!(stranger.exists());
    assert_eq!(code(world.service.revert(&change("notes"))), Code::RegistryNoKept);
    assert_eq!(world.status("notes"), VerifyStatus::Ok);
}
