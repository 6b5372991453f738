//! What a user may not read. Root may read everything, so the test runs as somebody else.
#![expect(
    clippy::disallowed_methods,
    reason = "the other process is this test, told so by its environment"
)]

use std::env;
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
    if let Some(path) = env::var_os(PATH) {
        let error = PackageTree::open(Path::new(&path)).expect_err("refused");
        let problems: Vec<_> =
            error.problems().iter().map(|problem| (problem.code, problem.path.as_str())).collect();
        assert_eq!(
            problems,
            [(Code::PackageUnreadable, "closed"), (Code::PackageUnreadable, "secret.md")]
        );
        assert_eq!(error.code(), Code::PackageUnreadable);
        return;
    }
    let folder = Folder::of(&[("SKILL.md", "x"), ("secret.md", "x"), ("closed/a", "x")]);
    let binary = folder.outside().join("it");
    fs_err::copy(env::current_exe().expect("a test binary"), &binary).expect("copied");
    let open = std::fs::Permissions::from_mode(0o755);
    fs_err::set_permissions(folder.outside(), open).expect("our own folder");
    folder.chmod("secret.md", 0o000);
    folder.chmod("closed", 0o000);
    let mut command = Command::new(&binary);
    command.args(["--exact", TEST, "--nocapture"]).env(PATH, folder.path()).current_dir("/");
    if rustix::process::getuid().is_root() {
        command.uid(UNPRIVILEGED).gid(UNPRIVILEGED);
    }
    let status = command.status();
    folder.chmod("closed", 0o755);
    assert!(status.expect("started").success());
}
