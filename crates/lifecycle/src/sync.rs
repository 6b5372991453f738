//! Export and sync: what a root holds as a file, and a root made to hold what a file says.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use kitbag_materializer::{GitRef, Links, SourcePlan};
use kitbag_store::{Change, StoredRecord};
use kitbag_types::{
    Action, CapabilityRecord, Code, Coded as _, CompareItem, CompareResult, CompareStatus,
    HistoryEvent, LockFile, Locked, MatchHash, MirrorEntry, Principal, StoredSource, Suppressed,
    VerifyStatus, printable,
};

use crate::accepted::{check_acceptor, found};
use crate::inspection::{Inspected, judge};
use crate::opened::{Opened, Origin, github_plan};
use crate::outdated::status_of;
use crate::service::{CapabilityLifecycleService, authorise, check_built};
use crate::{Acceptance, ChangeRequest, Edits, LifecycleError, Mode, Refusal, Review};

/// How far sync goes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SyncMode {
    /// Only tells how the root differs.
    Check,
    /// Brings in what the lock file names; what it does not name stays.
    #[default]
    Apply,
    /// Makes the root equal to it: what it does not name is removed, and kept as a version.
    Frozen,
}

/// Makes a root hold what a lock file says.
#[derive(Clone, Debug)]
pub struct SyncRequest {
    /// Who asks.
    pub principal: Principal,
    /// The lock file.
    pub lock: LockFile,
    /// The folder it lies in: its paths with `./` start there.
    pub base: PathBuf,
    /// How far it goes.
    pub mode: SyncMode,
    /// What to do about packages that were edited by hand.
    pub edits: Edits,
    /// What to do about findings.
    pub review: Review,
    /// The findings that are accepted; each must be one of a package that is brought in.
    pub accept: Vec<Acceptance>,
}

/// What one sync has fetched and used so far.
#[derive(Default)]
struct Progress<'s> {
    /// Many capabilities come from one commit: it is fetched once.
    sources: BTreeMap<String, Opened<'s>>,
    /// The acceptances that a package had a finding for.
    used: BTreeSet<MatchHash>,
}

impl CapabilityLifecycleService {
    /// Returns everything that has a package, as a lock file. Paths below `base` are written from
    /// there.
    ///
    /// # Errors
    /// `store/…` if the database cannot be read.
    pub fn export_lock(&self, base: &Path) -> Result<LockFile, LifecycleError> {
        let mut capabilities = Vec::new();
        for record in self.list(None)?.capabilities {
            let Some(row) = self.registry.package(record.kind, &record.id)? else { continue };
            let source_ref = match record.source {
                StoredSource::Local => self.portable(&record.source_ref, base),
                _ => record.source_ref,
            };
            capabilities.push(Locked {
                id: record.id,
                kind: record.kind,
                name: record.name,
                description: record.description,
                source: record.source,
                source_ref,
                commit: row.commit,
                subpath: row.subpath,
                git_ref: row.git_ref,
                version: record.version,
                digest: row.digest,
                enabled: record.enabled,
                config: record.config,
            });
        }
        capabilities.sort_by(|a, b| a.id.cmp(&b.id));
        Ok(LockFile { version: LockFile::VERSION, capabilities })
    }

    /// Returns every record, as the `capabilities` array of SIM-ONE's configuration.
    ///
    /// # Errors
    /// `store/…` if the database cannot be read.
    pub fn export_mirror(&self) -> Result<Vec<MirrorEntry>, LifecycleError> {
        Ok(self.list(None)?.capabilities.into_iter().map(MirrorEntry::from).collect())
    }

    fn portable(&self, source_ref: &str, base: &Path) -> String {
        let path = self.workspace.join(source_ref);
        match path.strip_prefix(base) {
            Ok(below) => format!("./{}", below.display()),
            Err(_) => source_ref.to_owned(),
        }
    }

