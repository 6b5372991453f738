//! Staging: each file is read once, written, hashed and shown.

use std::fs::File;
use std::io::{Read as _, Write as _};

use kitbag_package::{Contents, Entry, ListingEntry, PackageReader, digest};
use kitbag_types::{Digest, OperationId};
use rustix::fs::{self as rfs, Mode, OFlags};
use rustix::io::Errno;

use super::handle::{Dir, io};
use super::{FolderDepot, TREE};
use crate::{DepotError, Staged, Visitor};

/// From this many files on, one flush of the file system is cheaper than one a file.
const SYNC_ALL_FROM: usize = 24;

const FOLDER_MODE: Mode =
    Mode::RWXU.union(Mode::RGRP).union(Mode::XGRP).union(Mode::ROTH).union(Mode::XOTH);
const FILE_MODE: Mode = Mode::RUSR.union(Mode::WUSR).union(Mode::RGRP).union(Mode::ROTH);

impl FolderDepot {
    pub(super) fn stage_into(
        &self,
        operation: OperationId,
        package: &dyn PackageReader,
        visit: &mut Visitor<'_>,
    ) -> Result<Staged, DepotError> {
        let tree = self.area(operation)?.create(TREE, FOLDER_MODE)?;
        set_mode(&tree, FOLDER_MODE)?;
        let entries = package.entries();
        let durability = if entries.len() < SYNC_ALL_FROM { Sync::Each } else { Sync::Once };
        let mut folders = Folders { root: &tree, open: Vec::new(), sync: durability };
        let mut cloning = Cloning::Untried;
        let mut listing = Vec::with_capacity(entries.len());
        for entry in entries {
            let folder = folders.of(entry)?;
            let contents = write(package, entry, folder, &mut cloning, durability)?;
            listing.push(ListingEntry {
                path: entry.path.clone(),
                executable: entry.executable,
                size: contents.len() as u64,
                sha256: Digest::of_bytes(&contents),
            });
            visit(entry, &contents);
        }
        folders.close()?;
        match durability {
            Sync::Each => tree.sync()?,
            Sync::Once => sync_file_system(&tree)?,
        }
        self.claims.set_tree(operation, tree);
        Ok(Staged { operation, digest: digest(&listing), listing })
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Sync {
    Each,
    Once,
}

/// Whether the file system shares blocks between files.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Cloning {
    Untried,
    Works,
    Refused,
}

/// The folders between the tree's root and the file that is being written. Entries come in
/// bytewise order, in which all files below a folder follow each other.
struct Folders<'t> {
    root: &'t Dir,
    open: Vec<(String, Dir)>,
    sync: Sync,
}

impl Folders<'_> {
    fn of(&mut self, entry: &Entry) -> Result<&Dir, DepotError> {
        let parts: Vec<&str> = entry.path.parts().collect();
        let folders = &parts[..parts.len() - 1];
        let shared =
            self.open.iter().zip(folders).take_while(|((name, _), part)| name == *part).count();
        self.close_to(shared)?;
        for &part in &folders[shared..] {
            let parent = self.open.last().map_or(self.root, |(_, dir)| dir);
            let dir = parent.ensure(part, FOLDER_MODE)?;
            set_mode(&dir, FOLDER_MODE)?;
            self.open.push((part.to_owned(), dir));
        }
        Ok(self.open.last().map_or(self.root, |(_, dir)| dir))
    }

    fn close_to(&mut self, keep: usize) -> Result<(), DepotError> {
        while self.open.len() > keep {
            let (_, dir) = self.open.pop().expect("the loop condition says that there is one");
            if self.sync == Sync::Each {
                dir.sync()?;
            }
        }
        Ok(())
    }

    fn close(mut self) -> Result<(), DepotError> {
        self.close_to(0)
    }
}

fn write(
    package: &dyn PackageReader,
    entry: &Entry,
    folder: &Dir,
    cloning: &mut Cloning,
    sync: Sync,
) -> Result<Contents, DepotError> {
    let name = entry.path.file_name();
    let path = folder.path_of(name);
    let flags = OFlags::RDWR | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let fd = rfs::openat(folder.fd(), name, flags, FILE_MODE)
        .map_err(|errno| io("create", &path, errno))?;
    let mut file = File::from(fd);
    let failed = |action| {
        let path = path.clone();
        move |source| DepotError::Io { action, path, source }
    };
    let contents = if clone(package, entry, &file, cloning)? {
        // The staged copy is what is hashed and scanned: the source is not looked at again.
        let mut bytes = Vec::with_capacity(usize::try_from(entry.size).unwrap_or(0));
        file.read_to_end(&mut bytes).map_err(failed("read"))?;
        Contents::new(bytes)
    } else {
        let contents = package.contents(entry)?;
        file.write_all(&contents).map_err(failed("write"))?;
        contents
    };
    let mode = if entry.executable { FOLDER_MODE } else { FILE_MODE };
    rfs::fchmod(&file, mode).map_err(|errno| io("set the mode of", &path, errno))?;
    if sync == Sync::Each {
        file.sync_all().map_err(failed("sync"))?;
    }
    Ok(contents)
}

/// Lets the new file share the blocks of the source where the file system can. Returns false
/// where the bytes must be written instead.
fn clone(
    package: &dyn PackageReader,
    entry: &Entry,
    to: &File,
    cloning: &mut Cloning,
) -> Result<bool, DepotError> {
    if *cloning == Cloning::Refused || entry.size == 0 || !cfg!(target_os = "linux") {
        return Ok(false);
    }
    let Some(from) = package.file(entry)? else {
        *cloning = Cloning::Refused;
        return Ok(false);
    };
    #[cfg(target_os = "linux")]
    if rfs::ioctl_ficlone(to, &from).is_ok() {
        let cloned =
            rfs::fstat(to).is_ok_and(|stat| i128::from(stat.st_size) == i128::from(entry.size));
        if cloned {
            *cloning = Cloning::Works;
            return Ok(true);
        }
        // It grew or shrank since the package was opened; reading it will say so.
        let _ = rfs::ftruncate(to, 0);
        return Ok(false);
    }
    let _ = (to, from);
    if *cloning == Cloning::Untried {
        *cloning = Cloning::Refused;
    }
    Ok(false)
}

/// The mode that `mkdir` was given passes through the process's umask; the digest covers only the
/// execute bit of files, but a host of another user must be able to read what was promoted.
fn set_mode(dir: &Dir, mode: Mode) -> Result<(), DepotError> {
    rfs::fchmod(dir.fd(), mode).map_err(|errno| dir.failed("set the mode of", ".", errno))
}

#[cfg(target_os = "linux")]
fn sync_file_system(tree: &Dir) -> Result<(), DepotError> {
    rfs::syncfs(tree.fd()).map_err(|errno| dir_failed(tree, errno))
}

#[cfg(not(target_os = "linux"))]
fn sync_file_system(tree: &Dir) -> Result<(), DepotError> {
    rfs::sync();
    let _ = tree;
    Ok(())
}

#[cfg(target_os = "linux")]
fn dir_failed(tree: &Dir, errno: Errno) -> DepotError {
    tree.failed("sync", ".", errno)
}
