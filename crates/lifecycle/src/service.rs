//! The one service: what it stands on, and the questions every operation asks.

use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use kitbag_materializer::{Depot, FolderDepot, GitRemote, Remote, Slot};
use kitbag_package::{ListingEntry, PackageReader, compare, digest, read_all};
use kitbag_scanner::{MAX_RULES_BYTES, RuleSet, SyntaxChild};
use kitbag_store::{PackageRow, Registry, SqliteRegistry, StoredRecord};
use kitbag_types::{
    CapabilityRecord, Code, Digest, Faults, FileChange, FileChangeKind, Kind, NoFaults,
    PackagePath, PackageSummary, Principal, Unwatched, VerifyStatus, Watch, printable,
};

use crate::clock::{Clock, SystemClock};
use crate::settings::RULES_FILE;
use crate::{LifecycleError, Refusal, Settings};

/// What a service needs: the two stores, and the world around them.
pub struct Context {
    /// The registry database.
    pub registry: Box<dyn Registry>,
    /// The place of managed packages.
    pub depot: Box<dyn Depot>,
    /// Where repositories are fetched from.
    pub remote: Box<dyn Remote>,
    /// The folder that agents' local sources lie in.
    pub workspace: PathBuf,
    /// Time and chance.
    pub clock: Arc<dyn Clock>,
    /// Told of every failpoint.
    pub faults: Arc<dyn Faults>,
    /// Told of progress, and asked whether to stop.
    pub watch: Arc<dyn Watch>,
}

/// The choices of an owner.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// How many versions of each capability are kept.
    pub keep_versions: usize,
    /// How long a mutation waits for another process.
    pub patience: Duration,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            keep_versions: crate::settings::KEEP_VERSIONS,
            patience: crate::settings::LOCK_PATIENCE,
        }
    }
}

/// The only writer of a runtime root. Every surface calls it; none has a rule of its own.
pub struct CapabilityLifecycleService {
    pub(crate) registry: Box<dyn Registry>,
    pub(crate) depot: Box<dyn Depot>,
    pub(crate) remote: Box<dyn Remote>,
    pub(crate) workspace: PathBuf,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) faults: Arc<dyn Faults>,
    pub(crate) watch: Arc<dyn Watch>,
    rules: OnceLock<RuleSet>,
    syntax: Option<SyntaxChild>,
    /// The owner's own rules, where a root has them.
    rules_file: Option<PathBuf>,
    pub(crate) options: Options,
}

impl CapabilityLifecycleService {
    /// Opens the registry and the packages of a runtime root, and repairs what an interrupted
    /// operation left. A root that does not exist yet is made by the first mutation.
    ///
    /// # Errors
    /// `store/…` if the database is not one that this program may touch.
    pub fn open(settings: &Settings) -> Result<Self, LifecycleError> {
        Self::open_watched(settings, Arc::new(Unwatched))
    }

    /// As [`open`](Self::open), with something that hears of progress and may call operations off.
    ///
    /// # Errors
    /// As [`open`](Self::open).
    pub fn open_watched(
        settings: &Settings,
        watch: Arc<dyn Watch>,
    ) -> Result<Self, LifecycleError> {
        let context = Context {
            registry: Box::new(SqliteRegistry::open(&settings.database)?),
            depot: Box::new(FolderDepot::new(&settings.capabilities)),
            remote: Box::new(GitRemote::new()),
            workspace: settings.workspace.clone(),
            clock: Arc::new(SystemClock::default()),
            faults: Arc::new(NoFaults),
            watch,
        };
        let options =
            Options { keep_versions: settings.keep_versions, patience: settings.patience };
        let syntax = settings.syntax.clone();
        let rules_file = Some(settings.root.join(RULES_FILE));
        Ok(Self { syntax, rules_file, ..Self::new(context, options)? })
    }

    /// Returns the service with a child that parses programs for the scanner.
    #[must_use]
    pub fn with_syntax(self, child: SyntaxChild) -> Self {
        Self { syntax: Some(child), rules: OnceLock::new(), ..self }
    }

    /// Makes a service of given parts, and repairs what an interrupted operation left.
    ///
    /// # Errors
    /// As [`open`](Self::open).
    pub fn new(context: Context, options: Options) -> Result<Self, LifecycleError> {
        let service = Self {
            registry: context.registry,
            depot: context.depot,
            remote: context.remote,
            workspace: context.workspace,
            clock: context.clock,
            faults: context.faults,
            watch: context.watch,
            rules: OnceLock::new(),
            syntax: None,
            rules_file: None,
            options,
        };
        service.recover_if_due()?;
        Ok(service)
    }

