//! What a child cannot do. Each is tried with every lock, and again without the list of system
//! calls: two locks hold what matters, so that a hole in one of them is not enough.

use std::net::TcpListener;
use std::process::id;

use kitbag_sandbox::{Limits, Need, SandboxError};
use tempfile::{NamedTempFile, tempdir};

use crate::support::{answer, bare, error, without_calls};

/// With all locks the call ends the child; without the last one it is refused.
#[track_caller]
fn check(request: &str) {
    let with_all = error(request, Limits::default());
    assert!(matches!(with_all, SandboxError::Forbidden { .. }), "`{request}`: {with_all:?}");
    let told = answer(request, without_calls());
    assert!(told.starts_with("error: "), "`{request}` without the list of calls: {told}");
}

/// Only the list of system calls holds it.
#[track_caller]
fn check_calls(request: &str) {
    for files in [Need::Required, Need::LeftOut] {
        let error = error(request, Limits { files, ..Limits::default() });
        assert!(matches!(error, SandboxError::Forbidden { .. }), "`{request}`: {error:?}");
    }
}

#[test]
fn reads_no_file() {
    check("read /etc/passwd");
    check("read /proc/self/environ");
    check_calls("read /etc/passwd");
}

#[test]
fn writes_no_file() {
    let folder = tempdir().expect("a folder");
    let path = folder.path().join("new");
    check(&format!("create {}", path.display()));
    assert!(!path.exists());
    check(&format!("create-folder {}", path.display()));
    assert!(!path.exists());
    let file = NamedTempFile::new_in(&folder).expect("a file");
    check(&format!("remove {}", file.path().display()));
    assert!(file.path().exists());
}

#[test]
fn landlock_is_what_holds_folders_when_calls_do_not() {
    let folder = tempdir().expect("a folder");
    let path = folder.path().join("new");
    let request = format!("create-folder {}", path.display());
    assert!(answer(&request, without_calls()).contains("Permission denied"));
    assert_eq!(answer(&request, bare()), "done");
    assert!(path.exists());
}

#[test]
fn connects_to_nobody() {
    let listener = TcpListener::bind("127.0.0.1:0").expect("loopback");
    let address = listener.local_addr().expect("bound");
    check(&format!("connect {address}"));
    check("bind-udp 127.0.0.1:0");
    check("pair ");
    listener.set_nonblocking(true).expect("a socket");
    assert!(listener.accept().is_err(), "somebody connected");
}

#[test]
fn starts_no_program() {
    check("start true");
    check("become /bin/true");
}

#[test]
fn starts_no_thread() {
    check_calls("thread ");
}

#[test]
fn signals_nobody() {
    check(&format!("signal {}", id()));
}

#[test]
fn sees_nothing_of_the_environment_of_the_host() {
    assert!(std::env::vars_os().next().is_some(), "the host has one");
    let all = r#"[("GLIBC_TUNABLES", "glibc.malloc.arena_max=1")]"#;
    assert_eq!(
        answer("environment", Limits::default()),
        all,
        "what the host sets, and nothing else"
    );
}

#[test]
fn uses_no_descriptor_that_was_left_open() {
    use rustix::fs::{Mode, OFlags, open};
    use std::os::fd::AsRawFd as _;

    let file = NamedTempFile::new().expect("a file");
    fs_err::write(file.path(), "secret").expect("written");
    // Without close-on-exec, as a careless library opens it.
    let open = open(file.path(), OFlags::RDONLY, Mode::empty()).expect("opened");
    let request = format!("descriptor {}", open.as_raw_fd());
    let error = error(&request, Limits::default());
    assert!(matches!(error, SandboxError::Forbidden { .. }), "{error:?}");
    assert_eq!(answer(&request, bare()), "secret", "the test is of no use");
}
