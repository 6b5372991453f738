//! Update and revert: another version of a recorded capability goes into place.

use std::sync::Arc;

use kitbag_materializer::{Slot, SourcePlan};
use kitbag_package::{PackageReader, compare};
use kitbag_store::{KeptVersion, PackageRow};
use kitbag_types::{
    Action, CapabilityId, CapabilityRecord, Code, Digest, Inventory, MutationPlan, MutationResult,
    PlanStep, ScanReport, Verdict, VerifyStatus, Warning, printable,
};

use crate::accepted::{check_acceptor, steps};
use crate::inspection::{Inspected, judge, package_row, recorded_description};
use crate::opened::Origin;
use crate::service::{CapabilityLifecycleService, PackageState, authorise, check_built};
use crate::transaction::Prepared;
use crate::{ChangeRequest, Enable, LifecycleError, Mode, Refusal, Review};

impl CapabilityLifecycleService {
    /// Replaces the package of a capability by what its recorded source holds now. A skill stays
    /// enabled or disabled as it was; an executable is disabled, since other bytes need another
    /// yes.
    ///
    /// # Errors
    /// `package/modified` if it was edited by hand and `edits` does not say to keep that;
    /// `scan/…` if the new bytes are not acceptable; `registry/…`, `source/…`.
    pub fn update(&self, request: &ChangeRequest) -> Result<MutationResult, LifecycleError> {
        check_acceptor(&request.principal, &request.accept)?;
        authorise(&request.principal)?;
        let record = self.record(&request.id)?;
        check_built(record.kind, &request.id)?;
        let state = self.state(&record)?;
        self.check_state(&record, &state, request.edits)?;
        let version = installed_version(&record, &state);
        self.update_from_source(request, record, state).map_err(|error| LifecycleError::Stays {
            error: Box::new(error),
            id: request.id.clone(),
            version,
        })
    }

    fn update_from_source(
        &self,
        request: &ChangeRequest,
        record: CapabilityRecord,
        state: PackageState,
    ) -> Result<MutationResult, LifecycleError> {
        let plan = self.recorded_source(&record, state.row.as_ref())?;
        let at_commit = self.is_at_commit(&plan, state.row.as_ref())?;
        if at_commit && state.status == VerifyStatus::Ok && request.accept.is_empty() {
            return Ok(self.unchanged(Action::Update, record, &state, None));
        }
        let source = self.open_source(&plan)?;
        let package = source.open_recorded(state.row.as_ref(), request.links)?;
        let folder = folder_of(&record);
        let mut inspected = self.inspect_package(&*package, record.kind, folder, request.mode)?;
        self.accept_now(&mut inspected, &request.principal, &request.accept)?;
        self.with_ways_out(&mut inspected.counted)?;
        let change = self.renamed(record.kind, state.row.as_ref(), &inspected.report.inventory)?;
        judge(&inspected.counted, &inspected.staged.digest, record.id.as_str(), request.review)
            .map_err(|error| error.with_renamed(change))?;
        if state.actual == Some(inspected.staged.digest) && state.status == VerifyStatus::Ok {
            return self.same_bytes(Action::Update, request, record, &state, inspected);
        }
        let updated = self.updated_record(&record, request, &mut inspected)?;
        let subpath = state.row.as_ref().and_then(|row| row.subpath.clone());
        let origin = source.origin(subpath.as_deref().unwrap_or("."));
        self.put_in_place(Action::Update, request, (record, state), updated, inspected, &origin)
    }

    /// Tells whether a repository still stands where it stood: without fetching anything. A tag that
    /// names another commit is refused.
    fn is_at_commit(
        &self,
        plan: &SourcePlan,
        row: Option<&PackageRow>,
    ) -> Result<bool, LifecycleError> {
        let (SourcePlan::Github(plan), Some(row)) = (plan, row) else { return Ok(false) };
        let Some(recorded) = &row.commit else { return Ok(false) };
        let resolved = self.remote.resolve(plan, Arc::clone(&self.watch))?;
        if resolved.commit == *recorded {
            return Ok(true);
        }
        if resolved.git_ref.as_deref().is_some_and(|name| name.starts_with("refs/tags/")) {
            let message = format!(
                "the tag `{}` names {} now, and named {recorded} when it was added",
                printable(resolved.git_ref.as_deref().unwrap_or_default()),
                resolved.commit
            );
            return Err(Refusal::new(Code::SourceTagMoved, message).into());
        }
        Ok(false)
    }