    /// Returns the rules that judge packages, with those of the root's own `scanner.toml`. They are
    /// read when something is first judged: most commands judge nothing.
    ///
    /// # Errors
    /// `settings/rules` if that file cannot be read or is not one of rules. Then nothing is judged.
    pub fn rules(&self) -> Result<&RuleSet, LifecycleError> {
        if let Some(rules) = self.rules.get() {
            return Ok(rules);
        }
        let mut rules = RuleSet::builtin();
        if let Some(text) = self.rules_file.as_deref().map(own_rules).transpose()?.flatten() {
            let place = self.rules_file.as_deref().map(|path| path.to_string_lossy().into_owned());
            rules = rules.with_own(&text).map_err(|error| {
                let place = printable(place.as_deref().unwrap_or_default()).to_string();
                Refusal::new(Code::SettingsRules, format!("`{place}`: {error}"))
            })?;
        }
        if let Some(child) = &self.syntax {
            rules = rules.with_syntax(child.clone());
        }
        Ok(self.rules.get_or_init(|| rules))
    }

    /// Returns the record of an id, or says that there is none, or that it is broken.
    pub(crate) fn record(&self, id: &str) -> Result<CapabilityRecord, LifecycleError> {
        match self.registry.find(id)? {
            Some(StoredRecord::Sound(record)) => Ok(record),
            Some(StoredRecord::Broken(broken)) => {
                let first = broken.problems.first().map_or("", |problem| problem.message.as_str());
                let message = format!("the record of `{}` is broken: {first}", printable(id));
                Err(Refusal::new(Code::RegistryBroken, message).into())
            }
            None => Err(self.not_found(id)?.into()),
        }
    }

    fn not_found(&self, id: &str) -> Result<Refusal, LifecycleError> {
        let refusal =
            Refusal::new(Code::RegistryNotFound, format!("there is no `{}`", printable(id)));
        let near = self.registry.list()?.into_iter().find_map(|record| match record {
            StoredRecord::Sound(record) if is_near(record.id.as_str(), id) => Some(record.id),
            _ => None,
        });
        Ok(match near {
            Some(near) => refusal.hint(format!("did you mean `{near}`?")),
            None => refusal,
        })
    }

    /// Compares the promoted bytes of a record with what is recorded. Every file is read.
    pub(crate) fn state(&self, record: &CapabilityRecord) -> Result<PackageState, LifecycleError> {
        let row = self.registry.package(record.kind, &record.id)?;
        let slot = Slot { kind: record.kind, id: record.id.clone() };
        let mut state = PackageState {
            status: VerifyStatus::Ok,
            actual: None,
            listing: Vec::new(),
            edits: Vec::new(),
            note: None,
            foreign: Vec::new(),
            row,
        };
        let package = match self.depot.promoted(&slot) {
            Ok(package) => package,
            Err(error) => return Ok(state.unreadable(error.to_string())),
        };
        let Some(package) = package else {
            state.status = match &state.row {
                Some(_) => VerifyStatus::Missing,
                None => VerifyStatus::Unpromoted,
            };
            return Ok(state);
        };
        match read_all(&*package, &mut |_, _| {}) {
            Ok(listing) => state.listing = listing,
            Err(error) => return Ok(state.unreadable(error.to_string())),
        }
        let actual = digest(&state.listing);
        state.actual = Some(actual);
        match &state.row {
            None => state.status = VerifyStatus::NoBaseline,
            Some(row) if row.digest != actual => {
                state.status = VerifyStatus::Modified;
                state.edits = compare(&recorded_listing(row), &state.listing);
            }
            Some(_) => {}
        }
        // No package that was promoted has a repository in it: somebody put it there.
        for path in package.left_out().iter().filter(|path| !path.ends_with('/')) {
            if let Ok(path) = PackagePath::new(path) {
                state.edits.push(FileChange { path, change: FileChangeKind::Added, text: None });
            }
            state.foreign.push(path.clone());
        }
        if !state.foreign.is_empty() && state.row.is_some() {
            state.status = VerifyStatus::Modified;
        }
        Ok(state)
    }

