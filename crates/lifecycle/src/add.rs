//! From a source to recorded, promoted capabilities.

use std::path::Path;

use kitbag_materializer::{Candidate, Existing, SourcePlan, SourceRequest, Surroundings, resolve};
use kitbag_package::compare;
use kitbag_store::StoredRecord;
use kitbag_types::{
    Action, BatchItem, BatchResult, CapabilityId, CapabilityRecord, Code, Kind, MutationPlan,
    MutationResult, PlanStep, Progress, Warning, printable,
};
use serde_json::Map;
use unicode_security::skeleton;

use crate::accepted::{check_acceptor, check_single, steps};
use crate::choose::choose;
use crate::inspection::{Inspected, installed_by, judge, package_row, recorded_description};
use crate::opened::{Opened, Origin};
use crate::service::{CapabilityLifecycleService, authorise, check_built};
use crate::transaction::Prepared;
use crate::{AddRequest, Enable, LifecycleError, Mode, Pick, Refusal};

/// What an add did: one capability, or several, each in its own transaction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AddOutcome {
    /// One was asked for.
    One(Box<MutationResult>),
    /// Several were asked for.
    Many(BatchResult),
}

impl CapabilityLifecycleService {
    /// Adds what a source offers: inspected, scanned, promoted and recorded, each capability in
    /// a transaction of its own.
    ///
    /// # Errors
    /// `source/choose-one` names the capabilities where more than one fits and none was picked;
    /// for a single capability, whatever refuses it. With [`Pick::All`] or several names, what
    /// refuses one of them is in its [`BatchItem`], and the others go in.
    pub fn add(&self, request: &AddRequest) -> Result<AddOutcome, LifecycleError> {
        let plan = plan_source(request)?;
        check_acceptor(&request.principal, &request.accept)?;
        authorise(&request.principal)?;
        let pick = match (&plan, &request.pick) {
            // `OWNER/REPO@SKILL` names one of many in the source itself.
            (SourcePlan::Github(plan), Pick::Only) => {
                plan.pick.clone().map_or(Pick::Only, |name| Pick::Named(vec![name]))
            }
            (_, pick) => pick.clone(),
        };
        let source = self.open_source(&plan)?;
        let offers = source.offers()?;
        let chosen = choose(&source, offers, &request.source, &pick)?;
        if let ([candidate], false) = (&chosen[..], pick == Pick::All) {
            return Ok(AddOutcome::One(Box::new(self.add_one(&source, candidate, request)?)));
        }
        if request.id.is_some() || request.name.is_some() || request.description.is_some() {
            let message = "an id, a name or a description can be given to one capability only";
            return Err(Refusal::new(Code::UsageInvalid, message).into());
        }
        check_single(&request.accept)?;
        let total = chosen.len() as u64;
        let mut results: Vec<BatchItem> = Vec::with_capacity(chosen.len());
        for (done, candidate) in (0..).zip(&chosen) {
            self.watch.progress(&Progress::Item { done, total, name: candidate.subpath.clone() });
            results.push(self.add_item(&source, candidate, request));
            if self.watch.is_cancelled() {
                break;
            }
        }
        let ok = results.iter().all(|item| item.ok);
        Ok(AddOutcome::Many(BatchResult { ok, action: Action::Add, results }))
    }

    fn add_item(
        &self,
        source: &Opened<'_>,
        candidate: &Candidate,
        request: &AddRequest,
    ) -> BatchItem {
        match self.add_one(source, candidate, request) {
            Ok(result) => BatchItem {
                id: result.capability.as_ref().map_or_else(
                    || candidate.subpath.clone(),
                    |record| record.id.as_str().to_owned(),
                ),
                ok: true,
                result: Some(result),
                error: None,
                findings: Vec::new(),
            },
            Err(error) => BatchItem {
                id: candidate.subpath.clone(),
                ok: false,
                result: None,
                error: Some(error.report()),
                findings: error.findings(),
            },
        }
    }

