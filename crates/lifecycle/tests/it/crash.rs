//! A process that is killed at any failpoint of any mutation leaves a root that the next open
//! finds whole: the mutation happened, or it did not.
#![expect(
    clippy::disallowed_methods,
    reason = "the killed process is this test, told so by its environment"
)]

use std::env;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;

use kitbag_lifecycle::{AddRequest, CapabilityLifecycleService, LifecycleError, Mend};
use kitbag_types::{Action, Failpoint, Faults, VerifyStatus};
use rustix::process::{Signal, getpid, kill_process};

use crate::support::{World, change, forced, open, person, tree, write};

const FOLDER: &str = "KITBAG_TEST_CRASH_FOLDER";
const WHERE: &str = "KITBAG_TEST_CRASH_WHERE";
const ACTION: &str = "KITBAG_TEST_CRASH_ACTION";

const ACTIONS: [Action; 5] =
    [Action::Add, Action::Update, Action::Remove, Action::Revert, Action::Repair];

/// Kills its own process at one failpoint.
struct KillAt(Failpoint);

impl Faults for KillAt {
    fn reach(&self, point: Failpoint) {
        if point == self.0 {
            let _ = kill_process(getpid(), Signal::KILL);
        }
    }
}

fn act(
    service: &CapabilityLifecycleService,
    action: Action,
    folder: &Path,
) -> Result<(), LifecycleError> {
    match action {
        Action::Add => {
            let source = folder.join("sources/fresh").display().to_string();
            service.add(&AddRequest::new(person(), source, folder)).map(|_| ())
        }
        Action::Update => service.update(&change("notes")).map(|_| ()),
        Action::Remove => service.remove(&forced("edited")).map(|_| ()),
        Action::Revert => service.revert(&change("other")).map(|_| ()),
        _ => service
            .verify(&kitbag_lifecycle::VerifyRequest {
                principal: person(),
                ids: vec!["broken".to_owned()],
                mend: Mend::Repair,
                review: kitbag_lifecycle::Review::Refuse,
            })
            .map(|_| ()),
    }
}

/// A root in which each action has something to do.
fn prepared() -> World {
    let world = World::new();
    world.installed("notes", "one");
    world.skill("notes", "two");
    world.installed("other", "one");
    world.skill("other", "two");
    world.service.update(&change("other")).expect("updated");
    world.installed("edited", "one");
    write(&world.promoted("edited").join("mine.txt"), "mine");
    let source = world.skill("broken", "one");
    write(&source.join("a.md"), "a");
    world.add(&source).expect("added");
    fs_err::remove_file(world.promoted("broken").join("a.md")).expect("lost");
    world.skill("fresh", "one");
    world
}

/// What a person sees of a root: the records without their times, the packages, the kept versions.
fn visible(world: &World) -> String {
    let list = world.service.list(None).expect("listed");
    let mut out = String::new();
    for record in &list.capabilities {
        let inspected = world.service.inspect(record.id.as_str()).expect("inspected");
        let previous = inspected.package.as_ref().and_then(|package| package.previous);
        out += &format!(
            "{} {} {:?} {previous:?} {:?}\n",
            record.id, record.enabled, inspected.status, inspected.kept
        );
        out += &format!("{:?}\n", tree(&world.promoted(record.id.as_str())));
    }
    out
}

fn killed(world: &World, action: Action, point: Failpoint) -> bool {
    let status = Command::new(env::current_exe().expect("a test binary"))
        .args(["--exact", "crash::killed_at_every_failpoint_of_every_mutation", "--nocapture"])
        .env(FOLDER, world.folder.path())
        .env(WHERE, point.as_str())
        .env(ACTION, action.as_str())
        .output()
        .expect("started")
        .status;
    use std::os::unix::process::ExitStatusExt as _;
    assert!(
        status.success() || status.signal() == Some(9),
        "{action} at {}: {status}",
        point.as_str()
    );
    status.signal() == Some(9)
}

#[test]
fn killed_at_every_failpoint_of_every_mutation() {
    if let Some(folder) = env::var_os(FOLDER) {
        let point = env::var(WHERE).expect("where");
        let point =
            Failpoint::ALL.into_iter().find(|known| known.as_str() == point).expect("known");
        let action: Action = env::var(ACTION).expect("what").parse().expect("known");
        let folder = Path::new(&folder);
        let service = open(folder, 500_000_000, Arc::new(KillAt(point))).expect("opened");
        act(&service, action, folder).expect("done");
        return;
    }
    for action in ACTIONS {
        let untouched = visible(&prepared());
        let done = prepared();
        act(&done.service, action, done.folder.path()).expect("done");
        let done = visible(&done);
        assert_ne!(untouched, done, "{action} does something");
        for point in Failpoint::ALL {
            let world = prepared();
            let was_killed = killed(&world, action, point);
            // Nothing is replaced by an add, so nothing is kept.
            assert!(was_killed, "{action} passes {}", point.as_str());
            let world = world.reopen();
            let expected = if point == Failpoint::Committed { &done } else { &untouched };
            assert_eq!(&visible(&world), expected, "{action} killed at {}", point.as_str());
            check_agreement(&world, action, point);
            // What was interrupted can be done now.
            if point != Failpoint::Committed {
                act(&world.service, action, world.folder.path()).expect("done the second time");
                assert_eq!(visible(&world), done, "{action} after {}", point.as_str());
            }
            check_agreement(&world, action, point);
        }
    }
}

/// The registry and the packages agree, the history holds, and the next mutation leaves no litter.
#[track_caller]
fn check_agreement(world: &World, action: Action, point: Failpoint) {
    let place = format!("{action} at {}", point.as_str());
    for item in world.verify(Mend::Nothing).results {
        let by_hand = matches!(
            (item.id.as_str(), item.status),
            ("edited" | "broken", VerifyStatus::Modified)
        );
        assert!(item.status == VerifyStatus::Ok || by_hand, "{place}: {item:?}");
    }
    let history = world.service.history(None, kitbag_lifecycle::Chain::Verify).expect("read");
    assert_eq!(history.first_broken, None, "{place}");
    // Any mutation sweeps what dead processes left.
    let switched = if world
        .service
        .list(None)
        .expect("listed")
        .capabilities
        .iter()
        .any(|r| r.id.as_str() == "notes" && r.enabled)
    {
        world.service.disable(&change("notes")).and_then(|_| world.service.enable(&change("notes")))
    } else {
        world.service.enable(&change("notes"))
    };
    switched.expect("switched");
    let capabilities = world.root().join("capabilities");
    assert!(tree(&capabilities.join(".staging")).is_empty(), "{place}: litter in staging");
    let kept = fs_err::read_dir(capabilities.join(".previous")).map_or(0, Iterator::count);
    let mut known: Vec<_> = Vec::new();
    for id in ["notes", "other", "edited", "broken", "fresh"] {
        if let Ok(inspected) = world.service.inspect(id) {
            known.extend(inspected.kept);
        }
    }
    known.sort();
    known.dedup();
    // A removed capability's version is kept, and has no record to inspect.
    let removed = usize::from(world.service.inspect("edited").is_err());
    assert_eq!(kept, known.len() + removed, "{place}: litter among the kept versions");
}
