//! Folders made for a test.

use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use kitbag_package::{PackageReader as _, PackageTree, digest, read_all};
use kitbag_types::{Code, Digest};
use tempfile::TempDir;

pub(crate) struct Folder {
    temp: TempDir,
}

impl Folder {
    /// A folder with a package in it, beside which other things can be put.
    pub(crate) fn new() -> Self {
        let temp = TempDir::new().expect("a temporary folder");
        fs_err::create_dir(temp.path().join("package")).expect("a new folder");
        Self { temp }
    }

    pub(crate) fn of(files: &[(&str, &str)]) -> Self {
        let folder = Self::new();
        for (path, text) in files {
            folder.write(path, text);
        }
        folder
    }

    pub(crate) fn path(&self) -> PathBuf {
        self.temp.path().join("package")
    }

    pub(crate) fn outside(&self) -> &Path {
        self.temp.path()
    }

    /// Makes a folder beside the package.
    pub(crate) fn beside(&self, name: &str) -> PathBuf {
        let path = self.temp.path().join(name);
        fs_err::create_dir(&path).expect("a new folder");
        path
    }

    pub(crate) fn at(&self, path: &str) -> PathBuf {
        self.path().join(path)
    }

    pub(crate) fn write(&self, path: &str, bytes: impl AsRef<[u8]>) {
        let path = self.at(path);
        fs_err::create_dir_all(path.parent().expect("below the package")).expect("a folder");
        fs_err::write(path, bytes).expect("a new file");
    }

    pub(crate) fn chmod(&self, path: &str, mode: u32) {
        let permissions = std::fs::Permissions::from_mode(mode);
        fs_err::set_permissions(self.at(path), permissions).expect("our own file");
    }

    pub(crate) fn digest(&self) -> Digest {
        let package = PackageTree::open(&self.path()).expect("a package");
        digest(&read_all(&package, &mut |_, _| {}).expect("readable"))
    }

    pub(crate) fn paths(&self) -> Vec<String> {
        let package = PackageTree::open(&self.path()).expect("a package");
        package.entries().iter().map(|entry| entry.path.as_str().to_owned()).collect()
    }

    /// Opens what must be refused, and returns each problem's code and path.
    #[track_caller]
    pub(crate) fn problems(&self) -> Vec<(Code, String)> {
        let error = PackageTree::open(&self.path()).expect_err("refused");
        error.problems().iter().map(|problem| (problem.code, problem.path.clone())).collect()
    }

    #[track_caller]
    pub(crate) fn check_refused(&self, code: Code, path: &str) {
        assert_eq!(self.problems(), [(code, path.to_owned())]);
    }
}
