//! A host that is killed cannot kill its child any more. The child ends all the same.
#![expect(
    clippy::disallowed_methods,
    reason = "the host to be killed is this test, told so by its environment"
)]

use std::env;
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use kitbag_sandbox::{Limits, Sandbox};
use kitbag_types::Unwatched;

use crate::support::{child, is_locked, is_running};

const MARKER: &str = "KITBAG_TEST_SANDBOX_ORPHAN";
const TEST: &str = "orphan::a_child_does_not_outlive_its_host";

/// Longer than a loaded machine takes, and shorter than the child's own limits.
const PATIENCE: Duration = Duration::from_secs(30);

#[test]
fn a_child_does_not_outlive_its_host() {
    match env::var_os(MARKER) {
        Some(marker) => {
            let long = Duration::from_secs(100);
            let limits = Limits { wall: long, cpu: long, ..Limits::default() };
            let _ = Sandbox::new(child(), [marker], limits).run(b"loop ", &Unwatched);
        }
        None => kill_a_host(),
    }
}

fn kill_a_host() {
    let marker = format!("kitbag-orphan-{}", std::process::id());
    let mut host = Command::new(env::current_exe().expect("a test binary"))
        .args(["--exact", TEST])
        .env(MARKER, &marker)
        .stdout(Stdio::null())
        .spawn()
        .expect("started");
    let was_seen = wait_until(|| is_locked(&marker));
    host.kill().expect("our own child");
    host.wait().expect("our own child");
    assert!(was_seen, "the test goes by another name than `{TEST}`");
    assert!(wait_until(|| !is_running(&marker)), "it lives on");
}

fn wait_until(is_so: impl Fn() -> bool) -> bool {
    let until = Instant::now() + PATIENCE;
    while Instant::now() < until {
        if is_so() {
            return true;
        }
        thread::yield_now();
    }
    false
}
