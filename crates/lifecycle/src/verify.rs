//! Verify: are the promoted bytes the recorded ones, and what can be mended?

use std::collections::HashSet;

use kitbag_materializer::{Links, Slot};
use kitbag_package::parallel;
use kitbag_scanner::{Subject, scan};
use kitbag_store::{Change, PackageRow, StoredRecord};
use kitbag_types::{
    Action, CapabilityRecord, Code, FileChangeKind, HistoryEvent, Kind, Principal, VerifyItem,
    VerifyResult, VerifyStatus,
};

use crate::inspection::judge;
use crate::request::{ChangeRequest, Mend, VerifyRequest};
use crate::service::{CapabilityLifecycleService, PackageState, authorise, check_built};
use crate::{Edits, LifecycleError, Mode, Refusal};

/// Below so many packages a thread costs more than it saves.
const WORTH_A_THREAD: usize = 8;

impl CapabilityLifecycleService {
    /// Compares every promoted package with its record, and mends what the request allows: a
    /// repair restores missing files, a baseline records the digest of a package that has none.
    ///
    /// # Errors
    /// `registry/not-found` for an id that is not recorded; for a baseline, `scan/…` if the
    /// package is not acceptable. What merely differs is in the result.
    pub fn verify(&self, request: &VerifyRequest) -> Result<VerifyResult, LifecycleError> {
        if request.mend != Mend::Nothing {
            authorise(&request.principal)?;
        }
        let mut records = Vec::new();
        let mut results = Vec::new();
        if request.ids.is_empty() {
            records = self.registry.list()?;
            results = self.strangers(&records)?;
        } else {
            for id in &request.ids {
                records.push(StoredRecord::Sound(self.record(id)?));
            }
        }
        // Mending takes the writer's lock for each, so there is nothing to be had from threads.
        let threads = match request.mend {
            Mend::Nothing => records.len() / WORTH_A_THREAD,
            _ => 1,
        };
        let verified = parallel::map(&records, threads, |record| match record {
            StoredRecord::Sound(record) => self.verify_one(request, record.clone()),
            StoredRecord::Broken(broken) => Ok(VerifyItem {
                note: broken.problems.first().map(|problem| problem.message.clone()),
                ..item(broken.kind.clone(), broken.id.clone(), VerifyStatus::BrokenRecord)
            }),
        });
        let verified = verified.into_iter().collect::<Result<Vec<_>, _>>()?;
        results.splice(0..0, verified);
        let is_sound =
            |item: &VerifyItem| matches!(item.status, VerifyStatus::Ok | VerifyStatus::Unpromoted);
        Ok(VerifyResult { ok: results.iter().all(is_sound), action: Action::Verify, results })
    }

    fn verify_one(
        &self,
        request: &VerifyRequest,
        record: CapabilityRecord,
    ) -> Result<VerifyItem, LifecycleError> {
        let state = self.state(&record)?;
        match (request.mend, state.status) {
            (Mend::Repair, VerifyStatus::Missing | VerifyStatus::Modified) => {
                self.repair(request, record, state)
            }
            (Mend::Baseline, VerifyStatus::NoBaseline) => self.baseline(request, &record, &state),
            _ => Ok(told(&record, &state)),
        }
    }

    /// Finds what lies where packages belong and has no record.
    fn strangers(&self, records: &[StoredRecord]) -> Result<Vec<VerifyItem>, LifecycleError> {
        let known: HashSet<(&str, &str)> = records
            .iter()
            .map(|record| match record {
                StoredRecord::Sound(record) => (record.kind.as_str(), record.id.as_str()),
                StoredRecord::Broken(broken) => (broken.kind.as_str(), broken.id.as_str()),
            })
            .collect();
        let survey = self.depot.survey()?;
        let mut items = Vec::new();
        for slot in survey.slots {
            // It may have been recorded since.
            if !known.contains(&(slot.kind.as_str(), slot.id.as_str())) && !self.is_known(&slot)? {
                items.push(stranger(
                    slot.kind.as_str(),
                    slot.id.as_str(),
                    &self.depot.describe(&slot),
                ));
            }
        }
        for name in survey.strangers {
            items.push(stranger("", &name, &name));
        }
        Ok(items)
    }

    fn is_known(&self, slot: &Slot) -> Result<bool, LifecycleError> {
        Ok(match self.registry.find(slot.id.as_str())? {
            Some(StoredRecord::Sound(record)) => record.kind == slot.kind,
            Some(StoredRecord::Broken(broken)) => broken.kind == slot.kind.as_str(),
            None => false,
        })
    }

    /// Restores files that are missing. Files that were changed or added are a person's work, and
    /// stay.
    fn repair(
        &self,
        request: &VerifyRequest,
        record: CapabilityRecord,
        state: PackageState,
    ) -> Result<VerifyItem, LifecycleError> {
        let before = told(&record, &state);
        let edited = state.edits.iter().any(|edit| edit.change != FileChangeKind::Removed);
        let Some(row) = state.row.clone() else { return Ok(before) };
        if edited {
            let note =
                "files were changed or added by hand; `update --force` keeps them as a version";
            return Ok(VerifyItem { note: Some(note.to_owned()), ..before });
        }
        let Some(inspected) = self.recorded_bytes(&record, &row)? else {
            let note = "neither a kept version nor the source has the recorded bytes";
            return Ok(VerifyItem { note: Some(note.to_owned()), ..before });
        };
        let change = ChangeRequest {
            edits: Edits::Keep,
            review: request.review,
            ..ChangeRequest::new(request.principal.clone(), record.id.as_str())
        };
        let (kind, id) = (record.kind, record.id.clone());
        self.restore(&change, record, state, inspected, &row)?;
        let restored = self.record(id.as_str())?;
        let state = self.state(&restored)?;
        let note = Some("missing files were restored".to_owned());
        Ok(VerifyItem { note, ..self::told(&CapabilityRecord { kind, ..restored }, &state) })
    }

