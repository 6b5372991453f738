//! Each row of the table beside its yardstick, in one run.
//!
//! Absolute times say more about the machine than about the program: ratios count, and how time per
//! unit grows with the size.

mod inputs;
mod report;
mod rows;

use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail};

use self::report::{Measured, Report};
use crate::process;
use crate::workspace::Workspace;

/// What is asked of a run.
pub(crate) struct Options {
    pub(crate) quick: bool,
    pub(crate) json: bool,
    pub(crate) write: bool,
    pub(crate) row: Option<String>,
}

/// The programs that are measured.
struct Programs {
    kitbag: PathBuf,
    load: PathBuf,
    keywords: PathBuf,
}

/// One row at one size: what is measured, and beside what. Each prepares what the next run of it
/// needs, and returns the time that counts.
struct Race<'r> {
    subject: Box<dyn FnMut() -> Result<Duration> + 'r>,
    yardstick: Box<dyn FnMut() -> Result<Duration> + 'r>,
}

pub(crate) fn run(workspace: &Workspace, options: &Options) -> Result<()> {
    let programs = build(workspace)?;
    let rounds = if options.quick { 2 } else { 5 };
    let sizes: &[usize] = if options.quick { &[16] } else { &[16, 4, 1] };
    let mut report = Report::new(rounds);
    let mut known = false;
    for row in rows::ALL {
        if options.row.as_deref().is_some_and(|wanted| wanted != row.name) {
            continue;
        }
        known = true;
        for divisor in sizes {
            let units = row.units / divisor;
            let folder = tempfile::tempdir()?;
            let mut race = (row.make)(&programs, folder.path(), units)
                .with_context(|| format!("cannot prepare `{}`", row.name))?;
            // Once unmeasured: caches of the system are as warm for the one as for the other.
            (race.subject)()?;
            (race.yardstick)()?;
            let mut pairs = Vec::with_capacity(rounds);
            for _ in 0..rounds {
                pairs.push(((race.subject)()?, (race.yardstick)()?));
            }
            let measured = Measured { row: row.name, reach: row.reach, units, pairs };
            eprintln!("{}", measured.line());
            report.measured.push(measured);
        }
    }
    if !known {
        let names: Vec<&str> = rows::ALL.iter().map(|row| row.name).collect();
        bail!("there is no such row; there are: {}", names.join(", "));
    }
    if options.json {
        println!("{}", serde_json::to_string_pretty(&report.json())?);
    } else {
        println!("{}", report.markdown(&rows::legend()));
    }
    if options.write {
        let page = workspace.root.join("docs/performance.md");
        fs_err::write(page, report.page(&rows::legend()))?;
    }
    Ok(())
}

fn build(workspace: &Workspace) -> Result<Programs> {
    let cargo = |arguments: &[&str]| {
        let mut command = workspace.cargo(&["build", "--release", "--quiet"]);
        command.args(arguments);
        process::run(command)
    };
    cargo(&["-p", "kitbag-cli"])?;
    cargo(&["-p", "kitbag-package", "--example", "load"])?;
    cargo(&["-p", "kitbag-scanner", "--example", "keywords"])?;
    let target = workspace.metadata.target_directory.join("release").into_std_path_buf();
    Ok(Programs {
        kitbag: target.join("kitbag"),
        load: target.join("examples/load"),
        keywords: target.join("examples/keywords"),
    })
}

/// Runs a command to its end and returns how long that took.
fn time(mut command: Command) -> Result<Duration> {
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let shown = process::shown(&command);
    let start = Instant::now();
    let status = command.status().with_context(|| format!("cannot start `{shown}`"))?;
    let took = start.elapsed();
    if !status.success() {
        bail!("`{shown}` failed: {status}");
    }
    Ok(took)
}

/// A shell command in a folder.
fn shell(folder: &std::path::Path, line: &str) -> Command {
    let mut command = Command::new("bash");
    command.args(["-euo", "pipefail", "-c", line]).current_dir(folder).env("LC_ALL", "C");
    command
}
