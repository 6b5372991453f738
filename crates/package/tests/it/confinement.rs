//! What a package may not hold: each by its code and its path, and its bytes never read.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::symlink;
use std::os::unix::net::UnixListener;

use kitbag_package::{PackageReader as _, PackageTree, read_all};
use kitbag_types::{Code, Coded as _, PackagePath};
use rustix::fs::{CWD, FileType, Mode, mknodat};

use crate::support::Folder;

#[test]
fn links_of_every_sort_are_refused_with_their_target() {
    for target in ["/etc/passwd", "SKILL.md", "nowhere", "..", "../..", "docs", "/"] {
        let folder = Folder::of(&[("SKILL.md", "x"), ("docs/a.md", "x")]);
        symlink(target, folder.at("link")).expect("linked");
        folder.check_refused(Code::PackageSymlink, "link");
        let error = PackageTree::open(&folder.path()).expect_err("refused");
        assert!(error.to_string().contains(&format!("to `{target}`")), "{error}");
    }
}

#[test]
fn a_link_where_the_package_should_be_is_refused() {
    let folder = Folder::of(&[("SKILL.md", "x")]);
    symlink(folder.path(), folder.outside().join("link")).expect("linked");
    for spelling in ["link", "link/", "link/."] {
        let error = PackageTree::open(&folder.outside().join(spelling)).expect_err("refused");
        assert_eq!(error.code(), Code::PackageSymlink, "{spelling}");
    }
}

#[test]
fn a_path_below_a_root_stays_below_it() {
    let folder = Folder::of(&[("a/b/SKILL.md", "x")]);
    symlink("/etc", folder.at("out")).expect("linked");
    let code =
        |relative| PackageTree::open_beneath(&folder.path(), relative).err().map(|e| e.code());
    assert_eq!(code("a/b"), None);
    assert_eq!(code("a/../../package/a"), Some(Code::PackagePathTraversal));
    assert_eq!(code("/etc"), Some(Code::PackagePathAbsolute));
    assert_eq!(code("out"), Some(Code::PackageSymlink));
    assert_eq!(code("out/ssl"), Some(Code::PackageSymlink));
    assert_eq!(code("a/c"), Some(Code::PackageNotFound));
    assert_eq!(code("a/b/SKILL.md"), Some(Code::PackageNotADirectory));
}

#[test]
fn a_hard_link_to_the_outside_is_refused_and_one_inside_is_two_files() {
    let folder = Folder::of(&[("a", "x")]);
    fs_err::hard_link(folder.at("a"), folder.at("b")).expect("linked");
    assert_eq!(folder.paths(), ["a", "b"]);
    fs_err::hard_link(folder.at("a"), folder.outside().join("c")).expect("linked");
    assert_eq!(
        folder.problems(),
        [(Code::PackageHardLink, "a".to_owned()), (Code::PackageHardLink, "b".to_owned())]
    );
}

#[test]
fn what_is_no_file_is_refused_by_what_it_is() {
    let folder = Folder::of(&[("SKILL.md", "x")]);
    mknodat(CWD, folder.at("pipe"), FileType::Fifo, Mode::RUSR, 0).expect("a FIFO");
    let _socket = UnixListener::bind(folder.at("socket")).expect("a socket");
    let mut expected =
        vec![(Code::PackageFifo, "pipe".to_owned()), (Code::PackageSocket, "socket".to_owned())];
    // The null device, which only root can make.
    let device = mknodat(CWD, folder.at("null"), FileType::CharacterDevice, Mode::RUSR, 0x103);
    if rustix::process::getuid().is_root() && device.is_ok() {
        expected.insert(0, (Code::PackageDevice, "null".to_owned()));
    } else {
        device.expect_err("only root makes devices");
    }
    assert_eq!(folder.problems(), expected);
}

#[test]
fn names_that_others_cannot_hold_are_refused() {
    #[track_caller]
    fn check(name: &[u8], code: Code, shown: &str) {
        let folder = Folder::of(&[("SKILL.md", "x")]);
        fs_err::write(folder.path().join(OsStr::from_bytes(name)), "x").expect("a new file");
        folder.check_refused(code, shown);
    }
    check(b"caf\xe9.md", Code::PackageNonUtf8, "caf\\xe9.md");
    check("cafe\u{301}.md".as_bytes(), Code::PackagePathNotNfc, "cafe\u{301}.md");
    check(b"a\\b", Code::PackagePathBackslash, "a\\b");
    check(b"a\nb", Code::PackagePathControl, "a\nb");
    check(b"a\x1b[2J", Code::PackagePathControl, "a\u{1b}[2J");
    check(b"a.", Code::PackagePathTrailing, "a.");
    check(b"a ", Code::PackagePathTrailing, "a ");
    for name in ["aux", "AUX.md", "con.tar.gz", "nul", "com1", "LPT9.txt"] {
        check(name.as_bytes(), Code::PackagePathWindows, name);
    }
}