    /// Brings back a kept version, byte for byte: the last one, or the one that `to` names. A
    /// removed capability comes back with its record.
    ///
    /// # Errors
    /// `registry/no-kept-version` names what is kept; `package/modified` as in
    /// [`update`](Self::update).
    pub fn revert(&self, request: &ChangeRequest) -> Result<MutationResult, LifecycleError> {
        check_acceptor(&request.principal, &request.accept)?;
        authorise(&request.principal)?;
        let id = CapabilityId::new(&request.id)?;
        let current = match self.registry.find(id.as_str())? {
            Some(_) => Some(self.record(id.as_str())?),
            None => None,
        };
        let version = self.find_kept(&id, current.as_ref(), request.to.as_deref())?;
        check_built(version.kind, id.as_str())?;
        let digest = version.package.digest;
        let package = self.open_kept(&digest, &id)?;
        let folder = folder_of(&version.record);
        let mut inspected = self.inspect_package(&*package, version.kind, folder, request.mode)?;
        if inspected.staged.digest != digest {
            let message = format!(
                "the kept version {digest} of `{id}` was edited: its bytes have the digest {}",
                inspected.staged.digest
            );
            return Err(Refusal::new(Code::PackageDigestMismatch, message).into());
        }
        // What a person accepted once needs no second look, unless a rule now blocks it.
        self.accept_now(&mut inspected, &request.principal, &request.accept)?;
        self.with_ways_out(&mut inspected.counted)?;
        let review = match inspected.counted.verdict {
            Verdict::Review => Review::Accept,
            _ => request.review,
        };
        judge(&inspected.counted, &digest, id.as_str(), review)?;
        let Some(record) = current else {
            return self.bring_back(request, &version, inspected);
        };
        let state = self.state(&record)?;
        self.check_state(&record, &state, request.edits)?;
        if state.actual == Some(digest) && state.status == VerifyStatus::Ok {
            return self.same_bytes(Action::Revert, request, record, &state, inspected);
        }
        let reverted = CapabilityRecord {
            enabled: record.enabled,
            installed_at: record.installed_at,
            updated_at: self.clock.now(),
            ..version.record.clone()
        };
        let origin = recorded_origin(&version.record, &version.package);
        self.put_in_place(Action::Revert, request, (record, state), reverted, inspected, &origin)
    }

    /// Restores the recorded bytes of a package that lost files, from staged bytes of that digest.
    pub(crate) fn restore(
        &self,
        request: &ChangeRequest,
        record: CapabilityRecord,
        state: PackageState,
        inspected: Inspected<'_>,
        row: &PackageRow,
    ) -> Result<MutationResult, LifecycleError> {
        let same = CapabilityRecord { updated_at: self.clock.now(), ..record.clone() };
        let origin = recorded_origin(&record, row);
        self.put_in_place(Action::Repair, request, (record, state), same, inspected, &origin)
    }

    pub(crate) fn open_kept(
        &self,
        digest: &Digest,
        id: &CapabilityId,
    ) -> Result<Box<dyn PackageReader>, LifecycleError> {
        self.depot.kept(digest)?.ok_or_else(|| {
            let message = format!("the kept version {digest} of `{id}` is not there any more");
            Refusal::new(Code::RegistryNoKept, message).into()
        })
    }

    pub(crate) fn find_kept(
        &self,
        id: &CapabilityId,
        current: Option<&CapabilityRecord>,
        to: Option<&str>,
    ) -> Result<KeptVersion, LifecycleError> {
        let mut kept = self.registry.kept(id)?;
        if let Some(current) = current {
            kept.retain(|version| version.kind == current.kind);
        }
        if kept.is_empty() && current.is_none() {
            return Err(Refusal::new(
                Code::RegistryNotFound,
                format!("there is no `{id}`, and no version of it is kept"),
            )
            .into());
        }
        let matches = |version: &KeptVersion| match to {
            None => true,
            Some(to) => {
                let digest = version.package.digest;
                version.record.version.as_deref() == Some(to)
                    || digest.to_string().starts_with(to) && to.len() > Digest::PREFIX.len() + 3
                    || digest.hex().starts_with(to) && to.len() > 3
            }
        };
        let names = kept_names(&kept);
        let found: Vec<KeptVersion> = kept.into_iter().filter(|version| matches(version)).collect();
        match (found.len(), to) {
            (0, _) => {
                let asked = to.map_or_else(String::new, |to| format!(" `{}`", printable(to)));
                let message = format!("no version{asked} of `{id}` is kept{names}");
                Err(Refusal::new(Code::RegistryNoKept, message).about(id.as_str()).into())
            }
            (1, _) | (_, None) => Ok(found.into_iter().next().expect("there is at least one")),
            (_, Some(to)) => {
                let message =
                    format!("`{}` fits more than one version of `{id}`{names}", printable(to));
                Err(Refusal::new(Code::UsageInvalid, message).hint("name it by its digest").into())
            }
        }
    }

