//! Plays a script in a folder of its own and gathers what was seen.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail};
use tempfile::TempDir;

use super::Outcome;
use super::observe::{copy, tree};
use super::redact::Redactor;
use super::script::{Script, Step};

/// How long one step may take. A case takes well under a second; this only ends one that hangs.
const LIMIT: Duration = Duration::from_secs(60);

/// How long to wait before looking again whether a step has ended.
const TICK: Duration = Duration::from_millis(2);

/// Plays the script of the case in `case` and returns what belongs into its out/.
pub(super) fn play(case: &Path, script: &Script, command: &Path) -> Result<Outcome> {
    let stage = Stage::new(command)?;
    let input = case.join("in");
    if input.is_dir() {
        copy(&input, &stage.dir)?;
    }
    for line in &script.before {
        stage.shell(line)?;
    }
    let mut outcome = Outcome::new();
    for (place, step) in script.steps.iter().enumerate() {
        match step {
            Step::Shell(line) => stage.shell(line)?,
            Step::Command { args, exit, stdin, env } => {
                let ended = stage.kitbag(args, stdin.as_deref(), env)?;
                let name = |suffix| format!("{:02}.{suffix}", place + 1);
                let line = || format!("kitbag {}", args.join(" "));
                match exit {
                    Some(exit) if *exit == ended.exit => {}
                    Some(exit) => bail!(
                        "`{}` ended with {}, not {exit}\n{}{}",
                        line(),
                        ended.exit,
                        ended.stdout,
                        ended.stderr
                    ),
                    None if ended.exit == 0 => {}
                    None => {
                        outcome.insert(name("exit"), format!("{}\n", ended.exit));
                    }
                }
                for (stream, text) in [("stdout", ended.stdout), ("stderr", ended.stderr)] {
                    if !text.is_empty() {
                        outcome.insert(name(stream), text);
                    }
                }
            }
        }
    }
    if !script.tree.is_empty() {
        outcome
            .insert("tree.txt".to_owned(), stage.redactor.redact(&tree(&stage.dir, &script.tree)?));
    }
    Ok(outcome)
}

/// The folder a case is played in, and what is needed to play it.
struct Stage {
    /// The folder's path without links, as the command would print it.
    dir: PathBuf,
    command: PathBuf,
    redactor: Redactor,
    streams: TempDir,
    // Last, so that it is deleted last.
    _folder: TempDir,
}

struct Ended {
    exit: i32,
    stdout: String,
    stderr: String,
}

impl Stage {
    fn new(command: &Path) -> Result<Self> {
        let folder = tempfile::tempdir()?;
        let dir = fs_err::canonicalize(folder.path())?;
        Ok(Self {
            redactor: Redactor::new(&dir),
            dir,
            command: command.to_owned(),
            streams: tempfile::tempdir()?,
            _folder: folder,
        })
    }

    fn kitbag(
        &self,
        args: &[String],
        stdin: Option<&str>,
        env: &BTreeMap<String, String>,
    ) -> Result<Ended> {
        let mut command = Command::new(&self.command);
        command.args(args.iter().map(|argument| self.in_place(argument)));
        self.scrub(&mut command);
        command.envs(env.iter().map(|(name, value)| (name, self.in_place(value))));
        let (status, stdout, stderr) = self.finish(command, stdin)?;
        let Some(exit) = status.code() else {
            bail!("`kitbag {}` was killed: {status}\n{stderr}", args.join(" "))
        };
        Ok(Ended {
            exit,
            stdout: self.redactor.redact(&stdout),
            stderr: self.redactor.redact(&stderr),
        })
    }

    fn shell(&self, line: &str) -> Result<()> {
        let mut command = Command::new("sh");
        command.args(["-e", "-c", &self.in_place(line)]);
        self.scrub(&mut command);
        command.env("KITBAG", &self.command);
        let (status, stdout, stderr) = self.finish(command, None)?;
        if !status.success() {
            bail!("the shell command `{line}` failed: {status}\n{stdout}{stderr}");
        }
        Ok(())
    }

    fn in_place(&self, text: &str) -> String {
        text.replace("[CASE]", &self.dir.display().to_string())
    }

    /// Nothing of the caller's surroundings reaches a case.
    fn scrub(&self, command: &mut Command) {
        command
            .current_dir(&self.dir)
            .env_clear()
            .env("PATH", search_path())
            .env("HOME", self.dir.join("home"))
            .env("TERM", "dumb")
            .env("LC_ALL", "C");
    }

    /// Runs a program to its end. Its streams are files, so that it never waits for a reader.
    fn finish(
        &self,
        mut command: Command,
        stdin: Option<&str>,
    ) -> Result<(ExitStatus, String, String)> {
        let path = |name| self.streams.path().join(name);
        let stream =
            |name| -> Result<Stdio> { Ok(fs_err::File::create(path(name))?.into_file().into()) };
        command.stdout(stream("stdout")?).stderr(stream("stderr")?).stdin(match stdin {
            None => Stdio::null(),
            Some(text) => {
                fs_err::write(path("stdin"), text)?;
                fs_err::File::open(path("stdin"))?.into_file().into()
            }
        });
        let line = crate::process::shown(&command);
        let begun = Instant::now();
        let mut child = command.spawn().with_context(|| format!("cannot start `{line}`"))?;
        let status = loop {
            if let Some(status) = child.try_wait()? {
                break status;
            }
            if begun.elapsed() > LIMIT {
                child.kill()?;
                child.wait()?;
                bail!("`{line}` did not end within {} s", LIMIT.as_secs());
            }
            std::thread::sleep(TICK);
        };
        let read = |name| -> Result<String> {
            let bytes = fs_err::read(path(name))?;
            String::from_utf8(bytes).with_context(|| format!("{name} of `{line}` is not UTF-8"))
        };
        Ok((status, read("stdout")?, read("stderr")?))
    }
}

#[allow(clippy::disallowed_methods, reason = "a case's shell commands need the caller's programs")]
fn search_path() -> OsString {
    std::env::var_os("PATH").unwrap_or_default()
}
