//! Locks that cannot be had: nothing runs, unless the limits allow it.

use kitbag_sandbox::{Limits, Lock, Need, Sandbox, SandboxError};
use kitbag_types::Unwatched;

use crate::support::{answer, without_calls};

#[test]
fn a_child_does_not_go_on_without_a_lock_it_needs() {
    let told = answer("enter-again strict", without_calls());
    assert!(told.starts_with("error: the lock `files` cannot be had: "), "{told}");
}

#[test]
fn a_child_goes_on_where_that_is_allowed_and_says_so() {
    let told = answer("enter-again tolerant", without_calls());
    assert_eq!(told, "privileges: full, files: no, resources: full, calls: no");
}

/// What the host makes of a report.
#[track_caller]
fn check(report: &str, limits: Limits, expected: Option<(Lock, &str)>) {
    let script = format!("cat >/dev/null; printf '{report}'");
    let sandbox = Sandbox::new("/bin/sh", ["-c", &script], limits);
    match (sandbox.probe(&Unwatched), expected) {
        (Ok(_), None) => {}
        (Err(SandboxError::Unavailable { lock, why }), Some(expected)) => {
            assert_eq!((lock, why.as_str()), expected);
        }
        (result, _) => panic!("`{report}`: {result:?}"),
    }
}

#[test]
fn a_host_hears_which_lock_cannot_be_had_and_why() {
    let report = r"\000\000\000\010\001\002no LSM";
    check(report, Limits::default(), Some((Lock::Files, "no LSM")));
}

#[test]
fn a_host_does_not_take_less_than_it_needs() {
    let no_files = r"\000\000\000\003\000\002\000";
    check(no_files, Limits::default(), Some((Lock::Files, "it was not reported")));
    let tolerant = Limits { files: Need::IfAvailable, ..Limits::default() };
    check(no_files, tolerant, None);
    let no_calls = r"\000\000\000\003\000\000\002";
    check(no_calls, Limits::default(), Some((Lock::Calls, "it was not reported")));
    // An older Landlock is enough: it holds files, and the list of calls holds the rest.
    check(r"\000\000\000\003\000\001\000", Limits::default(), None);
}
