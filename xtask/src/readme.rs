//! `cargo xtask readme`: the commands that README.md shows are run, and their output compared.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result, bail};

use crate::generated::{Generated, Mode, between_markers, settle};
use crate::golden::copy;
use crate::process;
use crate::workspace::Workspace;

const PAGE: &str = "README.md";

/// Where a reader of the page is at home.
const HOME: &str = "/home/ada";

pub(crate) fn run(workspace: &Workspace, bin: Option<PathBuf>, mode: Mode) -> Result<()> {
    let command = workspace.command(bin)?;
    let there = fs_err::read_to_string(workspace.root.join(PAGE))?;
    let shown = section(&there)
        .context("README.md has no lines `<!-- run:begin -->` and `<!-- run:end -->`")?;
    let folder = tempfile::tempdir()?;
    let stage = fs_err::canonicalize(folder.path())?;
    fs_err::create_dir(stage.join("bin"))?;
    std::os::unix::fs::symlink(&command, stage.join("bin/kitbag"))?;
    let work = stage.join("work");
    fs_err::create_dir_all(work.join("fixtures/quickstart"))?;
    copy(&workspace.root.join("fixtures/quickstart"), &work.join("fixtures/quickstart"))?;
    let played = play(shown, &work, &stage.join("bin"))?;
    let text = between_markers(&there, "run", &played).context("both markers were there")?;
    settle(
        &workspace.root,
        &[Generated { path: PathBuf::from(PAGE), text }],
        &[],
        mode,
        "readme --write",
    )
}

fn section(page: &str) -> Option<&str> {
    let (_, after) = page.split_once("<!-- run:begin -->\n")?;
    Some(after.split_once("<!-- run:end -->")?.0)
}

/// Runs each line that begins with `$ ` in a console block, in order, and puts what it prints in
/// the place of what stood below it.
fn play(shown: &str, work: &Path, bin: &Path) -> Result<String> {
    let mut out = String::new();
    let mut in_block = false;
    let mut commands = 0;
    for line in shown.split_inclusive('\n') {
        if line.starts_with("```") {
            in_block = !in_block;
        }
        if let Some(command) = line.strip_prefix("$ ").filter(|_| in_block) {
            commands += 1;
            out.push_str(line);
            out.push_str(&ask(command.trim_end(), work, bin)?);
        } else if !in_block || line.starts_with("```") {
            out.push_str(line);
        }
    }
    if commands == 0 {
        bail!("`{PAGE}` shows no command");
    }
    Ok(out)
}

#[allow(clippy::disallowed_methods, reason = "the page's commands need the caller's programs")]
fn ask(line: &str, work: &Path, bin: &Path) -> Result<String> {
    let path = std::env::var("PATH").unwrap_or_default();
    let mut shell = Command::new("sh");
    // What fails on the page is meant to: the output says so, and is compared.
    shell.args(["-c", &format!("exec 2>&1; {line}; true")]).current_dir(work).env_clear();
    shell.env("PATH", format!("{}:{path}", bin.display())).env("HOME", work).env("TERM", "dumb");
    let said = process::output(&mut shell)?;
    Ok(said.replace(&work.display().to_string(), HOME))
}
