//! Several writers, a killed writer, and a folder that may not be written.
#![expect(
    clippy::disallowed_methods,
    reason = "the other process is this test, told so by its environment"
)]

use std::env;
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use kitbag_store::{Change, Registry as _, SqliteRegistry, StoredRecord};
use kitbag_types::{Code, Coded as _};
use rustix::process::{Signal, getpid, getuid, kill_process};

use crate::support::{PATIENCE, World, event, record};

const PATH: &str = "KITBAG_TEST_DATABASE";
const TASK: &str = "KITBAG_TEST_TASK";

/// Nobody, everywhere.
const UNPRIVILEGED: u32 = 65_534;

/// Starts one test of this binary again, as another process with a task.
fn child(binary: &Path, test: &str, path: &Path, task: &str) -> Command {
    let mut command = Command::new(binary);
    command.args(["--exact", test, "--nocapture"]).env(PATH, path).env(TASK, task);
    command
}

fn this_binary() -> std::path::PathBuf {
    env::current_exe().expect("a test binary")
}

#[test]
fn writers_of_many_processes_take_turns() {
    const TEST: &str = "processes::writers_of_many_processes_take_turns";
    if let (Ok(path), Ok(task)) = (env::var(PATH), env::var(TASK)) {
        let registry = SqliteRegistry::open(Path::new(&path)).expect("opens");
        for number in 0..5 {
            let id = format!("{task}-{number}");
            let changes = [Change::Insert(record(&id)), Change::Record(event(&id))];
            registry.write(PATIENCE).expect("writable").apply(&changes).expect("applied");
            assert!(registry.find(&id).expect("asked").is_some());
        }
        return;
    }
    let world = World::new();
    let children: Vec<_> = (0..8)
        .map(|number| {
            let task = format!("p{number}");
            child(&this_binary(), TEST, &world.path(), &task).spawn().expect("started")
        })
        .collect();
    for mut child in children {
        assert!(child.wait().expect("waited").success());
    }
    let registry = world.open();
    assert_eq!(registry.list().expect("listed").len(), 40);
    assert_eq!(registry.history(None).expect("asked").len(), 40);
    assert_eq!(registry.first_broken_link().expect("asked"), None);
}

#[test]
fn a_writer_that_waits_too_long_says_who_is_in_the_way() {
    let world = World::ours();
    let (first, second) = (world.open(), world.open());
    let _writer = first.write(PATIENCE).expect("writable");
    let error = second.write(Duration::from_millis(30)).err().expect("locked");
    assert_eq!(error.code(), Code::StoreLocked);
    assert!(error.to_string().contains("capabilities.sqlite.lock"), "{error}");
    // Readers do not wait.
    assert_eq!(second.list().expect("listed").len(), 1);
}

#[test]
fn a_killed_writer_leaves_nothing_half_done_and_nobody_locked_out() {
    const TEST: &str = "processes::a_killed_writer_leaves_nothing_half_done_and_nobody_locked_out";
    if let (Ok(path), Ok(_)) = (env::var(PATH), env::var(TASK)) {
        let registry = SqliteRegistry::open(Path::new(&path)).expect("opens");
        let mut writer = registry.write(PATIENCE).expect("writable");
        writer.apply(&[Change::Insert(record("done"))]).expect("applied");
        kill_process(getpid(), Signal::KILL).expect("killed");
    }
    let world = World::ours();
    let status = child(&this_binary(), TEST, &world.path(), "die").status().expect("started");
    assert!(!status.success());
    let registry = world.open();
    drop(registry.write(Duration::ZERO).expect("the lock went with its holder"));
    assert_eq!(registry.find("done").expect("asked"), Some(StoredRecord::Sound(record("done"))));
}

/// Run as an ordinary user: root may write everywhere.
#[test]
fn a_folder_that_may_not_be_written_can_be_read() {
    const TEST: &str = "processes::a_folder_that_may_not_be_written_can_be_read";
    if let (Ok(path), Ok(_)) = (env::var(PATH), env::var(TASK)) {
        let registry = SqliteRegistry::open(Path::new(&path)).expect("opens");
        assert_eq!(registry.list().expect("listed").len(), 1);
        let error = registry.write(Duration::ZERO).err().expect("refused");
        assert_eq!(error.code(), Code::StoreReadOnly, "{error}");
        return;
    }
    let world = World::ours();
    let before = world.files();
    let tools = tempfile::tempdir().expect("a temporary folder");
    let binary = tools.path().join("it");
    fs_err::copy(this_binary(), &binary).expect("copied");
    for (path, mode) in [(world.folder.path(), 0o555), (tools.path(), 0o755)] {
        fs_err::set_permissions(path, std::fs::Permissions::from_mode(mode)).expect("set");
    }
    let mut command = child(&binary, TEST, &world.path(), "read");
    if getuid().is_root() {
        fs_err::set_permissions(world.path(), std::fs::Permissions::from_mode(0o644)).expect("set");
        command.uid(UNPRIVILEGED).gid(UNPRIVILEGED);
    }
    assert!(command.status().expect("started").success());
    let restored = std::fs::Permissions::from_mode(0o755);
    fs_err::set_permissions(world.folder.path(), restored).expect("set");
    assert_eq!(world.files(), before);
}
