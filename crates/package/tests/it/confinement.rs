//! What a package may hold besides links and names: files, and nothing else.

use std::os::unix::net::UnixListener;

use kitbag_package::{PackageReader as _, PackageTree, digest, read_all};
use kitbag_types::{Code, Coded as _};
use rustix::fs::{CWD, FileType, Mode, makedev, mknodat};
use rustix::io::Errno;

use crate::support::Folder;

#[test]
fn what_is_no_file_is_refused_by_what_it_is() {
    let folder = Folder::of(&[("SKILL.md", "x"), ("sub/a", "x")]);
    mknodat(CWD, folder.at("sub/pipe"), FileType::Fifo, Mode::RUSR, 0).expect("a FIFO");
    let _socket = UnixListener::bind(folder.at("socket")).expect("a socket");
    assert_eq!(
        folder.problems(),
        [(Code::PackageSocket, "socket".to_owned()), (Code::PackageFifo, "sub/pipe".to_owned())]
    );
}

#[test]
fn a_device_is_refused_or_cannot_be_made() {
    let folder = Folder::of(&[("SKILL.md", "x")]);
    let null = (FileType::CharacterDevice, makedev(1, 3));
    let disk = (FileType::BlockDevice, makedev(7, 0));
    for (name, (kind, number)) in [("null", null), ("disk", disk)] {
        match mknodat(CWD, folder.at(name), kind, Mode::RUSR, number) {
            Ok(()) => {
                folder.check_refused(Code::PackageDevice, name);
                fs_err::remove_file(folder.at(name)).expect("removed");
            }
            // Only root makes devices, and not in every container.
            Err(errno) => assert_eq!(errno, Errno::PERM),
        }
    }
    assert_eq!(folder.paths(), ["SKILL.md"]);
}

#[test]
fn version_control_is_left_out_and_nothing_else() {
    let folder = Folder::of(&[
        ("SKILL.md", "x"),
        (".git/hooks/post-checkout", "evil"),
        ("sub/.git/HEAD", "x"),
        ("module/.git", "gitdir: ../.git/modules/module"),
        ("module/a", "x"),
        (".gitignore", "*"),
        (".env.example", "x"),
        (".github/workflows/ci.yml", "x"),
        ("__pycache__/a.pyc", "x"),
        ("metadata.json", "x"),
        ("node_modules/a/index.js", "x"),
        ("_x.md", "x"),
        ("empty", ""),
    ]);
    fs_err::create_dir_all(folder.at("hollow/inner")).expect("folders");
    fs_err::create_dir(folder.at("sub-b")).expect("a folder");
    assert_eq!(
        folder.paths(),
        [
            ".env.example",
            ".github/workflows/ci.yml",
            ".gitignore",
            "SKILL.md",
            "__pycache__/a.pyc",
            "_x.md",
            "empty",
            "metadata.json",
            "module/a",
            "node_modules/a/index.js"
        ]
    );
    let package = PackageTree::open(&folder.path()).expect("a package");
    assert_eq!(package.left_out(), [".git", "hollow/", "module/.git", "sub-b/", "sub/.git"]);
}

#[test]
fn what_is_left_out_is_held_to_no_rule() {
    let folder = Folder::of(&[("SKILL.md", "x"), (".git/aux", "x")]);
    std::os::unix::fs::symlink("/etc/passwd", folder.at(".git/link")).expect("linked");
    assert_eq!(folder.paths(), ["SKILL.md"]);
}

#[test]
fn a_folder_without_files_is_no_package() {
    let folder = Folder::new();
    folder.check_refused(Code::PackageEmpty, ".");
    fs_err::create_dir(folder.at("empty")).expect("a folder");
    folder.check_refused(Code::PackageEmpty, ".");
    folder.write(".git/HEAD", "x");
    folder.check_refused(Code::PackageEmpty, ".");
    folder.write("empty/not", "");
    assert_eq!(folder.paths(), ["empty/not"]);
}

#[test]
fn what_is_not_there_or_no_folder_says_so() {
    let folder = Folder::of(&[("SKILL.md", "x")]);
    for (name, code) in
        [("nowhere", Code::PackageNotFound), ("SKILL.md", Code::PackageNotADirectory)]
    {
        let error = PackageTree::open(&folder.at(name)).expect_err("refused");
        assert_eq!(error.code(), code);
        assert_eq!(error.problems()[0].path, folder.at(name).to_str().expect("UTF-8"));
    }
}

#[test]
fn every_problem_of_one_walk_is_told() {
    let folder = Folder::of(&[
        ("SKILL.md", "x"),
        ("aux", "x"),
        ("b.", "x"),
        ("skill.md", "x"),
        ("z/nul", "x"),
    ]);
    std::os::unix::fs::symlink("x", folder.at("c")).expect("linked");
    mknodat(CWD, folder.at("d"), FileType::Fifo, Mode::RUSR, 0).expect("a FIFO");
    let expected = [
        (Code::PackagePathWindows, "aux"),
        (Code::PackagePathTrailing, "b."),
        (Code::PackageSymlink, "c"),
        (Code::PackageFifo, "d"),
        (Code::PackageCaseCollision, "skill.md"),
        (Code::PackagePathWindows, "z/nul"),
    ];
    assert_eq!(folder.problems(), expected.map(|(code, path)| (code, path.to_owned())));
    let error = PackageTree::open(&folder.path()).expect_err("refused");
    assert_eq!(error.code(), Code::PackagePathWindows);
    assert!(error.to_string().ends_with("(and 5 more)"), "{error}");
}

#[test]
fn execute_bits_are_the_owners() {
    let folder = Folder::of(&[("run", "x"), ("plain", "x"), ("odd", "x"), ("setuid", "x")]);
    folder.chmod("run", 0o700);
    folder.chmod("plain", 0o644);
    folder.chmod("odd", 0o677);
    folder.chmod("setuid", 0o4755);
    let package = PackageTree::open(&folder.path()).expect("a package");
    let modes: Vec<(&str, bool)> =
        package.entries().iter().map(|entry| (entry.path.as_str(), entry.executable)).collect();
    assert_eq!(modes, [("odd", false), ("plain", false), ("run", true), ("setuid", true)]);
}

#[test]
fn only_the_owners_execute_bit_is_in_the_digest() {
    let folder = Folder::of(&[("run", "x")]);
    let mut digests = [0o644, 0o600, 0o655, 0o755, 0o700, 0o4777].map(|mode| {
        folder.chmod("run", mode);
        folder.digest()
    });
    let [plain, ..] = digests;
    assert_eq!(digests[..3], [plain; 3]);
    assert_eq!(digests[3..], [digests[3]; 3]);
    assert_ne!(plain, digests[3]);
    folder.chmod("run", 0o644);
    digests[0] = folder.digest();
    assert_eq!(digests[0], plain);
}

#[test]
fn a_package_is_read_by_the_handle_it_was_opened_with() {
    let folder = Folder::of(&[("SKILL.md", "x"), ("sub/a", "y")]);
    let before = folder.digest();
    let package = PackageTree::open(&folder.path()).expect("a package");
    fs_err::rename(folder.path(), folder.outside().join("moved")).expect("moved");
    Folder::write(&folder, "SKILL.md", "another package in its place");
    assert_eq!(digest(&read_all(&package, &mut |_, _| {}).expect("readable")), before);
}