    /// Brings back a capability that was removed.
    fn bring_back(
        &self,
        request: &ChangeRequest,
        version: &KeptVersion,
        inspected: Inspected<'_>,
    ) -> Result<MutationResult, LifecycleError> {
        let now = self.clock.now();
        let record = CapabilityRecord { updated_at: now, ..version.record.clone() };
        let row = PackageRow { promoted_at: now, previous: None, ..version.package.clone() };
        let digest = row.digest;
        let mut steps = vec![
            PlanStep::Promote { digest, files: row.files, bytes: row.bytes },
            PlanStep::Record { record: Box::new(record.clone()) },
        ];
        steps.extend(
            self.surplus(&record.id, None, Some(&digest))?
                .into_iter()
                .map(|digest| PlanStep::Forget { digest }),
        );
        let plan = MutationPlan {
            action: Action::Revert,
            kind: record.kind,
            id: record.id.clone(),
            before: None,
            after: Some(digest),
            steps,
            files: compare(&[], &inspected.staged.listing),
        };
        self.finish(request, plan, None, record, row, None, inspected)
    }

    /// Puts a staged package where none is.
    pub(crate) fn put_anew(
        &self,
        action: Action,
        request: &ChangeRequest,
        record: CapabilityRecord,
        inspected: Inspected<'_>,
        origin: &Origin,
    ) -> Result<MutationResult, LifecycleError> {
        let row = package_row(&inspected, record.updated_at, None, origin);
        let digest = row.digest;
        let plan = MutationPlan {
            action,
            kind: record.kind,
            id: record.id.clone(),
            before: None,
            after: Some(digest),
            steps: vec![
                PlanStep::Promote { digest, files: row.files, bytes: row.bytes },
                PlanStep::Record { record: Box::new(record.clone()) },
            ],
            files: compare(&[], &inspected.staged.listing),
        };
        self.finish(request, plan, None, record, row, None, inspected)
    }

    /// Puts a staged package in the place of the one that is there.
    pub(crate) fn put_in_place(
        &self,
        action: Action,
        request: &ChangeRequest,
        (old, state): (CapabilityRecord, PackageState),
        new: CapabilityRecord,
        inspected: Inspected<'_>,
        origin: &Origin,
    ) -> Result<MutationResult, LifecycleError> {
        let now = self.clock.now();
        let before = state.actual;
        let after = inspected.staged.digest;
        let previous = before.or(state.row.as_ref().and_then(|row| row.previous));
        let row = package_row(&inspected, now, previous, origin);
        let keep = before.map(|digest| self.kept_version(&old, &state, digest));
        let mut steps =
            vec![PlanStep::Promote { digest: after, files: row.files, bytes: row.bytes }];
        steps.extend(before.map(|digest| PlanStep::Keep { digest }));
        steps.push(PlanStep::Record { record: Box::new(new.clone()) });
        let surplus = self.surplus(&old.id, before.as_ref(), Some(&after))?;
        steps.extend(surplus.into_iter().map(|digest| PlanStep::Forget { digest }));
        let plan = MutationPlan {
            action,
            kind: old.kind,
            id: old.id.clone(),
            before,
            after: Some(after),
            steps,
            files: compare(&state.listing, &inspected.staged.listing),
        };
        let current = (old, state.row);
        self.finish(request, plan, Some(current), new, row, keep, inspected)
    }

