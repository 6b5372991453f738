//! Files that are generated and checked in: written, or compared.

use std::path::{Path, PathBuf};

use anyhow::{Result, bail};
use similar::TextDiff;

/// Whether generated files are written, or compared with what is there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mode {
    Write,
    Check,
}

/// What a file should hold.
pub(crate) struct Generated {
    /// Relative to the workspace's root.
    pub(crate) path: PathBuf,
    pub(crate) text: String,
}

/// Writes or compares `files`, and removes or names `extra` ones that should not be there.
/// `command` writes them, for the message.
pub(crate) fn settle(
    root: &Path,
    files: &[Generated],
    extra: &[PathBuf],
    mode: Mode,
    command: &str,
) -> Result<()> {
    let mut stale = Vec::new();
    for file in files {
        let path = root.join(&file.path);
        let name = file.path.display().to_string();
        let there = read_if_there(&path)?;
        if there.as_deref() == Some(file.text.as_str()) {
            continue;
        }
        match mode {
            Mode::Write => {
                if let Some(folder) = path.parent() {
                    fs_err::create_dir_all(folder)?;
                }
                fs_err::write(&path, &file.text)?;
                println!("wrote {name}");
            }
            Mode::Check => {
                print!("{}", diff(&name, &there.unwrap_or_default(), &file.text));
                stale.push(name);
            }
        }
    }
    for path in extra {
        let name = path.display().to_string();
        match mode {
            Mode::Write => {
                fs_err::remove_file(root.join(path))?;
                println!("removed {name}");
            }
            Mode::Check => stale.push(format!("{name} (nothing generates it)")),
        }
    }
    if stale.is_empty() {
        return Ok(());
    }
    bail!("stale: {}; run `cargo xtask {command}`", stale.join(", "))
}

/// Returns a unified diff from what is checked in to what was generated, empty if they agree.
pub(crate) fn diff(name: &str, there: &str, wanted: &str) -> String {
    TextDiff::from_lines(there, wanted)
        .unified_diff()
        .context_radius(3)
        .header(&format!("{name} (checked in)"), &format!("{name} (now)"))
        .to_string()
}

/// Reads a text file, none if there is none.
pub(crate) fn read_if_there(path: &Path) -> Result<Option<String>> {
    match fs_err::read_to_string(path) {
        Ok(text) => Ok(Some(text)),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// Returns `text` with what stands between the lines `<!-- name:begin -->` and `<!-- name:end -->`
/// replaced, or none where the markers are not there.
pub(crate) fn between_markers(text: &str, name: &str, inner: &str) -> Option<String> {
    let (begin, end) = (format!("<!-- {name}:begin -->\n"), format!("<!-- {name}:end -->"));
    let start = text.find(&begin)? + begin.len();
    let stop = start + text[start..].find(&end)?;
    Some(format!("{}{inner}{}", &text[..start], &text[stop..]))
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::{Generated, Mode, between_markers, settle};

    #[test]
    fn only_what_stands_between_the_markers_is_replaced() {
        let text = "a\n<!-- x:begin -->\nold\n<!-- x:end -->\nb\n";
        let fresh = between_markers(text, "x", "new\n").expect("both markers are there");
        assert_eq!(fresh, "a\n<!-- x:begin -->\nnew\n<!-- x:end -->\nb\n");
        assert_eq!(between_markers(text, "y", "new\n"), None);
        assert_eq!(between_markers("<!-- x:end -->\n<!-- x:begin -->\n", "x", ""), None);
    }

    #[test]
    fn checking_names_stale_and_extra_files_and_writing_settles_both() {
        let folder = tempfile::tempdir().expect("a temporary folder can be made");
        let root = folder.path();
        fs_err::write(root.join("extra.txt"), "x").expect("the file can be written");
        let files = [Generated { path: PathBuf::from("docs/a.txt"), text: "a\n".to_owned() }];
        let extra = [PathBuf::from("extra.txt")];

        let said = settle(root, &files, &extra, Mode::Check, "things").unwrap_err().to_string();
        assert!(said.contains("docs/a.txt") && said.contains("extra.txt"), "{said}");
        assert!(said.contains("cargo xtask things"), "{said}");
        assert!(!root.join("docs/a.txt").exists(), "checking writes nothing");

        settle(root, &files, &extra, Mode::Write, "things").expect("both can be settled");
        settle(root, &files, &[], Mode::Check, "things").expect("nothing is stale now");
        assert!(!root.join("extra.txt").exists());
    }
}
