//! The child program, and what all tests ask of it.
#![expect(
    clippy::disallowed_methods,
    reason = "the suite that runs as another user hears by its environment where the program is"
)]

use std::env;
use std::path::PathBuf;

use kitbag_sandbox::{Limits, Need, Sandbox, SandboxError};
use kitbag_types::Unwatched;

/// Names the program where the built one may not be reached.
pub(crate) const CHILD: &str = "KITBAG_TEST_SANDBOX_CHILD";

pub(crate) fn child() -> PathBuf {
    env::var_os(CHILD)
        .map_or_else(|| env!("CARGO_BIN_EXE_kitbag-sandbox-test-child").into(), PathBuf::from)
}

pub(crate) fn sandbox(limits: Limits) -> Sandbox {
    Sandbox::new(child(), [""; 0], limits)
}

pub(crate) fn run(request: &str, limits: Limits) -> Result<Vec<u8>, SandboxError> {
    sandbox(limits).run(request.as_bytes(), &Unwatched)
}

#[track_caller]
pub(crate) fn answer(request: &str, limits: Limits) -> String {
    let answer = run(request, limits).unwrap_or_else(|error| panic!("`{request}`: {error:?}"));
    String::from_utf8(answer).expect("UTF-8")
}

#[track_caller]
pub(crate) fn error(request: &str, limits: Limits) -> SandboxError {
    run(request, limits).expect_err("no answer")
}

/// Everything but the allow list of system calls, to see what the other locks hold alone.
pub(crate) fn without_calls() -> Limits {
    Limits { calls: Need::LeftOut, ..Limits::default() }
}

/// Nothing but resources and privileges.
pub(crate) fn bare() -> Limits {
    Limits { files: Need::LeftOut, ..without_calls() }
}

/// Tells whether a process runs that was started with this argument.
pub(crate) fn is_running(marker: &str) -> bool {
    process(marker).is_some()
}

/// Tells whether such a process runs and has put on its last lock.
pub(crate) fn is_locked(marker: &str) -> bool {
    process(marker).is_some_and(|folder| {
        fs_err::read_to_string(folder.join("status"))
            .is_ok_and(|status| status.contains("Seccomp:\t2"))
    })
}

/// Returns the folder in `/proc` of a child that was started with this argument. A test binary is
/// never meant: it hears of markers by its environment.
fn process(marker: &str) -> Option<PathBuf> {
    fs_err::read_dir("/proc").expect("mounted").flatten().map(|entry| entry.path()).find(|path| {
        let line = fs_err::read(path.join("cmdline")).unwrap_or_default();
        line.split(|byte| *byte == 0).skip(1).any(|argument| argument == marker.as_bytes())
    })
}
