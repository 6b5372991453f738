//! `cargo xtask ci`: every check in order. It stops at the first that fails.

use std::path::PathBuf;
use std::time::Instant;

use anyhow::{Context as _, Result, bail};

use crate::generated::Mode;
use crate::workspace::Workspace;
use crate::{cases, docs, golden, layers, process, readme, schemas, tidy};

/// Where case files lie beside a checkout that has them.
const CASES: &str = "../shared/cases";

pub(crate) fn run(workspace: &Workspace, cases: Option<PathBuf>) -> Result<()> {
    if let Some(dir) = &cases
        && !dir.is_dir()
    {
        bail!("`--cases {}` is not a folder", dir.display());
    }
    let beside = workspace.root.join(CASES);
    let cases = cases.or_else(|| beside.is_dir().then_some(beside));
    let cargo = |arguments: &[&str]| process::run(workspace.cargo(arguments));

    step("format", || cargo(&["fmt", "--all", "--check"]))?;
    step("clippy", || {
        cargo(&["clippy", "--workspace", "--all-targets", "--", "--deny", "warnings"])
    })?;
    step("layers", || layers::run(workspace, Mode::Check))?;
    step("tidy", || tidy::run(workspace))?;
    step("schemas", || schemas::run(workspace, Mode::Check))?;
    step("docs", || docs::run(workspace, None, Mode::Check))?;
    step("readme", || readme::run(workspace, None, Mode::Check))?;
    step("golden", || golden::run(workspace, None, Mode::Check, None))?;
    step("tests", || cargo(&["nextest", "run", "--workspace"]))?;
    step("doc tests", || cargo(&["test", "--doc", "--workspace"]))?;
    step("rustdoc", || {
        let mut doc = workspace.cargo(&["doc", "--no-deps", "--workspace"]);
        doc.env("RUSTDOCFLAGS", "--deny warnings");
        process::run(doc)
    })?;
    step("examples", || cargo(&["build", "--workspace", "--examples"]))?;
    match cases {
        Some(dir) => step("cases", || cases::run(workspace, &dir, None))?,
        None => println!("\n=== cases: no folder of case files, skipped"),
    }
    if process::succeeds(workspace.cargo(&["deny", "--version"])) {
        step("deny", || cargo(&["deny", "--offline", "check", "licenses", "bans", "sources"]))?;
    } else {
        println!(
            "\n=== deny: cargo-deny is not installed, so the rules of deny.toml were not checked"
        );
    }
    println!("\nci: all checks passed");
    Ok(())
}

fn step(name: &str, check: impl FnOnce() -> Result<()>) -> Result<()> {
    println!("\n=== {name}");
    let begun = Instant::now();
    check().with_context(|| format!("ci: {name} failed"))?;
    println!("=== {name}: ok in {:.1} s", begun.elapsed().as_secs_f64());
    Ok(())
}
