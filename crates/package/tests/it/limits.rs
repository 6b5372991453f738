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

/// Returns the number of files, or the one problem.
fn outcome(folder: &Folder) -> Result<usize, (Code, String)> {
    match PackageTree::open(&folder.path()) {
        Ok(package) => Ok(package.entries().len()),
        Err(error) => {
            let [problem] = error.problems() else { panic!("one problem, not {error}") };
            Err((problem.code, problem.path.clone()))
        }
    }
}

fn refused(code: Code, path: &str) -> Result<usize, (Code, String)> {
    Err((code, path.to_owned()))
}

#[test]
fn ten_thousand_files() {
    let folder = Folder::new();
    for number in 0..MAX_FILES {
        fs_err::File::create(folder.at(&format!("f{number}"))).expect("a file");
    }
    assert_eq!((MAX_FILES, outcome(&folder)), (10_000, Ok(10_000)));
    folder.write("one-more", "");
    assert_eq!(outcome(&folder), refused(Code::PackageTooManyFiles, "one-more"));
}

#[test]
fn ten_thousand_folders() {
    let folder = Folder::of(&[("SKILL.md", "x")]);
    for number in 0..MAX_FOLDERS {
        fs_err::create_dir(folder.at(&format!("d{number}"))).expect("a folder");
    }
    assert_eq!((MAX_FOLDERS, outcome(&folder)), (10_000, Ok(1)));
    fs_err::create_dir(folder.at("one-more")).expect("a folder");
    assert_eq!(outcome(&folder), refused(Code::PackageTooManyFolders, "one-more"));
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
    assert_eq!(outcome(&folder), refused(Code::PackageTooLarge, "e"));
}

#[test]
fn thirty_two_levels() {
    let deep = |levels: usize| "d/".repeat(levels - 1) + "f";
    assert_eq!(outcome(&Folder::of(&[(&deep(32), "x")])), Ok(1));
    let too_deep = deep(33);
    let folder = Folder::of(&[(&too_deep, "x")]);
    assert_eq!(outcome(&folder), refused(Code::PackageTooDeep, &too_deep));
    // Nothing of a tree without end but its first step too far is looked at.
    let endless = Folder::of(&[("SKILL.md", "x"), (&deep(200), "x")]);
    assert_eq!(outcome(&endless), refused(Code::PackageTooDeep, &"d/".repeat(33)[..65]));
}

#[test]
fn a_hostile_tree_names_its_first_problems_and_counts_the_rest() {
    let folder = Folder::new();
    let most = kitbag_package::PackageError::MAX_PROBLEMS;
    for number in 0..100 {
        std::os::unix::fs::symlink("x", folder.at(&format!("l{number:03}"))).expect("linked");
    }
    let error = PackageTree::open(&folder.path()).expect_err("refused");
    let names: Vec<&str> = error.problems().iter().map(|problem| problem.path.as_str()).collect();
    assert_eq!(names, (0..most).map(|number| format!("l{number:03}")).collect::<Vec<_>>());
    assert!(error.to_string().contains("and 99 more"), "{error}");
}

/// What is refused counts like a file, or a million links would be looked at one by one.
#[test]
fn links_count_as_files() {
    let folder = Folder::of(&[("SKILL.md", "x")]);
    for number in 0..MAX_FILES {
        std::os::unix::fs::symlink("x", folder.at(&format!("l{number}"))).expect("linked");
    }
    let error = PackageTree::open(&folder.path()).expect_err("refused");
    assert_eq!(error.code(), Code::PackageTooManyFiles);
}

#[test]
fn a_file_at_the_limit_is_read_to_its_end() {
    let folder = Folder::new();
    sparse(&folder.at("big"), MAX_FILE_BYTES);
    let package = PackageTree::open(&folder.path()).expect("a package");
    let bytes = package.contents(&package.entries()[0]).expect("readable");
    assert_eq!(bytes.len() as u64, MAX_FILE_BYTES);
}