    /// Compares the root with a lock file and, unless it is only checked, makes it equal: each
    /// capability in a transaction of its own, each difference that stays named.
    ///
    /// # Errors
    /// `lock/invalid` if the file cannot be meant; `store/…`. What stops one capability is in its
    /// item.
    pub fn sync(&self, request: &SyncRequest) -> Result<CompareResult, LifecycleError> {
        check_acceptor(&request.principal, &request.accept)?;
        if request.mode != SyncMode::Check {
            authorise(&request.principal)?;
        }
        check(&request.lock)?;
        let mut progress = Progress::default();
        let mut results = Vec::new();
        for locked in &request.lock.capabilities {
            results.push(self.sync_one(request, locked, &mut progress)?);
            if self.watch.is_cancelled() {
                let message = "it was interrupted; what was brought in stays";
                return Err(Refusal::new(Code::OperationCancelled, message).into());
            }
        }
        check_used(request, &progress.used)?;
        results.extend(self.extras(request)?);
        results.sort_by(|a, b| a.id.cmp(&b.id));
        let settled = |item: &CompareItem| {
            item.changed
                || item.status == CompareStatus::Same
                || (item.status == CompareStatus::Extra && request.mode == SyncMode::Apply)
        };
        let ok = results.iter().all(settled);
        Ok(CompareResult { ok, action: Action::Sync, results })
    }

