//! Where things lie, resolved once at the edge.

use std::path::{Component, Path, PathBuf};
use std::time::Duration;

use kitbag_scanner::SyntaxChild;
use kitbag_types::{Code, printable};

use crate::{LifecycleError, Refusal};

/// How many versions of each capability are kept unless the settings say otherwise.
pub const KEEP_VERSIONS: usize = 5;

/// How long a mutation waits for another process: longer than any promotion takes, shorter than
/// a person's patience.
pub const LOCK_PATIENCE: Duration = Duration::from_secs(30);

/// The name of the config mirror, which also marks a runtime root.
pub const CONFIG_FILE: &str = "gorombo.config.json";

/// The file of the owner's own rules for the scanner, at the top of the root.
pub const RULES_FILE: &str = "scanner.toml";

/// What the edge read from the command line and the environment.
#[derive(Clone, Debug, Default)]
pub struct Inputs {
    /// `--root`.
    pub root: Option<PathBuf>,
    /// `KITBAG_ROOT`.
    pub kitbag_root: Option<PathBuf>,
    /// `GOROMBO_RUNTIME_ROOT`.
    pub gorombo_root: Option<PathBuf>,
    /// `GOROMBO_CAPABILITY_DB_PATH`.
    pub database: Option<PathBuf>,
    /// `GOROMBO_CAPABILITIES_DIR`.
    pub capabilities: Option<PathBuf>,
    /// `GOROMBO_CAPABILITY_DIR`, the older name of the same.
    pub capability: Option<PathBuf>,
    /// The folder that relative paths start from, absolute.
    pub current_dir: PathBuf,
    /// The platform's folder for data of programs.
    pub data_dir: Option<PathBuf>,
    /// How a child is started that parses programs for the scanner.
    pub syntax: Option<SyntaxChild>,
}

/// Where things lie, and the few choices an owner has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settings {
    /// The runtime root, canonical.
    pub root: PathBuf,
    /// The registry database.
    pub database: PathBuf,
    /// The folder of managed packages.
    pub capabilities: PathBuf,
    /// The folder that agents' local sources lie in.
    pub workspace: PathBuf,
    /// How many versions of each capability are kept.
    pub keep_versions: usize,
    /// How long a mutation waits for another process.
    pub patience: Duration,
    /// How a child is started that parses programs for the scanner. Without one they are read by
    /// pattern alone, and reports say so.
    pub syntax: Option<SyntaxChild>,
}

impl Settings {
    /// Finds the runtime root and what lies in it: `--root`, else `KITBAG_ROOT`, else
    /// `GOROMBO_RUNTIME_ROOT`, else the nearest parent folder named `.gorombo`, else the nearest
    /// that holds a registry or a config mirror, else the platform's data folder. Nothing is
    /// created.
    ///
    /// # Errors
    /// `settings/…` if there is no root, it is no folder, or a relative override leaves it.
    pub fn resolve(inputs: &Inputs) -> Result<Self, LifecycleError> {
        let root = canonical(&find_root(inputs)?)?;
        let database = below(&root, inputs.database.as_deref(), "db/capabilities.sqlite")?;
        let folder = inputs.capabilities.as_deref().or(inputs.capability.as_deref());
        let capabilities = below(&root, folder, "capabilities")?;
        let workspace = root.join("workspace");
        Ok(Self {
            root,
            database,
            capabilities,
            workspace,
            keep_versions: KEEP_VERSIONS,
            patience: LOCK_PATIENCE,
            syntax: inputs.syntax.clone(),
        })
    }

    /// Returns the settings of a root with nothing overridden.
    ///
    /// # Errors
    /// As [`resolve`](Self::resolve).
    pub fn at(root: &Path) -> Result<Self, LifecycleError> {
        let current_dir = root.parent().unwrap_or(root).to_owned();
        Self::resolve(&Inputs { root: Some(root.to_owned()), current_dir, ..Inputs::default() })
    }
}

fn find_root(inputs: &Inputs) -> Result<PathBuf, LifecycleError> {
    let named = [&inputs.root, &inputs.kitbag_root, &inputs.gorombo_root];
    if let Some(root) = named.into_iter().flatten().next() {
        if root.as_os_str().is_empty() {
            return Err(Refusal::new(Code::SettingsNoRoot, "the runtime root is empty").into());
        }
        return Ok(inputs.current_dir.join(root));
    }
    let parents = || inputs.current_dir.ancestors();
    if let Some(root) = parents().find(|dir| dir.ends_with(".gorombo")) {
        return Ok(root.to_owned());
    }
    let is_root =
        |dir: &Path| dir.join("db/capabilities.sqlite").exists() || dir.join(CONFIG_FILE).exists();
    if let Some(root) = parents().find(|dir| is_root(dir)) {
        return Ok(root.to_owned());
    }
    inputs.data_dir.as_ref().map(|dir| dir.join("kitbag")).ok_or_else(|| {
        Refusal::new(Code::SettingsNoRoot, "no runtime root was named and none was found").into()
    })
}

/// Makes a path canonical as far as it exists.
fn canonical(path: &Path) -> Result<PathBuf, LifecycleError> {
    let unusable = |why: &str| -> LifecycleError {
        let shown = path.to_string_lossy();
        Refusal::new(Code::SettingsRootUnusable, format!("`{}` {why}", printable(&shown))).into()
    };
    let mut missing = Vec::new();
    let mut existing = path;
    loop {
        match fs_err::canonicalize(existing) {
            Ok(found) if !found.is_dir() => return Err(unusable("is not a folder")),
            Ok(found) => {
                return Ok(missing.iter().rev().fold(found, |path, part| path.join(part)));
            }
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
            Err(error) if error.kind() == std::io::ErrorKind::NotADirectory => {
                return Err(unusable("is not a folder"));
            }
            Err(error) => return Err(unusable(&format!("cannot be used: {error}"))),
        }
        match existing.components().next_back() {
            Some(Component::Normal(part)) => missing.push(part.to_owned()),
            Some(Component::CurDir) => {}
            // `..` below a folder that does not exist has no meaning that could be relied on.
            _ => return Err(unusable("does not exist")),
        }
        existing = existing.parent().ok_or_else(|| unusable("does not exist"))?;
    }
}

/// Resolves an override: absolute as it is, relative below the root.
fn below(root: &Path, given: Option<&Path>, default: &str) -> Result<PathBuf, LifecycleError> {
    let Some(given) = given else { return Ok(root.join(default)) };
    if given.is_absolute() {
        return Ok(given.to_owned());
    }
    let escapes = || -> LifecycleError {
        let shown = given.to_string_lossy();
        let message = format!("`{}` leaves the runtime root", printable(&shown));
        Refusal::new(Code::SettingsEscape, message).into()
    };
    let stays =
        given.components().all(|part| matches!(part, Component::Normal(_) | Component::CurDir));
    if !stays || given.as_os_str().is_empty() {
        return Err(escapes());
    }
    let path = canonical(&root.join(given)).or_else(|error| {
        if root.join(given).is_file() { Ok(root.join(given)) } else { Err(error) }
    })?;
    if path.starts_with(root) { Ok(path) } else { Err(escapes()) }
}
