//! Eight processes that add, update, enable, revert and remove at once.
#![expect(
    clippy::disallowed_methods,
    reason = "the other processes are this test, told so by their environment"
)]

use std::env;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;

use kitbag_lifecycle::{AddRequest, Chain, ChangeRequest, Edits, Mend};
use kitbag_types::{Code, Coded as _, NoFaults, VerifyStatus};

use crate::support::{World, open, person};

const FOLDER: &str = "KITBAG_TEST_PROCESSES_FOLDER";
const NUMBER: &str = "KITBAG_TEST_PROCESSES_NUMBER";
const TEST: &str = "processes::eight_processes_lose_nothing_and_never_wait_for_ever";

const PROCESSES: i64 = 8;
const ROUNDS: i64 = 30;

/// One process: works on skills that all share, and on one of its own.
fn work(folder: &Path, number: i64) {
    // Clocks of processes do not agree, and operation ids must differ all the same.
    let service = open(folder, number * 1_000_000_000, Arc::new(NoFaults)).expect("opened");
    let source = |name: &str| folder.join("sources").join(name).display().to_string();
    let own = format!("own-{number}");
    let mut done = 0;
    // Always the same choices for the same number, and other ones for each.
    let mut state = number.unsigned_abs();
    let mut choose = |among: u64| {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % among
    };
    for _ in 0..ROUNDS {
        let shared = format!("shared-{}", choose(3));
        let forced =
            |id: &str| ChangeRequest { edits: Edits::Keep, ..ChangeRequest::new(person(), id) };
        let outcome = match choose(6) {
            0 => service.add(&AddRequest::new(person(), source(&shared), folder)).map(|_| ()),
            1 => service.update(&forced(&shared)).map(|_| ()),
            2 => service.enable(&forced(&shared)).map(|_| ()),
            3 => service.revert(&forced(&shared)).map(|_| ()),
            4 => service.disable(&forced(&shared)).map(|_| ()),
            _ => service.remove(&forced(&shared)).map(|_| ()),
        };
        match outcome {
            Ok(()) => done += 1,
            Err(error) => {
                let expected = [
                    Code::RegistryIdTaken,
                    Code::RegistryNotFound,
                    Code::RegistryNoKept,
                    Code::MutationConflict,
                    Code::PackageInTheWay,
                    // Removed between the question and the answer.
                    Code::PackageMissing,
                    Code::PackageNotFound,
                    Code::PackageChanged,
                ];
                assert!(expected.contains(&error.code()), "{}: {error}", error.code().as_str());
            }
        }
    }
    // Nobody else touches this one: whatever the others do, it must be there.
    service.add(&AddRequest::new(person(), source(&own), folder)).expect("added");
    assert!(done > 0, "a process that never gets its turn");
}

#[test]
fn eight_processes_lose_nothing_and_never_wait_for_ever() {
    if let (Some(folder), Ok(number)) = (env::var_os(FOLDER), env::var(NUMBER)) {
        work(Path::new(&folder), number.parse().expect("a number"));
        return;
    }
    let world = World::new();
    for number in 0..3 {
        world.skill(&format!("shared-{number}"), "one");
    }
    for number in 1..=PROCESSES {
        world.skill(&format!("own-{number}"), "one");
    }
    let children: Vec<_> = (1..=PROCESSES)
        .map(|number| {
            Command::new(env::current_exe().expect("a test binary"))
                .args(["--exact", TEST, "--nocapture"])
                .env(FOLDER, world.folder.path())
                .env(NUMBER, number.to_string())
                .spawn()
                .expect("started")
        })
        .collect();
    for mut child in children {
        assert!(child.wait().expect("waited").success());
    }
    let world = world.reopen();
    for number in 1..=PROCESSES {
        assert_eq!(world.status(&format!("own-{number}")), VerifyStatus::Ok);
    }
    let verified = world.verify(Mend::Nothing);
    assert!(verified.ok, "{verified:?}");
    let history = world.service.history(None, Chain::Verify).expect("read");
    assert!(history.ok);
    assert_eq!(
        fs_err::read_dir(world.root().join("capabilities/.staging")).expect("read").count(),
        0
    );
}