    fn sync_one<'s>(
        &'s self,
        request: &SyncRequest,
        locked: &Locked,
        progress: &mut Progress<'s>,
    ) -> Result<CompareItem, LifecycleError> {
        let (mut item, installed) = self.compare_locked(request, locked)?;
        let is_due = !matches!(item.status, CompareStatus::Same | CompareStatus::Refused);
        let may = request.edits == Edits::Keep || item.status != CompareStatus::Modified;
        if request.mode == SyncMode::Check || !is_due || !may {
            return Ok(item);
        }
        let outcome = match (&item.status, installed) {
            (CompareStatus::Settings, Some(record)) => {
                self.set_as_locked(request, locked, &record).map(|()| Vec::new())
            }
            (_, installed) => self.bring_in(request, locked, installed, progress),
        };
        match outcome {
            Ok(suppressed) => {
                item.changed = true;
                item.suppressed = suppressed;
            }
            Err(error) => {
                item.findings = error.findings();
                if let Some(refusal) = error.refusal() {
                    item.suppressed.clone_from(&refusal.suppressed);
                }
                item.status = match error.code() {
                    Code::LockUnreachable => CompareStatus::Differs,
                    code => status_of(code),
                };
                item.note = Some(error.to_string());
            }
        }
        Ok(item)
    }

    fn compare_locked(
        &self,
        request: &SyncRequest,
        locked: &Locked,
    ) -> Result<(CompareItem, Option<CapabilityRecord>), LifecycleError> {
        let mut item = CompareItem {
            kind: locked.kind,
            id: locked.id.clone(),
            status: CompareStatus::Missing,
            installed: None,
            other: Some(locked.digest.to_string()),
            changed: false,
            note: None,
            findings: Vec::new(),
            suppressed: Vec::new(),
        };
        let record = match self.registry.find(locked.id.as_str())? {
            None => return Ok((item, None)),
            Some(StoredRecord::Sound(record)) if record.kind == locked.kind => record,
            Some(_) => {
                item.status = CompareStatus::Refused;
                item.note = Some("the id is recorded as something else".to_owned());
                return Ok((item, None));
            }
        };
        let state = self.state(&record)?;
        item.installed = state.actual.map(|digest| digest.to_string());
        item.status = match state.status {
            VerifyStatus::Ok if state.actual != Some(locked.digest) => CompareStatus::Differs,
            VerifyStatus::Ok if self.has_settings(request, locked, &record, state.row.as_ref()) => {
                CompareStatus::Same
            }
            VerifyStatus::Ok => CompareStatus::Settings,
            VerifyStatus::Modified | VerifyStatus::NoBaseline | VerifyStatus::Unreadable => {
                CompareStatus::Modified
            }
            _ => CompareStatus::Missing,
        };
        if item.status == CompareStatus::Modified {
            item.note = Some("edited by hand; `--force` keeps the edits as a version".to_owned());
        }
        Ok((item, Some(record)))
    }

    fn has_settings(
        &self,
        request: &SyncRequest,
        locked: &Locked,
        record: &CapabilityRecord,
        row: Option<&kitbag_store::PackageRow>,
    ) -> bool {
        let source_ref = match record.source {
            StoredSource::Local => self.portable(&record.source_ref, &request.base),
            _ => record.source_ref.clone(),
        };
        // A local path is of one machine: where the bytes are the same, it may differ.
        let is_from = record.source == locked.source
            && (source_ref == locked.source_ref || locked.source == StoredSource::Local);
        is_from
            && row.is_some_and(|row| row.commit == locked.commit && row.git_ref == locked.git_ref)
            && (record.enabled, &record.name, &record.description, &record.config)
                == (locked.enabled, &locked.name, &locked.description, &locked.config)
    }

    fn set_as_locked(
        &self,
        request: &SyncRequest,
        locked: &Locked,
        record: &CapabilityRecord,
    ) -> Result<(), LifecycleError> {
        let Some(mut row) = self.registry.package(record.kind, &record.id)? else { return Ok(()) };
        row.commit.clone_from(&locked.commit);
        row.subpath.clone_from(&locked.subpath);
        row.git_ref.clone_from(&locked.git_ref);
        let expected = record.updated_at;
        let new = self.as_locked(request, locked, Some(record));
        let digest = Some(row.digest);
        let mut writer = self.registry.write(self.options.patience)?;
        self.recover(&mut *writer)?;
        writer.apply(&[
            Change::Replace { record: new.clone(), expected },
            Change::SetPackage { kind: new.kind, id: new.id.clone(), package: Box::new(row) },
            Change::Record(HistoryEvent {
                at: new.updated_at,
                principal: request.principal.clone(),
                action: Action::Sync,
                kind: new.kind.as_str().to_owned(),
                id: new.id.as_str().to_owned(),
                operation: self.clock.operation().to_string(),
                before: digest,
                after: digest,
                enabled: new.enabled,
                note: None,
            }),
        ])?;
        Ok(())
    }

    fn as_locked(
        &self,
        request: &SyncRequest,
        locked: &Locked,
        old: Option<&CapabilityRecord>,
    ) -> CapabilityRecord {
        let now = self.clock.now();
        let source_ref = match (locked.source, old) {
            (StoredSource::Local, Some(old)) if old.source == StoredSource::Local => {
                old.source_ref.clone()
            }
            (StoredSource::Local, _) => self.local_path(request, locked).display().to_string(),
            _ => locked.source_ref.clone(),
        };
        CapabilityRecord {
            id: locked.id.clone(),
            kind: locked.kind,
            name: locked.name.clone(),
            description: locked.description.clone(),
            source: locked.source,
            source_ref,
            version: locked.version.clone(),
            enabled: locked.enabled,
            config: locked.config.clone(),
            installed_at: old.map_or(now, |old| old.installed_at),
            updated_at: now,
            installed_by: crate::inspection::installed_by(&request.principal),
        }
    }

    fn local_path(&self, request: &SyncRequest, locked: &Locked) -> PathBuf {
        match locked.source_ref.strip_prefix("./") {
            Some(below) => request.base.join(below),
            None => self.workspace.join(&locked.source_ref),
        }
    }

    /// Puts the locked bytes in place: from a kept version, or from where the lock file says.
    fn bring_in<'s>(
        &'s self,
        request: &SyncRequest,
        locked: &Locked,
        installed: Option<CapabilityRecord>,
        progress: &mut Progress<'s>,
    ) -> Result<Vec<Suppressed>, LifecycleError> {
        check_built(locked.kind, locked.id.as_str())?;
        let mut inspected = self.locked_bytes(request, locked, &mut progress.sources)?;
        let is_here = |accept: &&Acceptance| found(&inspected.report, accept).next().is_some();
        let accept: Vec<Acceptance> = request.accept.iter().filter(is_here).cloned().collect();
        progress.used.extend(accept.iter().map(|accept| accept.hash.clone()));
        self.accept_now(&mut inspected, &request.principal, &accept)?;
        self.with_ways_out(&mut inspected.counted)?;
        judge(&inspected.counted, &locked.digest, locked.id.as_str(), request.review)?;
        let origin = Origin {
            source: locked.source,
            source_ref: locked.source_ref.clone(),
            commit: locked.commit.clone(),
            subpath: locked.subpath.clone(),
            git_ref: locked.git_ref.clone(),
        };
        let change = ChangeRequest {
            edits: request.edits,
            review: request.review,
            mode: Mode::Apply,
            ..ChangeRequest::new(request.principal.clone(), locked.id.as_str())
        };
        let new = self.as_locked(request, locked, installed.as_ref());
        let result = match installed {
            Some(old) => {
                let state = self.state(&old)?;
                self.put_in_place(Action::Sync, &change, (old, state), new, inspected, &origin)?
            }
            None => {
                self.check_id_free(new.id.as_str(), None)?;
                self.put_anew(Action::Sync, &change, new, inspected, &origin)?
            }
        };
        Ok(result.suppressed)
    }

    fn locked_bytes<'s>(
        &'s self,
        request: &SyncRequest,
        locked: &Locked,
        sources: &mut BTreeMap<String, Opened<'s>>,
    ) -> Result<Inspected<'s>, LifecycleError> {
        if let Ok(Some(package)) = self.depot.kept(&locked.digest) {
            let inspected = self.inspect_package(&*package, locked.kind, None, Mode::Apply)?;
            if inspected.staged.digest == locked.digest {
                return Ok(inspected);
            }
        }
        let plan = match locked.source {
            StoredSource::Github => {
                let mut plan = github_plan(&locked.source_ref)?;
                if let Some(commit) = &locked.commit {
                    plan.git_ref = GitRef::Commit(commit.clone());
                }
                SourcePlan::Github(plan)
            }
            StoredSource::Local => SourcePlan::Local(self.local_path(request, locked)),
            source => {
                let message = format!("`{}` has source `{source}`", locked.id);
                return Err(Refusal::new(Code::RegistryNoSource, message).into());
            }
        };
        let key = format!("{}#{}", locked.source_ref, locked.commit.as_deref().unwrap_or_default());
        if !sources.contains_key(&key) {
            sources.insert(key.clone(), self.open_source(&plan)?);
        }
        let source = &sources[&key];
        let subpath = match source {
            Opened::Commit { .. } => locked.subpath.as_deref().unwrap_or("."),
            Opened::Folder { .. } => ".",
        };
        let package = source.open(subpath, Links::Resolve)?;
        let inspected = self.inspect_package(&*package, locked.kind, None, Mode::Apply)?;
        if inspected.staged.digest == locked.digest {
            return Ok(inspected);
        }
        let message = format!(
            "`{}` is pinned to {}, and `{}` has {}",
            locked.id,
            locked.digest.short(),
            printable(&locked.source_ref),
            inspected.staged.digest.short()
        );
        Err(Refusal::new(Code::LockUnreachable, message).into())
    }

    /// What is installed and not locked.
    fn extras(&self, request: &SyncRequest) -> Result<Vec<CompareItem>, LifecycleError> {
        let locked: BTreeSet<_> =
            request.lock.capabilities.iter().map(|locked| locked.id.clone()).collect();
        let mut items = Vec::new();
        for record in self.list(None)?.capabilities {
            let Some(row) = self.registry.package(record.kind, &record.id)? else { continue };
            if locked.contains(&record.id) {
                continue;
            }
            let mut item = CompareItem {
                kind: record.kind,
                id: record.id.clone(),
                status: CompareStatus::Extra,
                installed: Some(row.digest.to_string()),
                other: None,
                changed: false,
                note: None,
                findings: Vec::new(),
                suppressed: Vec::new(),
            };
            if request.mode == SyncMode::Frozen {
                let change = ChangeRequest {
                    edits: request.edits,
                    ..ChangeRequest::new(request.principal.clone(), record.id.as_str())
                };
                match self.remove(&change) {
                    Ok(_) => item.changed = true,
                    Err(error) => item.note = Some(error.to_string()),
                }
            }
            items.push(item);
        }
        Ok(items)
    }
}