    fn add_one(
        &self,
        source: &Opened<'_>,
        candidate: &Candidate,
        request: &AddRequest,
    ) -> Result<MutationResult, LifecycleError> {
        let shown = candidate.folder.as_deref().unwrap_or(&candidate.subpath);
        let kind = kind_of(candidate, request.kind, shown)?;
        check_built(kind, shown)?;
        let package = source.open(&candidate.subpath, request.links)?;
        let folder = candidate.folder.clone();
        let mut inspected = self.inspect_package(&*package, kind, folder, request.mode)?;
        self.accept_now(&mut inspected, &request.principal, &request.accept)?;
        self.with_ways_out(&mut inspected.counted)?;
        judge(&inspected.counted, &inspected.staged.digest, shown, request.review)?;
        let origin = source.origin(&candidate.subpath);
        let record = self.new_record(kind, &origin, request, &mut inspected)?;
        let warnings = std::mem::take(&mut inspected.warnings);
        let findings = inspected.counted.findings.clone();
        let suppressed = inspected.counted.suppressed.clone();
        let inventory = inspected.report.inventory.clone();
        let prepared = self.prepare_add(record, inspected, request, &origin)?;
        let mut result = MutationResult {
            ok: true,
            action: Action::Add,
            capability: prepared.record.clone(),
            package: prepared.package.as_ref().map(Self::summary),
            findings,
            suppressed,
            inventory,
            inventory_change: None,
            approval: None,
            protocol: None,
            warnings,
            changed: request.mode == Mode::Apply,
            plan: None,
        };
        match request.mode {
            Mode::Plan => result.plan = Some(prepared.plan),
            Mode::Apply => self.apply(prepared)?,
        }
        Ok(result)
    }

    fn new_record(
        &self,
        kind: Kind,
        origin: &Origin,
        request: &AddRequest,
        inspected: &mut Inspected<'_>,
    ) -> Result<CapabilityRecord, LifecycleError> {
        let Some(skill) = &inspected.skill else {
            let message = "the package passed the scan and has no manifest";
            return Err(Refusal::new(Code::ManifestInvalid, message).into());
        };
        let id = match &request.id {
            Some(id) => CapabilityId::for_kind(id, kind)?,
            None => CapabilityId::from_manifest_name(&skill.name)?,
        };
        self.check_id_free(id.as_str(), Some(origin))?;
        let name = request.name.clone().unwrap_or_else(|| skill.name.trim().to_owned());
        check_name(&name)?;
        if let Some(description) = &request.description {
            check_description(description)?;
        }
        let text = request.description.clone().unwrap_or_else(|| skill.description.clone());
        let version = skill.version.clone();
        let description = recorded_description(&text, &mut inspected.warnings);
        inspected.warnings.extend(self.look_alikes(&id)?);
        let now = self.clock.now();
        Ok(CapabilityRecord {
            id,
            kind,
            name,
            description,
            source: origin.source,
            source_ref: origin.source_ref.clone(),
            version,
            enabled: request.enable == Enable::Yes,
            config: Map::new(),
            installed_at: now,
            updated_at: now,
            installed_by: installed_by(&request.principal),
        })
    }

