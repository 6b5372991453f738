//! A folder of a commit as a package: the tree object is read, and held to the same rules as a
//! folder on disk.

use std::sync::{Mutex, MutexGuard, PoisonError};

use git2::{ObjectType, Odb, Oid, Repository, Tree};
use kitbag_package::{Contents, Entry, Intake, PackageError, PackageReader};
use kitbag_types::{Code, PackagePath};

use super::Links;
use super::fetched::folder;

/// How many links of links are followed.
const MAX_LINKS: usize = 8;

const LINK: i32 = 0o120_000;
const EXECUTABLE: i32 = 0o100_755;

/// A folder of a commit.
pub(super) struct GitPackage<'f> {
    repository: &'f Mutex<Repository>,
    entries: Vec<Entry>,
    blobs: Vec<Oid>,
    left_out: Vec<String>,
}

impl<'f> GitPackage<'f> {
    pub(super) fn open(
        repository: &'f Mutex<Repository>,
        root: Oid,
        subpath: &str,
        links: Links,
    ) -> Result<Self, PackageError> {
        let taken = {
            let guard = repository.lock().unwrap_or_else(PoisonError::into_inner);
            let missing = |error| {
                PackageError::new(Code::PackageNotFound, subpath, "").with_source(io(error))
            };
            let tree = folder(&guard, root, subpath).map_err(missing)?;
            let odb = guard.odb().map_err(missing)?;
            let intake = Intake::default();
            let mut walk = Walk { repository: &guard, odb, root, subpath, links, intake };
            walk.folder(&tree, "")?;
            walk.intake.finish()?
        };
        let (entries, blobs) = taken.files.into_iter().unzip();
        Ok(Self { repository, entries, blobs, left_out: taken.left_out })
    }

    fn repository(&self) -> MutexGuard<'_, Repository> {
        self.repository.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl PackageReader for GitPackage<'_> {
    fn entries(&self) -> &[Entry] {
        &self.entries
    }

    fn contents(&self, entry: &Entry) -> Result<Contents, PackageError> {
        let path = entry.path.as_str();
        let changed = || PackageError::new(Code::PackageChanged, path, "");
        let index = self
            .entries
            .binary_search_by(|known| known.path.cmp(&entry.path))
            .map_err(|_| changed())?;
        let repository = self.repository();
        let blob =
            repository.find_blob(self.blobs[index]).map_err(|error| unreadable(path, error))?;
        let bytes = blob.content().to_vec();
        if bytes.len() as u64 == self.entries[index].size {
            Ok(Contents::new(bytes))
        } else {
            Err(changed())
        }
    }

    fn left_out(&self) -> &[String] {
        &self.left_out
    }
}

struct Walk<'w> {
    repository: &'w Repository,
    odb: Odb<'w>,
    root: Oid,
    subpath: &'w str,
    links: Links,
    intake: Intake<Oid>,
}

impl Walk<'_> {
    /// Takes in what a tree holds. `Err` means that a limit of the whole package is passed.
    fn folder(&mut self, tree: &Tree<'_>, path: &str) -> Result<(), PackageError> {
        for entry in tree {
            let name = entry.name_bytes();
            if name == b".git" {
                self.intake.leave_out(join(path, ".git"));
                continue;
            }
            let shown = join(path, &String::from_utf8_lossy(name));
            let is_folder = entry.kind() == Some(ObjectType::Tree);
            if is_folder {
                self.intake.folder(&shown)?;
            } else {
                self.intake.other(&shown)?;
            }
            let Some(path) = self.intake.path(path, name) else { continue };
            match entry.kind() {
                Some(ObjectType::Tree) => match self.repository.find_tree(entry.id()) {
                    Ok(tree) => self.folder(&tree, path.as_str())?,
                    Err(error) => self.intake.refuse(unreadable(path.as_str(), error)),
                },
                Some(ObjectType::Blob) if entry.filemode() == LINK => {
                    self.link(path, entry.id())?;
                }
                Some(ObjectType::Blob) => {
                    self.file(path, entry.filemode() == EXECUTABLE, entry.id())?;
                }
                // A submodule: the commit of another repository, and no bytes.
                _ => self.intake.leave_out(format!("{} (a submodule)", path.as_str())),
            }
        }
        Ok(())
    }

    fn file(&mut self, path: PackagePath, executable: bool, blob: Oid) -> Result<(), PackageError> {
        match self.odb.read_header(blob) {
            Ok((size, ObjectType::Blob)) => self.intake.file(path, executable, size as u64, blob),
            Ok(_) => {
                self.intake.refuse(PackageError::new(
                    Code::PackageUnreadable,
                    path.as_str(),
                    "it is no file",
                ));
                Ok(())
            }
            Err(error) => {
                self.intake.refuse(unreadable(path.as_str(), error));
                Ok(())
            }
        }
    }

    fn link(&mut self, path: PackagePath, blob: Oid) -> Result<(), PackageError> {
        let target = self.target(blob);
        if self.links == Links::Resolve
            && let Some((to, executable, blob)) = self.follow(&path, &target)
        {
            self.intake.leave_out(format!("{} (a link, taken as the file `{to}`)", path.as_str()));
            return self.file(path, executable, blob);
        }
        let detail = format!("to `{target}`");
        self.intake.refuse(PackageError::new(Code::PackageSymlink, path.as_str(), detail));
        Ok(())
    }

    fn target(&self, blob: Oid) -> String {
        let blob = self.repository.find_blob(blob);
        blob.map_or_else(
            |_| String::new(),
            |blob| String::from_utf8_lossy(blob.content()).into_owned(),
        )
    }

    /// Follows a link inside the commit to a file.
    fn follow(&self, path: &PackagePath, target: &str) -> Option<(String, bool, Oid)> {
        let mut here = if self.subpath == "." {
            path.as_str().to_owned()
        } else {
            format!("{}/{}", self.subpath, path.as_str())
        };
        let mut target = target.to_owned();
        let root = self.repository.find_tree(self.root).ok()?;
        for _ in 0..MAX_LINKS {
            here = beside(&here, &target)?;
            let entry = root.get_path(std::path::Path::new(&here)).ok()?;
            if entry.kind() != Some(ObjectType::Blob) {
                return None;
            }
            if entry.filemode() != LINK {
                return Some((here, entry.filemode() == EXECUTABLE, entry.id()));
            }
            target = self.target(entry.id());
        }
        None
    }
}

/// Returns the path that a relative link at `here` leads to, none if it leaves the commit.
fn beside(here: &str, target: &str) -> Option<String> {
    if target.starts_with('/') || target.contains('\\') {
        return None;
    }
    let mut parts: Vec<&str> = here.split('/').collect();
    parts.pop();
    for part in target.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop()?;
            }
            part => parts.push(part),
        }
    }
    (!parts.is_empty()).then(|| parts.join("/"))
}

fn join(folder: &str, name: &str) -> String {
    if folder.is_empty() { name.to_owned() } else { format!("{folder}/{name}") }
}

fn unreadable(path: &str, error: git2::Error) -> PackageError {
    PackageError::new(Code::PackageUnreadable, path, "").with_source(io(error))
}

fn io(error: git2::Error) -> std::io::Error {
    std::io::Error::other(error)
}
