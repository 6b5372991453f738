//! What the process was started with, read once. Nothing else reads the environment.
#![expect(clippy::disallowed_methods, reason = "this is the one place that reads the environment")]

use std::env;
use std::io::IsTerminal as _;
use std::path::PathBuf;

use etcetera::BaseStrategy as _;
use kitbag_lifecycle::{Inputs, LifecycleError, Settings, SyntaxChild};
use kitbag_types::Principal;

/// The argument that makes this program a child that parses, and nothing else.
pub(crate) const SYNTAX_CHILD: &str = "--syntax-child";

/// Returns the stack that a child which parses is to have, where this process is to be one.
pub(crate) fn syntax_child() -> Option<usize> {
    let mut arguments = env::args_os().skip(1);
    let is_child = arguments.next().is_some_and(|first| first == SYNTAX_CHILD);
    is_child.then(|| arguments.next()?.to_str()?.parse().ok())?
}

/// Returns what starts this program once more. On Linux it is the program that runs, even if its
/// file was replaced or removed since.
fn this_program() -> Option<PathBuf> {
    match cfg!(target_os = "linux") {
        true => Some(PathBuf::from("/proc/self/exe")),
        false => env::current_exe().ok(),
    }
}

/// What the process was started with.
pub(crate) struct Environment {
    inputs: Inputs,
    user: String,
    stdin_is_terminal: bool,
}

impl Environment {
    /// Reads it.
    ///
    /// # Errors
    /// If there is no current folder any more: nothing that is relative has a meaning then.
    pub(crate) fn read() -> Result<Self, LifecycleError> {
        let path = |name| env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
        let user = ["USER", "LOGNAME"]
            .into_iter()
            .find_map(|name| env::var(name).ok().filter(|user| !user.is_empty()))
            .unwrap_or_else(|| format!("uid-{}", rustix::process::getuid().as_raw()));
        let current_dir = env::current_dir()
            .map_err(|error| LifecycleError::reading("the current folder", error))?;
        Ok(Self {
            inputs: Inputs {
                root: None,
                kitbag_root: path("KITBAG_ROOT"),
                gorombo_root: path("GOROMBO_RUNTIME_ROOT"),
                database: path("GOROMBO_CAPABILITY_DB_PATH"),
                capabilities: path("GOROMBO_CAPABILITIES_DIR"),
                capability: path("GOROMBO_CAPABILITY_DIR"),
                current_dir,
                data_dir: etcetera::choose_base_strategy().ok().map(|base| base.data_dir()),
                // Where it cannot be told, programs are read by pattern, and reports say so.
                syntax: this_program().map(|it| SyntaxChild::new(it, [SYNTAX_CHILD])),
            },
            user,
            stdin_is_terminal: std::io::stdin().is_terminal(),
        })
    }

    /// Resolves where things lie.
    pub(crate) fn settings(&self, root: Option<&PathBuf>) -> Result<Settings, LifecycleError> {
        Settings::resolve(&Inputs { root: root.cloned(), ..self.inputs.clone() })
    }

    /// Returns who acts: the person at the terminal.
    pub(crate) fn principal(&self) -> Principal {
        Principal::Cli { user: self.user.clone() }
    }

    /// Returns the folder that relative paths start from.
    pub(crate) fn current_dir(&self) -> &PathBuf {
        &self.inputs.current_dir
    }

    /// Tells whether a person can be asked.
    pub(crate) fn can_ask(&self) -> bool {
        self.stdin_is_terminal
    }
}
