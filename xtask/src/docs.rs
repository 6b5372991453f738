//! `cargo xtask docs`: the pages that the command writes about itself.
//!
//! The command knows its arguments, its error table and its exit codes, so it prints the pages
//! (`kitbag generate-reference WHAT`, hidden); here they are only stored and compared.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result, bail};

use crate::generated::{Generated, Mode, between_markers, read_if_there, settle};
use crate::process;
use crate::workspace::Workspace;

/// Whole pages: what to ask for, and the file that holds it.
const PAGES: &[(&str, &str)] = &[("cli", "docs/cli.md"), ("errors", "docs/errors.md")];

/// Parts of pages that people write: what to ask for, the file, and the name of the markers.
const PARTS: &[(&str, &str, &str)] = &[("scanner-rules", "docs/scanner.md", "rules")];

pub(crate) fn run(workspace: &Workspace, bin: Option<PathBuf>, mode: Mode) -> Result<()> {
    let command = workspace.command(bin)?;
    let mut files = Vec::new();
    for (what, page) in PAGES {
        files.push(Generated { path: PathBuf::from(page), text: ask(&command, what)? });
    }
    for (what, page, markers) in PARTS {
        let path = workspace.root.join(page);
        let Some(there) = read_if_there(&path)? else { continue };
        if !there.contains(&format!("<!-- {markers}:begin -->")) {
            continue;
        }
        let inner = format!("\n{}\n", ask(&command, what)?);
        let text = between_markers(&there, markers, &inner)
            .with_context(|| format!("`{page}` has no line `<!-- {markers}:end -->`"))?;
        files.push(Generated { path: PathBuf::from(page), text });
    }
    settle(&workspace.root, &files, &[], mode, "docs")
}

fn ask(command: &Path, what: &str) -> Result<String> {
    let mut generate = Command::new(command);
    generate.args(["generate-reference", what]);
    let text = process::output(&mut generate)
        .with_context(|| format!("the command does not know `generate-reference {what}`"))?;
    if text.trim().is_empty() {
        bail!("`generate-reference {what}` printed nothing");
    }
    Ok(text)
}