    /// Refuses a state that the operation may not start from; `edits` says what is allowed.
    pub(crate) fn check_state(
        &self,
        record: &CapabilityRecord,
        state: &PackageState,
        edits: crate::Edits,
    ) -> Result<(), LifecycleError> {
        let slot = Slot { kind: record.kind, id: record.id.clone() };
        let place = self.depot.describe(&slot);
        let place = printable(&place);
        let refuse = |code, message: String| {
            Err(Refusal::new(code, message).about(record.id.as_str()).into())
        };
        if let Some(path) = state.foreign.first() {
            let message = format!(
                "the package in `{place}` has a `{}`, which is no part of a package and would be lost",
                printable(path)
            );
            let mut refusal = Refusal::new(Code::PackageModified, message)
                .about(record.id.as_str())
                .hint("move it out of the package, then run the command again");
            refusal.files.clone_from(&state.edits);
            return Err(refusal.into());
        }
        match (state.status, edits) {
            (VerifyStatus::Modified | VerifyStatus::NoBaseline, crate::Edits::Keep) => Ok(()),
            (VerifyStatus::Modified, crate::Edits::Refuse) => {
                let message = format!("the package in `{place}` was edited by hand");
                let mut refusal =
                    Refusal::new(Code::PackageModified, message).about(record.id.as_str());
                refusal.files.clone_from(&state.edits);
                Err(refusal.into())
            }
            (VerifyStatus::NoBaseline, crate::Edits::Refuse) => refuse(
                Code::PackageNoBaseline,
                format!("the package in `{place}` has no recorded digest"),
            ),
            (VerifyStatus::Unreadable, _) => {
                let why = state.note.clone().unwrap_or_default();
                Err(Refusal::new(
                    Code::PackageModified,
                    format!("the package in `{place}` cannot be read as one: {why}"),
                )
                .hint("move away what does not belong there, then run the command again")
                .into())
            }
            _ => Ok(()),
        }
    }

    pub(crate) fn summary(row: &PackageRow) -> PackageSummary {
        PackageSummary {
            digest: row.digest,
            files: row.files,
            bytes: row.bytes,
            commit: row.commit.clone(),
            subpath: row.subpath.clone(),
            promoted_at: row.promoted_at,
            previous: row.previous,
        }
    }

    /// Opens the promoted package of a record, none where there is none or it cannot be read.
    pub(crate) fn promoted(&self, record: &CapabilityRecord) -> Option<Box<dyn PackageReader>> {
        let slot = Slot { kind: record.kind, id: record.id.clone() };
        self.depot.promoted(&slot).ok().flatten()
    }
}

/// How the bytes in a slot compare with the record.
pub(crate) struct PackageState {
    pub(crate) status: VerifyStatus,
    pub(crate) actual: Option<Digest>,
    pub(crate) listing: Vec<ListingEntry>,
    pub(crate) edits: Vec<FileChange>,
    pub(crate) note: Option<String>,
    /// What lies in the package and no version of it can hold.
    pub(crate) foreign: Vec<String>,
    pub(crate) row: Option<PackageRow>,
}

impl PackageState {
    fn unreadable(mut self, why: String) -> Self {
        self.status = VerifyStatus::Unreadable;
        self.note = Some(why);
        self
    }
}

/// Reads the listing that was stored with a package. One that cannot be read counts as empty: the
/// digest alone decides whether bytes are the recorded ones.
pub(crate) fn recorded_listing(row: &PackageRow) -> Vec<ListingEntry> {
    serde_json::from_str(&row.listing).unwrap_or_default()
}

/// Only a person changes anything: an agent's request needs an approval, and there are none yet.
pub(crate) fn authorise(principal: &Principal) -> Result<(), LifecycleError> {
    match principal {
        Principal::Cli { .. } => Ok(()),
        Principal::Agent { agent, .. } => {
            let message = format!("`{}` may ask, and a person decides", printable(agent));
            Err(Refusal::new(Code::ApprovalRequired, message).into())
        }
    }
}

/// Kinds whose inspection is not built are refused whole.
pub(crate) fn check_built(kind: Kind, id: &str) -> Result<(), LifecycleError> {
    if kind == Kind::Skill {
        return Ok(());
    }
    let message =
        format!("`{}` is a {kind}, and {kind} packages cannot be inspected yet", printable(id));
    Err(Refusal::new(Code::KindNotBuilt, message).into())
}

/// Tells whether two ids are two small slips apart at most: a character more, less or other, or two
/// in the wrong order. In a short id one slip is enough to mean another.
fn is_near(installed: &str, asked: &str) -> bool {
    let slips = strsim::osa_distance(installed, &asked.to_lowercase());
    slips <= 2 && slips * 3 <= installed.chars().count()
}

/// Reads the owner's own rules. `None`: there are none.
fn own_rules(path: &Path) -> Result<Option<String>, LifecycleError> {
    let shown = path.to_string_lossy();
    let refuse = |why: &str| -> LifecycleError {
        let message = format!("`{}` {why}", printable(&shown));
        Refusal::new(Code::SettingsRules, message).into()
    };
    // What is no file could keep a reader waiting for ever.
    match fs_err::metadata(path) {
        Ok(found) if !found.is_file() => return Err(refuse("is not a file")),
        Ok(found) if found.len() > MAX_RULES_BYTES as u64 => {
            return Err(refuse(&format!("has more than {MAX_RULES_BYTES} bytes")));
        }
        Ok(_) => {}
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(refuse(&format!("cannot be read: {error}"))),
    }
    let text = fs_err::read_to_string(path);
    text.map(Some).map_err(|error| refuse(&format!("cannot be read: {error}")))
}
