//! Which folders of a source are capabilities. Only names are looked at; no file is opened.

use std::path::{Path, PathBuf};

use kitbag_types::Kind;
use walkdir::{DirEntry, WalkDir};

use crate::SourceError;

/// A folder that looks like a capability.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Candidate {
    /// Its path relative to the source, `/`-separated; `.` for the source itself.
    pub subpath: String,
    /// The name of the folder, where it has one.
    pub folder: Option<String>,
    /// What it looks like; none where a module may be a tool or a worker.
    pub kind: Option<Kind>,
}

/// How deep below the source a capability may lie. Public collections stay under 8.
pub const MAX_CANDIDATE_DEPTH: usize = 16;

/// How many folders are looked through. The largest public collection has some 20,000; more is a
/// home directory or a disk.
pub const MAX_FOLDERS: usize = 100_000;

/// The module that makes a folder a tool or a worker: the first that exists is its entry.
const ENTRIES: [&str; 2] = ["index.mjs", "index.ts"];

/// Looks through a source for capabilities, in the order of their paths.
///
/// A folder that holds a `SKILL.md` (in any case) is a skill, and what lies below it is its
/// content. A folder below one named `tools` or `workers` that holds an `index.mjs` or `index.ts`
/// is a tool or a worker; so is the source itself, of a kind that must then be named. `.git` and
/// `node_modules` are not looked into, and links are not followed.
///
/// # Errors
/// [`SourceError`] if the source is not a folder, cannot be read, or has too many folders.
pub fn candidates(source: &Path) -> Result<Vec<Candidate>, SourceError> {
    check_folder(source)?;
    let mut found = Vec::new();
    let mut folders = 0;
    let mut walk = WalkDir::new(source)
        .follow_links(false)
        .max_depth(MAX_CANDIDATE_DEPTH)
        .sort_by_file_name()
        .into_iter()
        .filter_entry(|entry| !is_skipped(entry));
    while let Some(entry) = walk.next() {
        let entry = entry.map_err(|error| unreadable(source, error))?;
        if !entry.file_type().is_dir() {
            continue;
        }
        folders += 1;
        if folders > MAX_FOLDERS {
            return Err(SourceError::TooManyFolders {
                path: source.to_owned(),
                limit: MAX_FOLDERS,
            });
        }
        if let Some(candidate) = classify(source, &entry)? {
            found.push(candidate);
            walk.skip_current_dir();
        }
    }
    Ok(found)
}

fn check_folder(source: &Path) -> Result<(), SourceError> {
    match fs_err::metadata(source) {
        Ok(metadata) if metadata.is_dir() => Ok(()),
        Ok(_) => Err(SourceError::NotADirectory(source.to_owned())),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            Err(SourceError::NotFound(source.to_owned()))
        }
        Err(error) if error.kind() == std::io::ErrorKind::NotADirectory => {
            Err(SourceError::NotADirectory(source.to_owned()))
        }
        Err(error) => Err(SourceError::Unreadable { path: source.to_owned(), source: error }),
    }
}

fn is_skipped(entry: &DirEntry) -> bool {
    entry.depth() > 0
        && entry.file_type().is_dir()
        && entry.file_name().to_str().is_some_and(is_skipped_name)
}

/// Tells whether a folder of this name is never looked into.
pub(crate) fn is_skipped_name(name: &str) -> bool {
    matches!(name, ".git" | "node_modules")
}

/// Decides what a folder is, from the names in it (with whether each is a folder), the name of the
/// folder around it, and whether it is the source itself. None if it is no candidate.
pub(crate) fn kind_of_folder(
    names: impl IntoIterator<Item = (String, bool)>,
    parent: Option<&str>,
    is_source: bool,
) -> Option<Option<Kind>> {
    let mut is_skill = false;
    let mut is_module = false;
    for (name, is_folder) in names {
        is_skill |= name.eq_ignore_ascii_case("SKILL.md") && !is_folder;
        is_module |= ENTRIES.contains(&name.as_str()) && !is_folder;
    }
    match (is_skill, is_module, parent) {
        (true, ..) => Some(Some(Kind::Skill)),
        (_, true, Some("tools")) => Some(Some(Kind::Tool)),
        (_, true, Some("workers")) => Some(Some(Kind::Worker)),
        (_, true, _) if is_source => Some(None),
        _ => None,
    }
}

fn classify(source: &Path, folder: &DirEntry) -> Result<Option<Candidate>, SourceError> {
    let failed = |error| SourceError::Unreadable { path: folder.path().to_owned(), source: error };
    let mut names = Vec::new();
    for child in fs_err::read_dir(folder.path()).map_err(failed)? {
        let child = child.map_err(failed)?;
        // A link of that name is a capability too: a broken one, and the package says so.
        let is_folder = child.file_type().map_err(failed)?.is_dir();
        if let Ok(name) = child.file_name().into_string() {
            names.push((name, is_folder));
        }
    }
    let Some(kind) = kind_of_folder(names, parent_name(folder.path()), folder.depth() == 0) else {
        return Ok(None);
    };
    let relative = folder.path().strip_prefix(source).unwrap_or(Path::new(""));
    let subpath = if relative.as_os_str().is_empty() {
        ".".to_owned()
    } else {
        relative.to_string_lossy().into_owned()
    };
    let folder = folder.path().file_name().map(|name| name.to_string_lossy().into_owned());
    Ok(Some(Candidate { subpath, folder, kind }))
}

fn parent_name(path: &Path) -> Option<&str> {
    path.parent()?.file_name()?.to_str()
}

fn unreadable(source: &Path, error: walkdir::Error) -> SourceError {
    let path = error.path().map_or_else(|| source.to_owned(), PathBuf::from);
    SourceError::Unreadable { path, source: error.into() }
}