#[test]
fn a_folder_of_such_a_name_is_refused_too() {
    let folder = Folder::of(&[("SKILL.md", "x"), ("aux/a.md", "x")]);
    assert_eq!(folder.problems()[0].0, Code::PackagePathWindows);
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
fn version_control_is_left_out_and_nothing_else() {
    let folder = Folder::of(&[
        ("SKILL.md", "x"),
        (".git/hooks/post-checkout", "evil"),
        ("sub/.git/HEAD", "x"),
        (".gitignore", "x"),
        (".env.example", "x"),
        ("node_modules/a/index.js", "x"),
        ("_x.md", "x"),
        ("empty", ""),
    ]);
    fs_err::create_dir_all(folder.at("hollow/inner")).expect("folders");
    assert_eq!(
        folder.paths(),
        [".env.example", ".gitignore", "SKILL.md", "_x.md", "empty", "node_modules/a/index.js"]
    );
    let package = PackageTree::open(&folder.path()).expect("a package");
    let mut left_out = package.left_out().to_vec();
    left_out.sort();
    assert_eq!(left_out, [".git", "hollow/", "sub/.git"]);
}

#[test]
fn a_folder_without_files_is_no_package() {
    let folder = Folder::new();
    assert_eq!(
        folder.problems().iter().map(|(code, _)| *code).collect::<Vec<_>>(),
        [Code::PackageEmpty]
    );
    fs_err::create_dir(folder.at("empty")).expect("a folder");
    assert_eq!(folder.problems()[0].0, Code::PackageEmpty);
}

#[test]
fn what_is_not_there_or_no_folder_says_so() {
    let folder = Folder::of(&[("SKILL.md", "x")]);
    let code = |path: std::path::PathBuf| PackageTree::open(&path).expect_err("refused").code();
    assert_eq!(code(folder.at("nowhere")), Code::PackageNotFound);
    assert_eq!(code(folder.at("SKILL.md")), Code::PackageNotADirectory);
}

#[test]
fn every_problem_of_one_walk_is_told() {
    let folder = Folder::of(&[("SKILL.md", "x"), ("aux", "x"), ("b.", "x")]);
    symlink("x", folder.at("c")).expect("linked");
    let codes: Vec<Code> = folder.problems().into_iter().map(|(code, _)| code).collect();
    assert_eq!(codes, [Code::PackagePathWindows, Code::PackagePathTrailing, Code::PackageSymlink]);
    let error = PackageTree::open(&folder.path()).expect_err("refused");
    assert!(error.to_string().contains("and 2 more"), "{error}");
}

#[test]
fn a_file_that_changes_after_the_walk_is_not_read() {
    let folder = Folder::of(&[("a", "one"), ("b", "two")]);
    let package = PackageTree::open(&folder.path()).expect("a package");
    folder.write("b", "longer than before");
    let mut read = Vec::new();
    let error = read_all(&package, &mut |entry, _| read.push(entry.path.as_str().to_owned()));
    assert_eq!(error.map_err(|error| error.code()), Err(Code::PackageChanged));
    assert_eq!(read, ["a"]);
    fs_err::remove_file(folder.at("a")).expect("removed");
    symlink("/etc/passwd", folder.at("a")).expect("linked");
    let error = package.contents(&package.entries()[0]).expect_err("refused");
    assert_eq!(error.code(), Code::PackageSymlink);
    fs_err::remove_file(folder.at("a")).expect("removed");
    mknodat(CWD, folder.at("a"), FileType::Fifo, Mode::RUSR, 0).expect("a FIFO");
    let error = package.contents(&package.entries()[0]).expect_err("refused, not waited for");
    assert_eq!(error.code(), Code::PackageChanged);
}

#[test]
fn execute_bits_are_the_owners() {
    let folder = Folder::of(&[("run", "x"), ("plain", "x"), ("odd", "x")]);
    folder.chmod("run", 0o700);
    folder.chmod("plain", 0o644);
    folder.chmod("odd", 0o677);
    let package = PackageTree::open(&folder.path()).expect("a package");
    let modes: Vec<(&str, bool)> =
        package.entries().iter().map(|entry| (entry.path.as_str(), entry.executable)).collect();
    assert_eq!(modes, [("odd", false), ("plain", false), ("run", true)]);
}

#[test]
fn a_path_of_parts_that_no_file_system_holds_is_refused_as_text() {
    let part = "a".repeat(255);
    assert!(PackagePath::new(&part).is_ok());
    let code = |text: &str| PackagePath::new(text).err().map(|error| error.code());
    assert_eq!(code(&"a".repeat(256)), Some(Code::PackageNameTooLong));
    let most = format!("{part}/{part}/{part}/{}", "b".repeat(256));
    assert_eq!(code(&most), Some(Code::PackageNameTooLong));
    let most = format!("{part}/{part}/{part}/{part}");
    assert_eq!((most.len(), code(&most)), (1_023, None));
    assert_eq!(code(&format!("{part}/{part}/{part}/{}/c", "b".repeat(254))), None);
    assert_eq!(code(&format!("{most}/c")), Some(Code::PackagePathTooLong));
}