    /// Describes the package in place as a version to keep.
    pub(crate) fn kept_version(
        &self,
        record: &CapabilityRecord,
        state: &PackageState,
        digest: Digest,
    ) -> KeptVersion {
        let now = self.clock.now();
        let edited = state.status != VerifyStatus::Ok;
        let package = match &state.row {
            Some(row) if !edited => row.clone(),
            row => PackageRow {
                digest,
                files: state.listing.len() as u64,
                bytes: state.listing.iter().map(|entry| entry.size).sum(),
                listing: serde_json::to_string(&state.listing)
                    .expect("a listing of plain data serialises"),
                commit: None,
                subpath: row.as_ref().and_then(|row| row.subpath.clone()),
                git_ref: None,
                promoted_at: row.as_ref().map_or(now, |row| row.promoted_at),
                previous: row.as_ref().map(|row| row.digest),
            },
        };
        KeptVersion {
            kind: record.kind,
            id: record.id.clone(),
            record: record.clone(),
            package,
            kept_at: now,
            edited,
        }
    }

    #[expect(clippy::too_many_arguments, reason = "the parts of one mutation, named once here")]
    fn finish(
        &self,
        request: &ChangeRequest,
        mut plan: MutationPlan,
        current: Option<(CapabilityRecord, Option<PackageRow>)>,
        record: CapabilityRecord,
        row: PackageRow,
        keep: Option<KeptVersion>,
        inspected: Inspected<'_>,
    ) -> Result<MutationResult, LifecycleError> {
        plan.steps.extend(steps(&inspected.accepted));
        let relied_on = inspected.relied_on();
        let more = inspected.more(&request.principal, &record);
        let before = current.as_ref().and_then(|(_, row)| row.as_ref());
        let inventory_change = self.renamed(record.kind, before, &inspected.report.inventory)?;
        let mut result = MutationResult {
            ok: true,
            action: plan.action,
            capability: Some(record.clone()),
            package: Some(Self::summary(&row)),
            findings: inspected.counted.findings,
            suppressed: inspected.counted.suppressed,
            inventory: inspected.report.inventory.clone(),
            inventory_change,
            approval: None,
            protocol: None,
            warnings: inspected.warnings,
            changed: request.mode == Mode::Apply,
            plan: None,
        };
        if let Some(kept) = keep.as_ref().filter(|kept| kept.edited) {
            result.warnings.push(edits_kept(kept));
        }
        let note = keep
            .as_ref()
            .filter(|kept| kept.edited)
            .map(|kept| format!("the package edited by hand is kept as {}", kept.package.digest));
        let prepared = Prepared {
            area: inspected.area,
            operation: inspected.operation,
            principal: request.principal.clone(),
            plan,
            staged: Some(inspected.staged),
            current,
            record: Some(record),
            package: Some(row),
            keep,
            relied_on,
            more,
            note,
        };
        match request.mode {
            Mode::Plan => result.plan = Some(prepared.plan),
            Mode::Apply => self.apply(prepared)?,
        }
        Ok(result)
    }

    fn updated_record(
        &self,
        record: &CapabilityRecord,
        request: &ChangeRequest,
        inspected: &mut Inspected<'_>,
    ) -> Result<CapabilityRecord, LifecycleError> {
        let Some(skill) = &inspected.skill else {
            let message = format!("the new version of `{}` has no manifest", record.id);
            return Err(Refusal::new(Code::ManifestInvalid, message).into());
        };
        let mut updated = record.clone();
        updated.version.clone_from(&skill.version);
        updated.updated_at = self.clock.now();
        updated.enabled = if record.kind.is_executable() {
            request.enable == Enable::Yes
        } else {
            record.enabled || request.enable == Enable::Yes
        };
        // A name or description that a person gave stays; one taken from the manifest follows it.
        let old = self.promoted(record).and_then(|package| crate::validate::skill_of(&*package));
        let (new_name, new_description) = (skill.name.trim().to_owned(), skill.description.clone());
        if old.as_ref().is_none_or(|old| old.name.trim() == record.name) {
            updated.name = new_name;
        }
        let new_description = recorded_description(&new_description, &mut inspected.warnings);
        let old_description =
            old.map(|old| recorded_description(&old.description, &mut Vec::new()));
        if old_description.is_none_or(|old| old == record.description) {
            updated.description = new_description;
        }
        Ok(updated)
    }

    pub(crate) fn unchanged(
        &self,
        action: Action,
        record: CapabilityRecord,
        state: &PackageState,
        seen: Option<ScanReport>,
    ) -> MutationResult {
        let (findings, suppressed, inventory) = seen
            .map(|report| (report.findings, report.suppressed, report.inventory))
            .unwrap_or_default();
        MutationResult {
            ok: true,
            action,
            capability: Some(record),
            package: state.row.as_ref().map(Self::summary),
            findings,
            suppressed,
            inventory,
            inventory_change: None,
            approval: None,
            protocol: None,
            warnings: Vec::new(),
            changed: false,
            plan: None,
        }
    }

