//! Root is bound by less than others, and others may do less: the whole suite runs as both.
#![expect(
    clippy::disallowed_methods,
    reason = "the other process is this test, told so by its environment"
)]

use std::env;
use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::process::CommandExt as _;
use std::process::Command;

use crate::support::{CHILD, child};

/// Nobody, everywhere.
const UNPRIVILEGED: u32 = 65_534;

#[test]
fn all_of_it_holds_for_an_ordinary_user() {
    if !rustix::process::getuid().is_root() || env::var_os(CHILD).is_some() {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    // The build folder may be closed to the other user.
    let copies = [
        (env::current_exe().expect("a test binary"), folder.path().join("it")),
        (child(), folder.path().join("child")),
    ];
    for (from, to) in &copies {
        fs_err::copy(from, to).expect("copied");
        fs_err::set_permissions(to, Permissions::from_mode(0o755)).expect("our own file");
    }
    fs_err::set_permissions(folder.path(), Permissions::from_mode(0o755)).expect("our own");

    let [(_, suite), (_, child)] = &copies;
    let output = Command::new(suite)
        .args(["--skip", "unprivileged"])
        .env(CHILD, child)
        // Else it would write what failed beside the sources.
        .env("PROPTEST_FAILURE_PERSISTENCE", "off")
        .current_dir("/")
        .uid(UNPRIVILEGED)
        .gid(UNPRIVILEGED)
        .output()
        .expect("started");
    let told = String::from_utf8_lossy(&output.stdout);
    let complaint = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{told}\n{complaint}");
    assert!(!told.contains(" 0 passed"), "nothing ran: {told}");
}