    /// Stages the recorded bytes from a kept version, else from the source if it still has them.
    fn recorded_bytes(
        &self,
        record: &CapabilityRecord,
        row: &PackageRow,
    ) -> Result<Option<crate::inspection::Inspected<'_>>, LifecycleError> {
        if let Ok(Some(package)) = self.depot.kept(&row.digest) {
            let inspected = self.inspect_package(&*package, record.kind, None, Mode::Apply)?;
            if inspected.staged.digest == row.digest {
                return Ok(Some(inspected));
            }
        }
        let source = self.pinned_source(record, row).and_then(|plan| self.open_source(&plan));
        let Ok(source) = source else { return Ok(None) };
        let Ok(package) = source.open_recorded(Some(row), Links::Resolve) else { return Ok(None) };
        let inspected = self.inspect_package(&*package, record.kind, None, Mode::Apply);
        let Ok(inspected) = inspected else { return Ok(None) };
        Ok((inspected.staged.digest == row.digest).then_some(inspected))
    }

    /// Records the digest of a package that another writer promoted, once it is scanned.
    fn baseline(
        &self,
        request: &VerifyRequest,
        record: &CapabilityRecord,
        state: &PackageState,
    ) -> Result<VerifyItem, LifecycleError> {
        check_built(record.kind, record.id.as_str())?;
        let slot = Slot { kind: record.kind, id: record.id.clone() };
        let package = self.depot.promoted(&slot)?.ok_or_else(|| {
            Refusal::new(Code::PackageMissing, format!("the package of `{}` is gone", record.id))
        })?;
        let subject = Subject { kind: record.kind, folder: Some(record.id.as_str().to_owned()) };
        let mut options = self.scan_options()?;
        if options.key.is_none() {
            // It is about to write a row anyway, so what it finds may have hashes at once.
            self.make_key();
            options = self.scan_options()?;
        }
        let outcome = scan(&*package, subject, self.rules()?, options)?;
        let digest = state.actual.ok_or_else(|| {
            Refusal::new(Code::PackageMissing, format!("the package of `{}` is gone", record.id))
        })?;
        let mut counted = self.counted(&outcome.report, &digest)?;
        self.with_ways_out(&mut counted)?;
        judge(&counted, &digest, record.id.as_str(), request.review)?;
        let now = self.clock.now();
        let row = PackageRow {
            digest,
            files: state.listing.len() as u64,
            bytes: state.listing.iter().map(|entry| entry.size).sum(),
            listing: serde_json::to_string(&state.listing)
                .expect("a listing of plain data serialises"),
            commit: None,
            subpath: None,
            git_ref: None,
            promoted_at: now,
            previous: None,
        };
        let mut writer = self.registry.write(self.options.patience)?;
        self.recover(&mut *writer)?;
        if self.state(record)?.actual != Some(digest) {
            let message = format!("the package of `{}` changed meanwhile", record.id);
            return Err(Refusal::new(Code::MutationConflict, message).into());
        }
        writer.apply(&[
            Change::SetPackage { kind: record.kind, id: record.id.clone(), package: Box::new(row) },
            Change::SetScan { digest, kind: record.kind, report: Box::new(outcome.report) },
            Change::Record(event(
                &request.principal,
                record,
                Action::Baseline,
                digest,
                now,
                self.clock.operation(),
            )),
        ])?;
        drop(writer);
        let state = self.state(record)?;
        Ok(VerifyItem { note: Some("the digest was recorded".to_owned()), ..told(record, &state) })
    }
}

fn event(
    principal: &Principal,
    record: &CapabilityRecord,
    action: Action,
    digest: kitbag_types::Digest,
    at: kitbag_types::Timestamp,
    operation: kitbag_types::OperationId,
) -> HistoryEvent {
    HistoryEvent {
        at,
        principal: principal.clone(),
        action,
        kind: record.kind.as_str().to_owned(),
        id: record.id.as_str().to_owned(),
        operation: operation.to_string(),
        before: Some(digest),
        after: Some(digest),
        enabled: record.enabled,
        note: None,
    }
}

fn told(record: &CapabilityRecord, state: &PackageState) -> VerifyItem {
    let mut status = state.status;
    let mut note = state.note.clone();
    if status == VerifyStatus::Missing && !record.kind.has_package() {
        status = VerifyStatus::Unpromoted;
    }
    if status == VerifyStatus::Unpromoted && record.kind != Kind::Mcp {
        note = Some("the record has no package".to_owned());
    }
    VerifyItem {
        recorded: state.row.as_ref().map(|row| row.digest),
        actual: state.actual,
        files: state.edits.clone(),
        note,
        ..item(record.kind.as_str().to_owned(), record.id.as_str().to_owned(), status)
    }
}

fn stranger(kind: &str, id: &str, place: &str) -> VerifyItem {
    VerifyItem {
        note: Some(format!("`{place}` has no record; it was left as it is")),
        ..item(kind.to_owned(), id.to_owned(), VerifyStatus::Stranger)
    }
}

fn item(kind: String, id: String, status: VerifyStatus) -> VerifyItem {
    VerifyItem { kind, id, status, recorded: None, actual: None, files: Vec::new(), note: None }
}
