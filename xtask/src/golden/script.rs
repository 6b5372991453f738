//! cmd.toml: the script of a case.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::{Context as _, Result, bail};
use serde::Deserialize;

/// What a case does.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Script {
    /// Shell commands that make what git cannot hold.
    pub(super) before: Vec<String>,
    /// Paths whose files are listed at the end.
    pub(super) tree: Vec<String>,
    pub(super) steps: Vec<Step>,
}

/// One step of a script.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// Runs the command and looks at what it says.
    Command {
        args: Vec<String>,
        /// The exit code it must have; none where it is recorded with the outcome.
        exit: Option<i32>,
        stdin: Option<String>,
        env: BTreeMap<String, String>,
    },
    /// Runs a shell command that must succeed.
    Shell(String),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    /// What the case shows, for its reader.
    #[serde(rename = "about")]
    _about: Option<String>,
    #[serde(default)]
    before: Vec<String>,
    #[serde(default)]
    tree: Vec<String>,
    run: Vec<Run>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Run {
    args: Option<Vec<String>>,
    shell: Option<String>,
    exit: Option<i32>,
    stdin: Option<String>,
    env: Option<BTreeMap<String, String>>,
}

/// Reads a script. Errors name the file.
pub(super) fn read(path: &Path) -> Result<Script> {
    let text = fs_err::read_to_string(path)?;
    parse(&text).with_context(|| format!("`{}` is not a script", path.display()))
}

fn parse(text: &str) -> Result<Script> {
    let file: File = toml::from_str(text)?;
    if file.run.is_empty() {
        bail!("there is no `[[run]]`");
    }
    let steps = file.run.into_iter().enumerate().map(|(place, run)| step(place + 1, run));
    Ok(Script { before: file.before, tree: file.tree, steps: steps.collect::<Result<_>>()? })
}

fn step(number: usize, run: Run) -> Result<Step> {
    match (run.args, run.shell) {
        (Some(args), None) => Ok(Step::Command {
            args,
            exit: run.exit,
            stdin: run.stdin,
            env: run.env.unwrap_or_default(),
        }),
        (None, Some(shell)) => {
            if run.exit.is_some() || run.stdin.is_some() || run.env.is_some() {
                bail!("`[[run]]` {number}: `shell` stands alone");
            }
            Ok(Step::Shell(shell))
        }
        _ => bail!("`[[run]]` {number} has either `args` or `shell`"),
    }
}

#[cfg(test)]
mod tests {
    use super::{Step, parse, read};

    #[test]
    fn every_key_is_read() {
        let script = parse(
            r#"
about = "shows everything"
before = ["mkfifo pipe"]
tree = ["root"]

[[run]]
args = ["list"]

[[run]]
shell = "echo x > y"

[[run]]
args = ["add", "-"]
exit = 3
stdin = "x"
env = { KITBAG_ROOT = "[CASE]/root" }
"#,
        )
        .expect("the script is well formed");
        assert_eq!(script.before, ["mkfifo pipe"]);
        assert_eq!(script.tree, ["root"]);
        assert_eq!(script.steps.len(), 3);
        assert_eq!(script.steps[1], Step::Shell("echo x > y".to_owned()));
        let Step::Command { args, exit, stdin, env } = &script.steps[2] else {
            panic!("the third step runs the command: {:?}", script.steps[2])
        };
        assert_eq!(args, &["add", "-"]);
        assert_eq!((*exit, stdin.as_deref()), (Some(3), Some("x")));
        assert_eq!(env["KITBAG_ROOT"], "[CASE]/root");
    }

    #[track_caller]
    fn check_refused(text: &str, says: &str) {
        let folder = tempfile::tempdir().expect("a temporary folder can be made");
        let path = folder.path().join("cmd.toml");
        fs_err::write(&path, text).expect("the script can be written");
        let said = format!("{:#}", read(&path).expect_err("the script is refused"));
        assert!(said.contains("cmd.toml"), "{said}");
        assert!(said.contains(says), "{said}");
    }

    #[test]
    fn what_is_not_a_script_is_refused_with_the_file_named() {
        check_refused("colour = 1\n[[run]]\nargs = []\n", "unknown field `colour`");
        check_refused("[[run]]\nargs = []\nexti = 3\n", "unknown field `exti`");
        check_refused("run = []\n", "no `[[run]]`");
        check_refused("about = \"x\"\n", "missing field `run`");
        check_refused("[[run]]\nexit = 1\n", "either `args` or `shell`");
        check_refused("[[run]]\nargs = []\nshell = \"x\"\n", "either `args` or `shell`");
        check_refused("[[run]]\nshell = \"x\"\nexit = 1\n", "stands alone");
        check_refused("[[run]\n", "TOML parse error");
    }
}