    /// Removes a capability: its record goes, its package becomes a kept version that
    /// [`revert`](Self::revert) brings back.
    ///
    /// # Errors
    /// `package/modified` if the package was edited by hand and `edits` does not say to keep it.
    pub fn remove(&self, request: &ChangeRequest) -> Result<MutationResult, LifecycleError> {
        authorise(&request.principal)?;
        let record = self.record(&request.id)?;
        if record.source == kitbag_types::StoredSource::Builtin {
            let message = format!("`{}` is part of the host", record.id);
            return Err(Refusal::new(Code::RegistryBuiltin, message).into());
        }
        let state = self.state(&record)?;
        self.check_state(&record, &state, request.edits)?;
        let before = state.actual;
        let keep = before.map(|digest| self.kept_version(&record, &state, digest));
        let mut steps: Vec<PlanStep> =
            before.map(|digest| PlanStep::Keep { digest }).into_iter().collect();
        steps.push(PlanStep::Unrecord);
        let surplus = self.surplus(&record.id, before.as_ref(), None)?;
        steps.extend(surplus.into_iter().map(|digest| PlanStep::Forget { digest }));
        let plan = MutationPlan {
            action: Action::Remove,
            kind: record.kind,
            id: record.id.clone(),
            before,
            after: None,
            steps,
            files: compare(&state.listing, &[]),
        };
        let operation = self.clock.operation();
        let warnings = keep.iter().filter(|kept| kept.edited).map(edits_kept).collect();
        let mut result = MutationResult {
            ok: true,
            action: Action::Remove,
            capability: None,
            package: None,
            findings: Vec::new(),
            suppressed: Vec::new(),
            inventory: Inventory::default(),
            inventory_change: None,
            approval: None,
            protocol: None,
            warnings,
            changed: request.mode == Mode::Apply,
            plan: None,
        };
        match request.mode {
            Mode::Plan => result.plan = Some(plan),
            Mode::Apply => self.apply(Prepared {
                area: crate::transaction::Area::new(&*self.depot, operation),
                operation,
                principal: request.principal.clone(),
                plan,
                staged: None,
                current: Some((record, state.row)),
                record: None,
                package: None,
                keep,
                relied_on: Vec::new(),
                more: Vec::new(),
                note: None,
            })?,
        }
        Ok(result)
    }

    /// Returns where a person finds the package of a record.
    pub(crate) fn place(&self, record: &CapabilityRecord) -> String {
        self.depot.describe(&Slot { kind: record.kind, id: record.id.clone() })
    }
}

fn edits_kept(kept: &KeptVersion) -> Warning {
    Warning {
        code: Code::PackageModified.as_str().to_owned(),
        message: format!(
            "the package edited by hand is kept as {}; `kitbag revert {} --to {}` brings it back",
            kept.package.digest,
            kept.id,
            kept.package.digest.short()
        ),
    }
}

fn kept_names(kept: &[KeptVersion]) -> String {
    if kept.is_empty() {
        return String::new();
    }
    let names: Vec<String> = kept
        .iter()
        .map(|version| match &version.record.version {
            Some(number) => format!("{} ({})", version.package.digest.short(), printable(number)),
            None => version.package.digest.short(),
        })
        .collect();
    format!("; kept: {}", names.join(", "))
}

/// The name check compares with the folder at the source; an alias has another id than its name.
fn folder_of(record: &CapabilityRecord) -> Option<String> {
    std::path::Path::new(&record.source_ref)
        .file_name()
        .map(|name| name.to_string_lossy().into_owned())
}

/// Returns the origin of a version as it was recorded with it.
fn recorded_origin(record: &CapabilityRecord, row: &PackageRow) -> Origin {
    Origin {
        source: record.source,
        source_ref: record.source_ref.clone(),
        commit: row.commit.clone(),
        subpath: row.subpath.clone(),
        git_ref: row.git_ref.clone(),
    }
}

/// Names what is installed, for a person.
fn installed_version(record: &CapabilityRecord, state: &PackageState) -> String {
    let digest = state.actual.map(|digest| digest.short());
    match (&record.version, digest) {
        (Some(version), Some(digest)) => format!("{}, {digest}", printable(version)),
        (None, Some(digest)) => digest,
        (Some(version), None) => printable(version).to_string(),
        (None, None) => "without a package".to_owned(),
    }
}