    fn prepare_add<'s>(
        &self,
        record: CapabilityRecord,
        inspected: Inspected<'s>,
        request: &AddRequest,
        origin: &Origin,
    ) -> Result<Prepared<'s>, LifecycleError> {
        let row = package_row(&inspected, record.installed_at, None, origin);
        let plan = MutationPlan {
            action: Action::Add,
            kind: record.kind,
            id: record.id.clone(),
            before: None,
            after: Some(row.digest),
            steps: vec![
                PlanStep::Promote { digest: row.digest, files: row.files, bytes: row.bytes },
                PlanStep::Record { record: Box::new(record.clone()) },
            ]
            .into_iter()
            .chain(steps(&inspected.accepted))
            .collect(),
            files: compare(&[], &inspected.staged.listing),
        };
        let relied_on = inspected.relied_on();
        let more = inspected.more(&request.principal, &record);
        Ok(Prepared {
            area: inspected.area,
            operation: inspected.operation,
            principal: request.principal.clone(),
            plan,
            staged: Some(inspected.staged),
            current: None,
            record: Some(record),
            package: Some(row),
            keep: None,
            relied_on,
            more,
            note: None,
        })
    }

    /// Refuses an id that is in use, naming both origins.
    pub(crate) fn check_id_free(
        &self,
        id: &str,
        origin: Option<&Origin>,
    ) -> Result<(), LifecycleError> {
        let message = match self.registry.find(id)? {
            None => return Ok(()),
            Some(StoredRecord::Broken(_)) => format!("`{id}` is the id of a broken record"),
            Some(StoredRecord::Sound(record)) => {
                let installed = printable(&record.source_ref);
                let row = self.registry.package(record.kind, &record.id)?;
                match origin {
                    Some(origin) if origin.is(&record, row.as_ref()) => {
                        format!("`{id}` is already installed from `{installed}`")
                    }
                    Some(origin) => format!(
                        "`{id}` is already installed as a {} from `{installed}`; this one comes from `{}`",
                        record.kind,
                        printable(&origin.source_ref)
                    ),
                    None => format!("`{id}` is already installed from `{installed}`"),
                }
            }
        };
        Err(Refusal::new(Code::RegistryIdTaken, message).about(id).into())
    }

    /// Names the installed ids that look like this one to a person's eye (UTS 39).
    fn look_alikes(&self, id: &CapabilityId) -> Result<Vec<Warning>, LifecycleError> {
        let looks: String = skeleton(id.as_str()).collect();
        let mut warnings = Vec::new();
        for other in self.registry.ids()? {
            if other != id.as_str() && skeleton(&other).eq(looks.chars()) {
                warnings.push(Warning {
                    code: Code::RegistryLookAlike.as_str().to_owned(),
                    message: format!(
                        "`{id}` looks like `{}`, which is installed",
                        printable(&other)
                    ),
                });
            }
        }
        Ok(warnings)
    }
}

/// Decides which bytes an add means; pure but for one look whether a path exists.
fn plan_source(request: &AddRequest) -> Result<SourcePlan, LifecycleError> {
    let text = request.source.trim();
    let existing =
        if request.current_dir.join(text).exists() { Existing::Yes } else { Existing::No };
    let surroundings = Surroundings { current_dir: &request.current_dir, existing };
    let asked = SourceRequest { text, source: request.request, principal: &request.principal };
    Ok(match resolve(&asked, &surroundings)? {
        SourcePlan::Local(path) => SourcePlan::Local(canonical(&path)?),
        plan => plan,
    })
}

/// A person's path is recorded as what it is, whatever links led there.
fn canonical(path: &Path) -> Result<std::path::PathBuf, LifecycleError> {
    // `a/./b` is `a/b`, whatever is there; `..` is left to the file system.
    let path: std::path::PathBuf = path.components().collect();
    fs_err::canonicalize(&path).map_err(|error| {
        let source = if error.kind() == std::io::ErrorKind::NotFound {
            kitbag_materializer::SourceError::NotFound(path.clone())
        } else {
            kitbag_materializer::SourceError::Unreadable { path: path.clone(), source: error }
        };
        source.into()
    })
}

fn kind_of(
    candidate: &Candidate,
    asked: Option<Kind>,
    shown: &str,
) -> Result<Kind, LifecycleError> {
    match (candidate.kind, asked) {
        (Some(found), Some(asked)) if found != asked => {
            let message = format!("`{}` looks like a {found}, not a {asked}", printable(shown));
            Err(Refusal::new(Code::KindMismatch, message).into())
        }
        (Some(kind), _) | (None, Some(kind)) => Ok(kind),
        (None, None) => {
            let message = format!("`{}` may be a tool or a worker", printable(shown));
            Err(Refusal::new(Code::KindUnknown, message).hint("say which with `--kind`").into())
        }
    }
}

fn check_description(description: &str) -> Result<(), LifecycleError> {
    let limit = CapabilityRecord::MAX_DESCRIPTION_CHARS;
    let chars = description.trim().chars().count();
    if chars == 0 || chars > limit || description.contains('\0') {
        let message = format!("the description has {chars} characters: 1 to {limit} are allowed");
        return Err(Refusal::new(Code::UsageInvalid, message).into());
    }
    Ok(())
}

fn check_name(name: &str) -> Result<(), LifecycleError> {
    let limit = CapabilityRecord::MAX_NAME_CHARS;
    let chars = name.chars().count();
    if name.trim().is_empty() || chars > limit || name.chars().any(char::is_control) {
        let message =
            format!("`{}` is not a name: 1 to {limit} characters on one line", printable(name));
        return Err(Refusal::new(Code::UsageInvalid, message).into());
    }
    Ok(())
}
