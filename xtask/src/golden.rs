//! `cargo xtask golden`: what the command says and does, case by case.
//!
//! A folder under fixtures/cli/ is a case; fixtures/cli/README.md says what it holds. A new case
//! needs no Rust.

mod observe;
mod play;
mod redact;
mod script;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use anyhow::{Context as _, Result, bail};

pub(crate) use observe::copy;

use crate::generated::{Mode, diff};
use crate::workspace::Workspace;

/// Where the cases lie.
const FOLDER: &str = "fixtures/cli";

/// Cases run side by side: each has a folder of its own, and most of their time is waiting.
const THREADS: usize = 2;

/// What a case's out/ holds: file name to text.
type Outcome = BTreeMap<String, String>;

pub(crate) fn run(
    workspace: &Workspace,
    bin: Option<PathBuf>,
    mode: Mode,
    filter: Option<&str>,
) -> Result<()> {
    let command = workspace.command(bin)?;
    let cases = find(&workspace.root.join(FOLDER), filter)?;
    let failed: Vec<String> = run_all(&cases, &command, mode)
        .into_iter()
        .filter_map(|(name, result)| match result {
            Ok(()) => None,
            Err(error) => {
                println!("--- {name}\n{error:#}\n");
                Some(name)
            }
        })
        .collect();
    println!("golden: {} cases, {} failed", cases.len(), failed.len());
    match failed.as_slice() {
        [] => Ok(()),
        [first, ..] => bail!(
            "{}; if that is what it should do now, accept it with \
             `cargo xtask golden --accept {first}` and review the diff",
            failed.join(", ")
        ),
    }
}

/// Returns the folders of the cases, by name.
fn find(folder: &Path, filter: Option<&str>) -> Result<Vec<PathBuf>> {
    let mut cases = Vec::new();
    if folder.is_dir() {
        for entry in fs_err::read_dir(folder)? {
            let path = entry?.path();
            if path.is_dir() && filter.is_none_or(|filter| name_of(&path).contains(filter)) {
                cases.push(path);
            }
        }
    }
    cases.sort();
    if cases.is_empty() {
        bail!(
            "no cases in `{}`{}",
            folder.display(),
            if filter.is_some() { " of that name" } else { "" }
        );
    }
    Ok(cases)
}

fn name_of(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

fn run_all(cases: &[PathBuf], command: &Path, mode: Mode) -> Vec<(String, Result<()>)> {
    let next = AtomicUsize::new(0);
    let results = Mutex::new(BTreeMap::new());
    thread::scope(|scope| {
        for _ in 0..THREADS.min(cases.len()) {
            scope.spawn(|| {
                while let Some(case) = cases.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let result = run_case(case, command, mode);
                    let mut results = results.lock().expect("no thread panics while it holds it");
                    results.insert(name_of(case), result);
                }
            });
        }
    });
    results.into_inner().expect("no thread panics while it holds it").into_iter().collect()
}

fn run_case(case: &Path, command: &Path, mode: Mode) -> Result<()> {
    let script = script::read(&case.join("cmd.toml"))?;
    let seen = play::play(case, &script, command)?;
    let out = case.join("out");
    match mode {
        Mode::Check => compare(&recorded(&out)?, &seen),
        Mode::Write => accept(&out, &seen),
    }
}

/// Reads what a case is expected to give.
fn recorded(out: &Path) -> Result<Outcome> {
    let mut files = Outcome::new();
    if out.is_dir() {
        for entry in fs_err::read_dir(out)? {
            let path = entry?.path();
            files.insert(name_of(&path), fs_err::read_to_string(&path)?);
        }
    }
    Ok(files)
}

fn compare(expected: &Outcome, seen: &Outcome) -> Result<()> {
    let names: std::collections::BTreeSet<&String> = expected.keys().chain(seen.keys()).collect();
    let mut text = String::new();
    for name in names {
        let of = |files: &Outcome| files.get(name).cloned().unwrap_or_default();
        text.push_str(&diff(&format!("out/{name}"), &of(expected), &of(seen)));
    }
    if text.is_empty() && expected.keys().eq(seen.keys()) {
        return Ok(());
    }
    if text.is_empty() {
        // Empty files make no diff.
        text = format!("expected the files {:?}, got {:?}", expected.keys(), seen.keys());
    }
    bail!("{}", text.trim_end())
}

fn accept(out: &Path, seen: &Outcome) -> Result<()> {
    let there = recorded(out)?;
    for name in there.keys().filter(|name| !seen.contains_key(*name)) {
        fs_err::remove_file(out.join(name))?;
    }
    if !seen.is_empty() {
        fs_err::create_dir_all(out)?;
    }
    for (name, text) in seen.iter().filter(|(name, text)| there.get(*name) != Some(*text)) {
        fs_err::write(out.join(name), text).with_context(|| format!("cannot accept {name}"))?;
        println!("wrote {}", out.join(name).display());
    }
    Ok(())
}

#[cfg(test)]
mod tests;
