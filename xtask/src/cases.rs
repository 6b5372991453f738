//! `cargo xtask cases DIR`: real inputs with right answers.

mod js_shape;
mod simone;
mod skillmd;
mod sources;

use std::path::{Path, PathBuf};

use anyhow::{Result, bail};

use crate::scan_eval;
use crate::workspace::Workspace;

pub(crate) fn run(workspace: &Workspace, dir: &Path, bin: Option<PathBuf>) -> Result<()> {
    let mut ran = 0;
    let mut mismatches = 0;
    let digests = dir.join("simone.json");
    if digests.is_file() {
        ran += 1;
        mismatches += simone::run(&digests)?;
    }
    let skills = dir.join("skillmd.jsonl");
    if skills.is_file() {
        ran += 1;
        mismatches += skillmd::run(&skills, &workspace.command(bin)?)?;
    }
    let sources = dir.join("sources.tsv");
    if sources.is_file() {
        ran += 1;
        mismatches += sources::run(&sources)?;
    }
    let shapes = dir.join("js-shape.txt");
    if shapes.is_file() {
        ran += 1;
        mismatches += js_shape::run(&shapes, &crate::syntax_child()?)?;
    }
    if dir.join("scan_corpus.jsonl").is_file() || dir.join("secrets.jsonl").is_file() {
        ran += 1;
        let problems = scan_eval::evaluate(dir, scan_eval::Detail::QUIET)?;
        for problem in &problems {
            println!("{problem}");
        }
        mismatches += problems.len();
    }
    if ran == 0 {
        bail!("`{}` holds no case file that is known", dir.display());
    }
    if mismatches > 0 {
        bail!("{mismatches} mismatches");
    }
    Ok(())
}
