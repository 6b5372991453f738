//! The same rules for names that come from elsewhere than a folder, e.g. the tree of a commit.

use kitbag_package::{Intake, MAX_FILE_BYTES, MAX_FILES, MAX_FOLDERS, MAX_PACKAGE_BYTES};
use kitbag_types::{Code, Coded as _, PackagePath};

fn path(text: &str) -> PackagePath {
    PackagePath::new(text).expect("a path")
}

/// Takes in files of one byte, and returns them in order, or each problem's code and path.
fn taken_in(files: &[&str]) -> Result<Vec<String>, Vec<(Code, String)>> {
    let mut intake = Intake::default();
    for (number, file) in files.iter().enumerate() {
        intake.file(path(file), false, 1, number).expect("within the limits");
    }
    match intake.finish() {
        Ok(taken) => {
            for (entry, number) in &taken.files {
                assert_eq!(entry.path.as_str(), files[*number], "each keeps what finds it");
            }
            Ok(taken.files.into_iter().map(|(entry, _)| entry.path.into()).collect())
        }
        Err(error) => Err(error.problems().iter().map(|it| (it.code, it.path.clone())).collect()),
    }
}

#[track_caller]
fn check_refused(files: &[&str], code: Code, path: &str) {
    assert_eq!(taken_in(files), Err(vec![(code, path.to_owned())]));
}

#[test]
fn files_come_in_canonical_order() {
    let files = taken_in(&["z", "a/b", "a0", "a-b", "技", "～", "😀", "B"]);
    assert_eq!(files.expect("a package"), ["B", "a-b", "a/b", "a0", "z", "技", "～", "😀"]);
}

/// A folder cannot hold such names; a tree made by hand can.
#[test]
fn a_name_that_is_there_twice_is_refused() {
    check_refused(&["a", "a"], Code::PackageCaseCollision, "a");
    check_refused(&["a/b", "c", "a/b"], Code::PackageCaseCollision, "a/b");
    check_refused(&["a/b/c", "a/b"], Code::PackageCaseCollision, "a/b");
    check_refused(&["a", "a/b", "a/c"], Code::PackageCaseCollision, "a");
    check_refused(&["a", "A/b"], Code::PackageCaseCollision, "a");
}

#[test]
fn no_file_is_no_package() {
    check_refused(&[], Code::PackageEmpty, ".");
}

#[test]
fn a_problem_refuses_the_package_whatever_else_is_in_it() {
    let mut intake = Intake::default();
    intake.file(path("a"), false, 1, ()).expect("within the limits");
    assert_eq!(intake.path("docs", b"caf\xe9"), None);
    assert_eq!(intake.path("", b".."), None);
    assert_eq!(intake.path("docs", b"x/../../y"), None);
    assert_eq!(intake.path("docs", b"fine"), Some(path("docs/fine")));
    let error = intake.finish().expect_err("refused");
    let problems: Vec<(Code, &str)> =
        error.problems().iter().map(|it| (it.code, it.path.as_str())).collect();
    assert_eq!(
        problems,
        [
            (Code::PackagePathTraversal, ".."),
            (Code::PackageNonUtf8, "docs/caf\\xe9"),
            (Code::PackagePathTraversal, "docs/x/../../y"),
        ]
    );
}

#[test]
fn counting_ends_at_the_limits() {
    let mut intake = Intake::<()>::default();
    for _ in 0..MAX_FILES {
        intake.other("a").expect("within the limits");
    }
    let error = intake.other("one-more").expect_err("too many");
    assert_eq!(error.code(), Code::PackageTooManyFiles);
    assert_eq!(error.problems()[0].path, "one-more");
    for _ in 0..MAX_FOLDERS {
        intake.folder("a").expect("within the limits");
    }
    let error = intake.folder("one-more").expect_err("too many");
    assert_eq!(error.code(), Code::PackageTooManyFolders);
    assert_eq!(error.problems()[0].path, "one-more");
}

#[test]
fn a_size_that_somebody_claims_cannot_overflow() {
    let mut intake = Intake::default();
    let quarter = MAX_PACKAGE_BYTES / 4;
    for name in ["a", "b", "c", "d"] {
        intake.file(path(name), false, quarter, ()).expect("within the limits");
    }
    for (name, size) in [("e", MAX_FILE_BYTES + 1), ("f", u64::MAX)] {
        intake.file(path(name), false, size, ()).expect("told at the end");
    }
    let error = intake.file(path("g"), false, 1, ()).expect_err("too large");
    assert_eq!((error.code(), error.problems()[0].path.as_str()), (Code::PackageTooLarge, "g"));
    let error = intake.finish().expect_err("refused");
    assert_eq!(error.code(), Code::PackageFileTooLarge);
    assert_eq!(error.problems().len(), 2);
}
