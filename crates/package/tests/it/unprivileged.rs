//! What a user may not read. Root may read everything, so the test runs as somebody else.
#![expect(
    clippy::disallowed_methods,
    reason = "the other process is this test, told so by its environment"
)]

use std::env;
use std::error::Error as _;
use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::Command;

use kitbag_package::PackageTree;
use kitbag_types::{Code, Coded as _};

use crate::support::Folder;

const PATH: &str = "KITBAG_TEST_PACKAGE";
const TEST: &str = "unprivileged::what_may_not_be_read_is_named";

/// Nobody, everywhere.
const UNPRIVILEGED: u32 = 65_534;

#[test]
fn what_may_not_be_read_is_named() {
    match env::var_os(PATH) {
        Some(path) => as_somebody_else(Path::new(&path)),
        None => as_whoever_runs_the_tests(),
    }
}

fn as_somebody_else(package: &Path) {
    let error = PackageTree::open(package).expect_err("refused");
    let problems: Vec<_> =
        error.problems().iter().map(|problem| (problem.code, problem.path.as_str())).collect();
    // All of them, and not the one that is no more than unwritable.
    assert_eq!(
        problems,
        ["closed", "secret.md", "sub/secret.sh", "unlisted", "unsearchable"]
            .map(|path| (Code::PackageUnreadable, path))
    );
    assert_eq!(error.code(), Code::PackageUnreadable);
    let source = error.source().expect("the system's own words are the cause");
    let source = source.downcast_ref::<std::io::Error>().expect("an I/O error");
    assert_eq!(source.kind(), std::io::ErrorKind::PermissionDenied);

    let closed = package.join("closed");
    let error = PackageTree::open(&closed).expect_err("refused");
    assert_eq!(error.code(), Code::PackageUnreadable);
    assert_eq!(error.problems()[0].path, closed.to_str().expect("UTF-8"));
}

fn as_whoever_runs_the_tests() {
    let modes = [
        ("closed", 0o000),
        ("secret.md", 0o000),
        ("sub/secret.sh", 0o111),
        ("unlisted", 0o111),
        ("unsearchable", 0o444),
        ("unwritable.md", 0o444),
    ];
    let folder = Folder::of(&[
        ("SKILL.md", "x"),
        ("closed/a", "x"),
        ("secret.md", "x"),
        ("sub/secret.sh", "x"),
        ("unlisted/a", "x"),
        ("unsearchable/a", "x"),
        ("unwritable.md", "x"),
    ]);
    // The build folder may be closed to the other user.
    let binary = folder.outside().join("it");
    fs_err::copy(env::current_exe().expect("a test binary"), &binary).expect("copied");
    fs_err::set_permissions(&binary, Permissions::from_mode(0o755)).expect("our own file");
    fs_err::set_permissions(folder.outside(), Permissions::from_mode(0o755)).expect("our own");
    fs_err::set_permissions(folder.path(), Permissions::from_mode(0o755)).expect("our own");
    for (path, mode) in modes {
        folder.chmod(path, mode);
    }

    let mut command = Command::new(&binary);
    command.args(["--exact", TEST, "--nocapture"]).env(PATH, folder.path()).current_dir("/");
    if rustix::process::getuid().is_root() {
        command.uid(UNPRIVILEGED).gid(UNPRIVILEGED);
    }
    let output = command.output();
    // Or the folder could not be removed.
    for (path, _) in modes {
        folder.chmod(path, 0o755);
    }

    let output = output.expect("started");
    let told = String::from_utf8_lossy(&output.stdout);
    let complaint = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{told}\n{complaint}");
    assert!(told.contains("1 passed"), "the test goes by another name than `{TEST}`: {told}");
}
