//! Trees in and out: copying a case's input, and listing what the command left.

use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::Path;

use anyhow::{Result, bail};
use walkdir::WalkDir;

/// Copies a tree: regular files with their execute bits, and links as links.
pub(crate) fn copy(from: &Path, to: &Path) -> Result<()> {
    for entry in WalkDir::new(from).min_depth(1).sort_by_file_name() {
        let entry = entry?;
        let target = to.join(entry.path().strip_prefix(from)?);
        let kind = entry.file_type();
        if kind.is_dir() {
            fs_err::create_dir_all(&target)?;
        } else if kind.is_symlink() {
            symlink(fs_err::read_link(entry.path())?, &target)?;
        } else if kind.is_file() {
            // Not `copy`: what is read-only in a checkout must be writable in a case.
            fs_err::write(&target, fs_err::read(entry.path())?)?;
            let executable = entry.metadata()?.permissions().mode() & 0o100 != 0;
            let mode = if executable { 0o755 } else { 0o644 };
            fs_err::set_permissions(&target, std::fs::Permissions::from_mode(mode))?;
        } else {
            bail!("`{}` is neither file, folder nor link", entry.path().display());
        }
    }
    Ok(())
}

/// Lists the trees at `paths` below `dir`, one line a file, sorted by path: `x` or `-` for the
/// owner's execute bit, the size, the path. A link shows its target, a folder only where it is
/// empty. The database is left out: its bytes are not stable.
pub(super) fn tree(dir: &Path, paths: &[String]) -> Result<String> {
    let mut lines = Vec::new();
    for path in paths {
        let start = dir.join(path);
        if start.symlink_metadata().is_err() {
            lines.push((path.clone(), format!("absent {path}")));
            continue;
        }
        for entry in WalkDir::new(&start) {
            let entry = entry?;
            let name = entry.path().strip_prefix(dir)?.display().to_string();
            if !name.contains(".sqlite")
                && let Some(line) = line(&entry, &name)?
            {
                lines.push((name, line));
            }
        }
    }
    lines.sort();
    lines.dedup();
    Ok(lines.into_iter().map(|(_, line)| line + "\n").collect())
}

fn line(entry: &walkdir::DirEntry, name: &str) -> Result<Option<String>> {
    let kind = entry.file_type();
    if kind.is_dir() {
        let empty = fs_err::read_dir(entry.path())?.next().is_none();
        return Ok(empty.then(|| format!("- empty {name}/")));
    }
    if kind.is_symlink() {
        let target = fs_err::read_link(entry.path())?;
        return Ok(Some(format!("- link {name} -> {}", target.display())));
    }
    if !kind.is_file() {
        return Ok(Some(format!("- special {name}")));
    }
    let metadata = entry.metadata()?;
    let mode = if metadata.permissions().mode() & 0o100 == 0 { '-' } else { 'x' };
    Ok(Some(format!("{mode} {} {name}", metadata.len())))
}
