//! How a child ends that does not answer. The host goes on each time.

use std::process::id;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use kitbag_sandbox::{Death, Limits, Sandbox, SandboxError};
use kitbag_types::{Unwatched, Watch};

use crate::support::{answer, child, error, is_running};

#[test]
fn memory_runs_out() {
    let limits = Limits { memory: 64 << 20, ..Limits::default() };
    let error = error("memory ", limits);
    assert!(matches!(error, SandboxError::Memory { limit } if limit == 64 << 20), "{error:?}");
}

#[test]
fn the_stack_overflows() {
    let error = error("recurse ", Limits::default());
    let SandboxError::Crashed { death: Death::Signal(_), said } = &error else {
        panic!("{error:?}");
    };
    assert!(said.contains("overflowed its stack"), "{said}");
}

#[test]
fn it_panics() {
    let error = error("panic at the disco", Limits::default());
    assert!(matches!(error, SandboxError::Crashed { death: Death::Exit(101), .. }), "{error:?}");
    assert!(error.to_string().contains("exit code 101"), "{error}");
}

#[test]
fn it_exits_without_a_word() {
    let error = error("exit 7", Limits::default());
    assert_eq!(error.to_string(), "it ended without an answer: exit code 7");
}

#[test]
fn processor_time_is_over() {
    // A loaded machine takes its time to spend a second.
    let wall = Duration::from_secs(100);
    let limits = Limits { cpu: Duration::from_millis(1), wall, ..Limits::default() };
    let error = error("loop ", limits);
    assert!(
        matches!(error, SandboxError::Timeout { limit } if limit == Duration::from_secs(1)),
        "{error:?}"
    );
}

#[test]
fn time_is_over_and_nothing_is_left() {
    let marker = format!("kitbag-time-is-over-{}", id());
    let limits = Limits { wall: Duration::from_millis(300), ..Limits::default() };
    let sandbox = Sandbox::new(child(), [&marker], limits);
    let started = Instant::now();
    let error = sandbox.run(b"loop ", &Unwatched).expect_err("no answer");
    assert!(matches!(error, SandboxError::Timeout { .. }), "{error:?}");
    assert!(started.elapsed() >= Duration::from_millis(300));
    assert!(!is_running(&marker));
}

/// Calls off as soon as the child can be seen.
struct WhenSeen {
    marker: String,
    was_seen: AtomicBool,
}

impl Watch for WhenSeen {
    fn is_cancelled(&self) -> bool {
        let is_seen = is_running(&self.marker);
        self.was_seen.fetch_or(is_seen, Ordering::Relaxed);
        is_seen
    }
}

#[test]
fn it_is_called_off_and_nothing_is_left() {
    let marker = format!("kitbag-called-off-{}", id());
    let sandbox = Sandbox::new(child(), [&marker], Limits::default());
    let watch = WhenSeen { marker: marker.clone(), was_seen: AtomicBool::new(false) };
    let error = sandbox.run(b"loop ", &watch).expect_err("no answer");
    assert!(matches!(error, SandboxError::Cancelled), "{error:?}");
    assert!(watch.was_seen.load(Ordering::Relaxed));
    assert!(!is_running(&marker));
}

#[test]
fn it_falls_silent_and_is_killed() {
    let marker = format!("kitbag-silent-{}", id());
    let sandbox = Sandbox::new(child(), [&marker], Limits::default());
    let error = sandbox.run(b"fall-silent ", &Unwatched).expect_err("no answer");
    assert!(matches!(error, SandboxError::Crashed { death: Death::Silent, .. }), "{error:?}");
    assert!(!is_running(&marker));
}

#[test]
fn the_program_is_not_there() {
    let sandbox = Sandbox::new("/nowhere/kitbag", [""; 0], Limits::default());
    let error = sandbox.run(b"", &Unwatched).expect_err("not started");
    assert_eq!(error.to_string(), "`/nowhere/kitbag` cannot be started as a child");
}

#[test]
fn the_next_child_knows_nothing_of_the_last() {
    for _ in 0..3 {
        error("recurse ", Limits::default());
        assert_eq!(answer("echo still here", Limits::default()), "still here");
    }
}