/// Reads a lock file's text.
///
/// # Errors
/// `lock/invalid` with what is wrong and where.
pub fn parse_lock(text: &str) -> Result<LockFile, LifecycleError> {
    let lock: LockFile = serde_json::from_str(text).map_err(|error| {
        Refusal::new(Code::LockInvalid, format!("the lock file cannot be read: {error}"))
    })?;
    check(&lock)?;
    Ok(lock)
}

/// A hash that no package had a finding for was meant for something else.
fn check_used(request: &SyncRequest, used: &BTreeSet<MatchHash>) -> Result<(), LifecycleError> {
    let unused = request.accept.iter().find(|accept| !used.contains(&accept.hash));
    match unused.filter(|_| request.mode != SyncMode::Check) {
        None => Ok(()),
        Some(accept) => {
            let message = format!(
                "no package that was brought in has a finding with the match hash `{}`; what was \
                 brought in stays",
                accept.hash
            );
            Err(Refusal::new(Code::AcceptNoSuchFinding, message).into())
        }
    }
}

fn check(lock: &LockFile) -> Result<(), LifecycleError> {
    let invalid = |message: String| Err(Refusal::new(Code::LockInvalid, message).into());
    if lock.version != LockFile::VERSION {
        return invalid(format!(
            "the lock file has version {}, and this program reads version {}",
            lock.version,
            LockFile::VERSION
        ));
    }
    let mut seen = BTreeSet::new();
    for locked in &lock.capabilities {
        if !seen.insert(&locked.id) {
            return invalid(format!("the lock file names `{}` twice", locked.id));
        }
    }
    Ok(())
}
