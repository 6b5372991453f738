//! What the tests share: a root, a source folder, a clock that never repeats.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use kitbag_lifecycle::{
    AddOutcome, AddRequest, CapabilityLifecycleService, ChangeRequest, Clock, Context, Edits,
    Enable, LifecycleError, Mend, Options, Review, Settings, VerifyRequest,
};
use kitbag_materializer::{FolderDepot, GitRemote, Remote};
use kitbag_store::SqliteRegistry;
use kitbag_types::{
    Code, Coded as _, Faults, MutationResult, NoFaults, OperationId, Principal, Timestamp,
    Unwatched, VerifyResult, VerifyStatus, Watch,
};
use tempfile::TempDir;

/// A clock that moves by a second whenever it is asked, from a start of its own.
pub(crate) struct StepClock(AtomicI64);

impl StepClock {
    pub(crate) fn from(start: i64) -> Self {
        Self(AtomicI64::new(start))
    }
}

impl Clock for StepClock {
    fn now(&self) -> Timestamp {
        Timestamp::from_millis(self.0.fetch_add(1_000, Ordering::Relaxed))
    }

    fn operation(&self) -> OperationId {
        let now = self.now();
        OperationId::new(now, now.as_millis().unsigned_abs().into())
    }
}

pub(crate) struct World {
    pub(crate) folder: TempDir,
    pub(crate) service: CapabilityLifecycleService,
}

impl World {
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        fs_err::create_dir_all(folder.path().join("sources")).expect("created");
        let service = open(folder.path(), 0, Arc::new(NoFaults)).expect("opened");
        Self { folder, service }
    }

    /// A world whose repositories come from a server on loopback.
    pub(crate) fn with_remote(remote: GitRemote, watch: Arc<dyn Watch>) -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let faults = Arc::new(NoFaults);
        let service = open_with(folder.path(), 0, faults, Box::new(remote), watch).expect("opened");
        Self { folder, service }
    }

    /// Opens the same root anew, as the next process would.
    pub(crate) fn reopen(self) -> Self {
        let Self { folder, service } = self;
        drop(service);
        let service = open(folder.path(), 1_000_000_000, Arc::new(NoFaults)).expect("opened");
        Self { folder, service }
    }

    pub(crate) fn root(&self) -> PathBuf {
        self.folder.path().join("root")
    }

    pub(crate) fn source(&self, name: &str) -> PathBuf {
        self.folder.path().join("sources").join(name)
    }

    /// Writes a skill and returns its folder.
    pub(crate) fn skill(&self, name: &str, body: &str) -> PathBuf {
        let folder = self.source(name);
        write(
            &folder.join("SKILL.md"),
            &format!("---\nname: {name}\ndescription: Does {name}.\n---\n\n{body}\n"),
        );
        folder
    }

    pub(crate) fn add_request(&self, source: &Path) -> AddRequest {
        AddRequest::new(person(), source.display().to_string(), self.folder.path())
    }

    pub(crate) fn add(&self, source: &Path) -> Result<MutationResult, LifecycleError> {
        self.add_with(&self.add_request(source))
    }

    pub(crate) fn add_with(&self, request: &AddRequest) -> Result<MutationResult, LifecycleError> {
        match self.service.add(request)? {
            AddOutcome::One(result) => Ok(*result),
            AddOutcome::Many(batch) => panic!("one was asked for: {batch:?}"),
        }
    }

    /// Adds a skill and enables it.
    pub(crate) fn installed(&self, name: &str, body: &str) -> MutationResult {
        let source = self.skill(name, body);
        let mut request = self.add_request(&source);
        request.enable = Enable::Yes;
        self.add_with(&request).expect("added")
    }

    pub(crate) fn promoted(&self, id: &str) -> PathBuf {
        self.root().join("capabilities/skills").join(id)
    }

    pub(crate) fn verify(&self, mend: Mend) -> VerifyResult {
        let request =
            VerifyRequest { principal: person(), ids: Vec::new(), mend, review: Review::Refuse };
        self.service.verify(&request).expect("verified")
    }

    pub(crate) fn doctor(&self) -> kitbag_types::DoctorResult {
        let settings = Settings::at(&self.root()).expect("settings");
        kitbag_lifecycle::doctor(&settings, person())
    }

    pub(crate) fn status(&self, id: &str) -> VerifyStatus {
        let result = self.verify(Mend::Nothing);
        result.results.iter().find(|item| item.id == id).expect("listed").status
    }
}

pub(crate) fn open(
    folder: &Path,
    start: i64,
    faults: Arc<dyn Faults>,
) -> Result<CapabilityLifecycleService, LifecycleError> {
    open_with(folder, start, faults, Box::new(GitRemote::new()), Arc::new(Unwatched))
}

pub(crate) fn open_with(
    folder: &Path,
    start: i64,
    faults: Arc<dyn Faults>,
    remote: Box<dyn Remote>,
    watch: Arc<dyn Watch>,
) -> Result<CapabilityLifecycleService, LifecycleError> {
    let settings = Settings::at(&folder.join("root"))?;
    let context = Context {
        registry: Box::new(SqliteRegistry::open(&settings.database)?),
        depot: Box::new(FolderDepot::with_faults(&settings.capabilities, Arc::clone(&faults))),
        remote,
        workspace: settings.workspace.clone(),
        clock: Arc::new(StepClock::from(start)),
        faults,
        watch,
    };
    let options = Options { keep_versions: 5, patience: Duration::from_secs(5) };
    CapabilityLifecycleService::new(context, options)
}

pub(crate) fn person() -> Principal {
    Principal::Cli { user: "ada".to_owned() }
}

pub(crate) fn change(id: &str) -> ChangeRequest {
    ChangeRequest::new(person(), id)
}

pub(crate) fn forced(id: &str) -> ChangeRequest {
    ChangeRequest { edits: Edits::Keep, ..change(id) }
}

pub(crate) fn write(path: &Path, text: &str) {
    fs_err::create_dir_all(path.parent().expect("a file has a folder")).expect("created");
    fs_err::write(path, text).expect("written");
}

/// Returns the code of what must have failed.
#[track_caller]
pub(crate) fn code<T: std::fmt::Debug>(outcome: Result<T, LifecycleError>) -> Code {
    outcome.expect_err("refused").code()
}

/// Returns every file below a folder with its bytes, by path.
pub(crate) fn tree(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let mut files = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(next) = folders.pop() {
        let Ok(entries) = fs_err::read_dir(&next) else { continue };
        for entry in entries {
            let path = entry.expect("readable").path();
            if path.is_dir() {
                folders.push(path);
            } else {
                let name = path.strip_prefix(folder).expect("below").display().to_string();
                files.push((name, fs_err::read(&path).expect("readable")));
            }
        }
    }
    files.sort();
    files
}
