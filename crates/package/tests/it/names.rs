//! Names: what a package travels with must be writable on every system it travels to.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;

use kitbag_package::PackageTree;
use kitbag_types::{Code, Coded as _, PackagePath};
use rustix::io::Errno;

use crate::support::Folder;

#[test]
fn names_that_others_cannot_hold_are_refused() {
    #[track_caller]
    fn check(name: &[u8], code: Code, shown: &str) {
        let name = OsStr::from_bytes(name);
        let folder = Folder::of(&[("SKILL.md", "x")]);
        fs_err::write(folder.path().join(name), "x").expect("a new file");
        folder.check_refused(code, shown);

        let folder = Folder::of(&[("SKILL.md", "x"), ("docs/a", "x")]);
        fs_err::write(folder.at("docs").join(name), "x").expect("a new file");
        folder.check_refused(code, &format!("docs/{shown}"));

        // What lies in a folder of such a name is not looked at: one problem, not two.
        let folder = Folder::of(&[("SKILL.md", "x")]);
        fs_err::create_dir(folder.path().join(name)).expect("a new folder");
        fs_err::write(folder.path().join(name).join("aux"), "x").expect("a new file");
        folder.check_refused(code, shown);
    }
    check(b"caf\xe9.md", Code::PackageNonUtf8, "caf\\xe9.md");
    check(b"\xff", Code::PackageNonUtf8, "\\xff");
    check("cafe\u{301}.md".as_bytes(), Code::PackagePathNotNfc, "cafe\u{301}.md");
    check(b"a\\b", Code::PackagePathBackslash, "a\\b");
    check(b"a\nb", Code::PackagePathControl, "a\nb");
    check(b"a\x1b[2J", Code::PackagePathControl, "a\u{1b}[2J");
    check(b"\x7f", Code::PackagePathControl, "\u{7f}");
    check(b"a.", Code::PackagePathTrailing, "a.");
    check(b"...", Code::PackagePathTrailing, "...");
    check(b"a ", Code::PackagePathTrailing, "a ");
    for name in ["aux", "AUX.md", "con.tar.gz", "nul", "com1", "LPT9.txt", "com¹", "CONOUT$"] {
        check(name.as_bytes(), Code::PackagePathWindows, name);
    }
}

#[test]
fn names_that_only_look_odd_pass() {
    let names = ["- -", "-rf", "...a", ".gitx", "a:b", "auxiliary", "c0n", "git", "技能", "～"];
    let folder = Folder::new();
    for name in names {
        folder.write(name, "x");
    }
    assert_eq!(folder.paths(), names);
}

#[test]
fn a_refused_name_cannot_write_to_the_terminal() {
    let folder = Folder::of(&[("a\u{1b}[2J\r", "x")]);
    let error = PackageTree::open(&folder.path()).expect_err("refused").to_string();
    assert!(!error.contains(char::is_control), "{error:?}");
}

#[test]
fn a_name_has_at_most_255_bytes() {
    let longest = "é".repeat(127) + "a";
    assert_eq!(longest.len(), PackagePath::MAX_PART_BYTES);
    let folder = Folder::of(&[(&longest, "x")]);
    assert_eq!(folder.paths(), [longest.as_str()]);

    // No common file system holds a longer one; the tree of a commit may.
    let longer = longest + "a";
    let error = std::fs::File::create_new(folder.at(&longer)).expect_err("too long");
    assert_eq!(Errno::from_io_error(&error), Some(Errno::NAMETOOLONG));
    let error = PackagePath::new(&longer).expect_err("refused");
    assert_eq!((error.code(), error.path), (Code::PackageNameTooLong, longer));
}

#[test]
fn a_path_has_at_most_1024_bytes() {
    let folders = ["a", "b", "c", "d"].map(|name| name.repeat(254)).join("/");
    let most = format!("{folders}/four");
    assert_eq!(most.len(), PackagePath::MAX_BYTES);
    assert_eq!(Folder::of(&[(&most, "x")]).paths(), [most]);

    let more = format!("{folders}/fives");
    Folder::of(&[(&more, "x")]).check_refused(Code::PackagePathTooLong, &more);
}

#[test]
fn names_that_differ_by_case_are_refused_both_named() {
    let folder =
        Folder::of(&[("README.md", "x"), ("readme.md", "x"), ("Docs/a", "x"), ("docs/b", "x")]);
    assert_eq!(
        folder.problems(),
        [
            (Code::PackageCaseCollision, "docs".to_owned()),
            (Code::PackageCaseCollision, "readme.md".to_owned()),
        ]
    );
    let error = PackageTree::open(&folder.path()).expect_err("refused").to_string();
    assert!(error.contains("`docs`") && error.contains("`Docs`"), "{error}");
}

#[test]
fn a_folder_and_a_file_collide_too() {
    let folder = Folder::of(&[("x/Run/a", "x"), ("x/run", "x")]);
    folder.check_refused(Code::PackageCaseCollision, "x/run");
}

#[test]
fn the_same_name_in_two_folders_is_two_names() {
    assert_eq!(Folder::of(&[("a/README.md", "x"), ("b/readme.md", "x")]).paths().len(), 2);
}
