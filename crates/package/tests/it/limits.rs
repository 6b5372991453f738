//! Each limit, at it and one past it, on real files. Big ones are sparse: they take no space.

use std::path::Path;

use kitbag_package::{
    MAX_FILE_BYTES, MAX_FILES, MAX_FOLDERS, MAX_PACKAGE_BYTES, PackageReader as _, PackageTree,
};
use kitbag_types::{Code, Coded as _};

use crate::support::Folder;

fn sparse(path: &Path, bytes: u64) {
    fs_err::File::create(path).and_then(|file| file.set_len(bytes)).expect("a sparse file");
}

fn outcome(folder: &Folder) -> Result<usize, Code> {
    PackageTree::open(&folder.path())
        .map(|package| package.entries().len())
        .map_err(|error| error.code())
}

#[test]
fn ten_thousand_files() {
    let folder = Folder::new();
    for number in 0..MAX_FILES {
        fs_err::File::create(folder.at(&format!("f{number}"))).expect("a file");
    }
    assert_eq!((MAX_FILES, outcome(&folder)), (10_000, Ok(10_000)));
    folder.write("one-more", "");
    assert_eq!(outcome(&folder), Err(Code::PackageTooManyFiles));
}

#[test]
fn ten_thousand_folders() {
    let folder = Folder::of(&[("SKILL.md", "x")]);
    for number in 0..MAX_FOLDERS {
        fs_err::create_dir(folder.at(&format!("d{number}"))).expect("a folder");
    }
    assert_eq!((MAX_FOLDERS, outcome(&folder)), (10_000, Ok(1)));
    fs_err::create_dir(folder.at("one-more")).expect("a folder");
    assert_eq!(outcome(&folder), Err(Code::PackageTooManyFolders));
}

#[test]
fn sixty_four_mebibytes_a_file() {
    let folder = Folder::of(&[("SKILL.md", "x")]);
    sparse(&folder.at("big"), MAX_FILE_BYTES);
    assert_eq!((MAX_FILE_BYTES, outcome(&folder)), (64 << 20, Ok(2)));
    sparse(&folder.at("big"), MAX_FILE_BYTES + 1);
    folder.check_refused(Code::PackageFileTooLarge, "big");
}

#[test]
fn two_hundred_and_fifty_six_mebibytes_a_package() {
    let folder = Folder::new();
    for name in ["a", "b", "c", "d"] {
        sparse(&folder.at(name), MAX_FILE_BYTES);
    }
    assert_eq!((MAX_PACKAGE_BYTES, outcome(&folder)), (256 << 20, Ok(4)));
    folder.write("e", "1");
    assert_eq!(outcome(&folder), Err(Code::PackageTooLarge));
}

#[test]
fn thirty_two_levels() {
    let deep = |levels: usize| "d/".repeat(levels - 1) + "f";
    assert_eq!(outcome(&Folder::of(&[(&deep(32), "x")])), Ok(1));
    assert_eq!(outcome(&Folder::of(&[(&deep(33), "x")])), Err(Code::PackageTooDeep));
}

#[test]
fn a_hostile_tree_is_given_up_on_early_and_names_few_problems() {
    let folder = Folder::new();
    for number in 0..100 {
        std::os::unix::fs::symlink("x", folder.at(&format!("l{number:03}"))).expect("linked");
    }
    let error = PackageTree::open(&folder.path()).expect_err("refused");
    assert_eq!(error.problems().len(), kitbag_package::PackageError::MAX_PROBLEMS);
    assert!(error.to_string().contains("and 99 more"), "{error}");
}
