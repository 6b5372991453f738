//! Links: refused by name and target, and nothing behind them is opened.

use std::os::unix::fs::symlink;

use kitbag_package::{PackageReader as _, PackageTree};
use kitbag_types::{Code, Coded as _};

use crate::support::Folder;
use crate::watch::Watch;

#[test]
fn links_of_every_sort_are_refused_with_their_target() {
    #[track_caller]
    fn check(target: &str, at: &str) {
        let folder = Folder::of(&[("SKILL.md", "x"), ("docs/a.md", "x")]);
        symlink(target, folder.at(at)).expect("linked");
        folder.check_refused(Code::PackageSymlink, at);
        let error = PackageTree::open(&folder.path()).expect_err("refused");
        assert!(error.to_string().ends_with(&format!("(to `{target}`)")), "{error}");
    }
    for target in ["/etc/passwd", "/", "SKILL.md", "docs", "nowhere", "link", ".", "..", "../.."] {
        check(target, "link");
    }
    check("..", "docs/up");
    check("../SKILL.md", "docs/README.md");
    check("../../../../etc/passwd", "docs/pw");
}

#[test]
fn a_target_cannot_write_to_the_terminal() {
    let folder = Folder::of(&[("SKILL.md", "x")]);
    symlink("\u{1b}]0;owned\u{7}\u{202e}", folder.at("link")).expect("linked");
    let error = PackageTree::open(&folder.path()).expect_err("refused").to_string();
    assert!(!error.contains(['\u{1b}', '\u{7}', '\u{202e}']), "{error:?}");
}

#[test]
fn nothing_behind_a_link_is_opened() {
    let folder = Folder::of(&[("SKILL.md", "x")]);
    let secrets = folder.beside("secrets");
    fs_err::write(secrets.join("key"), "secret").expect("a file");
    for (target, name) in [("../secrets", "folder"), ("../secrets/key", "file")] {
        symlink(target, folder.at(name)).expect("linked");
    }
    let watch = Watch::over(&secrets);
    assert_eq!(
        folder.problems(),
        [(Code::PackageSymlink, "file".to_owned()), (Code::PackageSymlink, "folder".to_owned())]
    );
    assert!(!watch.saw_anything());
    // The watch would have told.
    assert_eq!(fs_err::read_to_string(folder.at("file")).expect("through the link"), "secret");
    assert!(watch.saw_anything());
}

#[test]
fn a_link_where_the_package_should_be_is_refused() {
    let folder = Folder::of(&[("SKILL.md", "x")]);
    let link = folder.outside().join("link");
    symlink(folder.path(), &link).expect("linked");
    for spelling in ["link", "link/", "link/."] {
        let error = PackageTree::open(&folder.outside().join(spelling)).expect_err("refused");
        assert_eq!(error.code(), Code::PackageSymlink, "{spelling}");
        assert_eq!(error.problems()[0].path, link.to_str().expect("UTF-8"), "{spelling}");
    }
}

#[test]
fn links_on_the_way_to_a_package_are_the_callers_own() {
    let folder = Folder::of(&[("skills/a/SKILL.md", "x")]);
    symlink(folder.path(), folder.outside().join("link")).expect("linked");
    let package = PackageTree::open(&folder.outside().join("link/skills/a")).expect("a package");
    assert_eq!(package.entries().len(), 1);
}

#[test]
fn a_path_below_a_root_stays_below_it() {
    let folder = Folder::of(&[("a/b/SKILL.md", "x")]);
    symlink("/etc", folder.at("out")).expect("linked");
    symlink("../../a", folder.at("a/b/in")).expect("linked");
    let check = |relative, expected| {
        let error = PackageTree::open_beneath(&folder.path(), relative).expect_err("refused");
        let problem = &error.problems()[0];
        assert_eq!((problem.code, problem.path.as_str()), expected, "{relative}");
    };
    check("a/../../package/a", (Code::PackagePathTraversal, "a/../../package/a"));
    check("/etc", (Code::PackagePathAbsolute, "/etc"));
    check("", (Code::PackagePathEmpty, ""));
    check("out", (Code::PackageSymlink, "out"));
    check("out/ssl", (Code::PackageSymlink, "out"));
    check("a/b/in/b", (Code::PackageSymlink, "a/b/in"));
    check("a/c", (Code::PackageNotFound, "a/c"));
    check("a/c/d", (Code::PackageNotFound, "a/c"));
    check("a/b/SKILL.md", (Code::PackageNotADirectory, "a/b/SKILL.md"));
    check("a/b", (Code::PackageSymlink, "in"));
    fs_err::remove_file(folder.at("a/b/in")).expect("unlinked");
    let package = PackageTree::open_beneath(&folder.path(), "a/b").expect("a package");
    assert_eq!(package.entries()[0].path.as_str(), "SKILL.md");
    let package = PackageTree::open_beneath(&folder.at("a/b"), ".").expect("a package");
    assert_eq!(package.entries().len(), 1);
}

#[test]
fn a_hard_link_to_the_outside_is_refused_and_one_inside_is_two_files() {
    let folder = Folder::of(&[("a", "x"), ("sub/c", "y")]);
    fs_err::hard_link(folder.at("a"), folder.at("sub/b")).expect("linked");
    assert_eq!(folder.paths(), ["a", "sub/b", "sub/c"]);
    fs_err::hard_link(folder.at("a"), folder.outside().join("c")).expect("linked");
    assert_eq!(
        folder.problems(),
        [(Code::PackageHardLink, "a".to_owned()), (Code::PackageHardLink, "sub/b".to_owned())]
    );
    let error = PackageTree::open(&folder.path()).expect_err("refused").to_string();
    assert!(error.contains("(2 of its 3 names are in the package)"), "{error}");
}

#[test]
fn what_is_left_out_is_outside_for_a_hard_link_too() {
    let folder = Folder::of(&[("a", "x"), (".git/HEAD", "x")]);
    fs_err::hard_link(folder.at("a"), folder.at(".git/a")).expect("linked");
    folder.check_refused(Code::PackageHardLink, "a");
}
