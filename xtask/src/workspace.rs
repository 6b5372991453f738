//! The workspace that is checked.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result, bail};
use cargo_metadata::{Metadata, MetadataCommand, Package};

use crate::process;

/// The prefix of our packages' names.
pub(crate) const FAMILY: &str = "kitbag-";

/// The package that builds the command.
const COMMAND_PACKAGE: &str = "kitbag-cli";

pub(crate) struct Workspace {
    pub(crate) root: PathBuf,
    pub(crate) metadata: Metadata,
}

impl Workspace {
    pub(crate) fn open() -> Result<Self> {
        let manifest = Path::new(env!("CARGO_MANIFEST_DIR")).join("Cargo.toml");
        let metadata = MetadataCommand::new()
            .manifest_path(manifest)
            .exec()
            .context("cannot read the workspace's metadata")?;
        Ok(Self { root: metadata.workspace_root.clone().into_std_path_buf(), metadata })
    }

    /// Returns the members, by name.
    pub(crate) fn members(&self) -> Vec<&Package> {
        let mut members = self.metadata.workspace_packages();
        members.sort_by(|a, b| a.name.cmp(&b.name));
        members
    }

    /// Returns the files that git knows or would add, relative to the root, without those that
    /// are deleted but not yet committed so.
    pub(crate) fn files(&self) -> Result<Vec<String>> {
        let mut git = Command::new("git");
        git.args(["ls-files", "-z", "--cached", "--others", "--exclude-standard"]);
        let listing = process::output(git.current_dir(&self.root))?;
        let mut files: Vec<String> = listing
            .split('\0')
            .filter(|path| !path.is_empty() && self.root.join(path).is_file())
            .map(str::to_owned)
            .collect();
        files.sort();
        files.dedup();
        Ok(files)
    }

    /// Builds the command and returns the path of the program, unless one is given.
    pub(crate) fn command(&self, given: Option<PathBuf>) -> Result<PathBuf> {
        if let Some(given) = given {
            return fs_err::canonicalize(given).context("`--bin` names no program");
        }
        process::run(self.cargo(&["build", "--quiet", "--package", COMMAND_PACKAGE]))?;
        let built = self.metadata.target_directory.join("debug").join("kitbag");
        if !built.is_file() {
            bail!("`cargo build --package {COMMAND_PACKAGE}` built no `{built}`");
        }
        Ok(built.into_std_path_buf())
    }

    /// Returns a cargo command that runs at the root.
    pub(crate) fn cargo(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new("cargo");
        command.args(arguments).current_dir(&self.root);
        command
    }
}
