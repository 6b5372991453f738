//! A package that changes after it was walked: told, and never another file's bytes.

use std::os::unix::fs::symlink;
use std::os::unix::net::UnixListener;
use std::time::SystemTime;

use kitbag_package::{Contents, Entry, PackageReader as _, PackageTree, read_all};
use kitbag_types::{Code, Coded as _, PackagePath};
use rustix::fs::{CWD, FileType, Mode, mknodat};

use crate::support::Folder;
use crate::watch::Watch;

/// Opens a package, changes it, and reads `sub/b`: both ways must give the code.
#[track_caller]
fn check(change: impl FnOnce(&Folder), expected: Code) {
    let folder = Folder::of(&[("a", "one"), ("sub/b", "two")]);
    let package = PackageTree::open(&folder.path()).expect("a package");
    change(&folder);
    let entry = &package.entries()[1];
    for error in [package.contents(entry).map(drop), package.file(entry).map(drop)] {
        let error = error.expect_err("noticed");
        assert_eq!((error.code(), error.problems()[0].path.as_str()), (expected, "sub/b"));
    }
    let mut shown = Vec::new();
    let outcome = read_all(&package, &mut |entry, _| shown.push(entry.path.as_str().to_owned()));
    assert_eq!(outcome.map_err(|error| error.code()), Err(expected));
    assert_eq!(shown, ["a"], "what was fine is shown, what is not is not");
}

#[test]
fn another_size_is_noticed() {
    check(|folder| folder.write("sub/b", "longer than before"), Code::PackageChanged);
    check(|folder| folder.write("sub/b", ""), Code::PackageChanged);
}

#[test]
fn other_bytes_of_the_same_size_are_noticed() {
    check(
        |folder| {
            folder.write("sub/b", "TWO");
            let file = fs_err::File::options().write(true).open(folder.at("sub/b")).expect("ours");
            // Not left to the tick of the clock.
            file.set_modified(SystemTime::UNIX_EPOCH).expect("our own file");
        },
        Code::PackageChanged,
    );
}

#[test]
fn another_file_in_its_place_is_noticed_even_with_the_same_bytes() {
    check(
        |folder| {
            folder.write("new", "two");
            fs_err::rename(folder.at("new"), folder.at("sub/b")).expect("renamed");
        },
        Code::PackageChanged,
    );
}

#[test]
fn no_file_in_its_place_is_noticed() {
    fn instead(folder: &Folder) -> std::path::PathBuf {
        let path = folder.at("sub/b");
        fs_err::remove_file(&path).expect("removed");
        path
    }
    check(|folder| drop(instead(folder)), Code::PackageChanged);
    check(|folder| fs_err::create_dir(instead(folder)).expect("a folder"), Code::PackageChanged);
    check(|folder| symlink("/etc/passwd", instead(folder)).expect("linked"), Code::PackageSymlink);
    check(|folder| symlink("../a", instead(folder)).expect("linked"), Code::PackageSymlink);
    // Nobody writes to it: a reader that waited for one would wait for ever.
    check(
        |folder| {
            mknodat(CWD, instead(folder), FileType::Fifo, Mode::RUSR, 0).expect("a FIFO");
        },
        Code::PackageChanged,
    );
    check(
        |folder| drop(UnixListener::bind(instead(folder)).expect("a socket")),
        Code::PackageChanged,
    );
}

#[test]
fn another_folder_on_the_way_is_noticed() {
    fn instead(folder: &Folder) -> std::path::PathBuf {
        fs_err::rename(folder.at("sub"), folder.outside().join("aside")).expect("moved away");
        folder.at("sub")
    }
    check(|folder| drop(instead(folder)), Code::PackageChanged);
    check(|folder| fs_err::write(instead(folder), "x").expect("a file"), Code::PackageChanged);
    check(
        |folder| {
            instead(folder);
            folder.write("sub/b", "two");
        },
        Code::PackageChanged,
    );
    // A link to the very folder that was moved away: the file behind it is the one that was seen.
    check(|folder| symlink("../aside", instead(folder)).expect("linked"), Code::PackageSymlink);
}

#[test]
fn a_swapped_folder_is_not_opened() {
    let folder = Folder::of(&[("sub/b", "two")]);
    let package = PackageTree::open(&folder.path()).expect("a package");
    let secrets = folder.beside("secrets");
    fs_err::write(secrets.join("b"), "two").expect("a file");
    fs_err::rename(folder.at("sub"), folder.outside().join("aside")).expect("moved away");
    symlink(&secrets, folder.at("sub")).expect("linked");
    let watch = Watch::over(&secrets);
    package.contents(&package.entries()[0]).expect_err("refused");
    assert!(!watch.saw_anything());
}

#[test]
fn what_comes_later_is_not_in_the_package() {
    let folder = Folder::of(&[("a", "one")]);
    let package = PackageTree::open(&folder.path()).expect("a package");
    folder.write("b", "two");
    assert_eq!(read_all(&package, &mut |_, _| {}).expect("readable").len(), 1);
    let path = PackagePath::new("b").expect("a path");
    let error = package.contents(&Entry { path, executable: false, size: 3 }).expect_err("unknown");
    assert_eq!((error.code(), error.problems()[0].path.as_str()), (Code::PackageChanged, "b"));
}

#[test]
fn a_handle_gives_the_bytes_that_are_hashed() {
    let big: Vec<u8> = (0..=255).cycle().take(1 << 20).collect();
    let folder = Folder::of(&[("a", "one"), ("empty", "")]);
    folder.write("big", &big);
    let package = PackageTree::open(&folder.path()).expect("a package");
    for entry in package.entries() {
        let mut file = package.file(entry).expect("readable").expect("in a file system");
        let mut streamed = Vec::new();
        std::io::copy(&mut file, &mut streamed).expect("readable");
        assert_eq!(package.contents(entry).expect("readable"), Contents::new(streamed));
    }
    assert_eq!(&package.contents(&package.entries()[1]).expect("readable")[..], big);
}
