//! How a mutation happens: prepared as a value, then applied under the write lock between a
//! journal entry and one database transaction.

use kitbag_materializer::{Depot, Slot, Staged};
use kitbag_package::{digest, read_all};
use kitbag_store::{Change, JournalEntry, KeptVersion, PackageRow, Writer};
use kitbag_types::{
    CapabilityRecord, Code, Coded as _, Digest, Failpoint, HistoryEntry, HistoryEvent,
    MutationPlan, OperationId, PlanStep, Principal, Suppression, printable,
};

use crate::service::CapabilityLifecycleService;
use crate::{LifecycleError, Refusal};

/// A staging area that is dropped with everything in it unless it is used.
pub(crate) struct Area<'s> {
    depot: &'s dyn Depot,
    operation: OperationId,
}

impl<'s> Area<'s> {
    pub(crate) fn new(depot: &'s dyn Depot, operation: OperationId) -> Self {
        Self { depot, operation }
    }
}

impl Drop for Area<'_> {
    fn drop(&mut self) {
        if let Err(error) = self.depot.discard(self.operation) {
            tracing::warn!(operation = %self.operation, %error, "a staging area was left behind");
        }
    }
}

/// Everything a mutation will do, decided. Applying it is short.
pub(crate) struct Prepared<'s> {
    pub(crate) area: Area<'s>,
    pub(crate) operation: OperationId,
    pub(crate) principal: Principal,
    pub(crate) plan: MutationPlan,
    pub(crate) staged: Option<Staged>,
    /// The record and package that were there when this was planned.
    pub(crate) current: Option<(CapabilityRecord, Option<PackageRow>)>,
    pub(crate) record: Option<CapabilityRecord>,
    pub(crate) package: Option<PackageRow>,
    /// What becomes of the package in place, where one is.
    pub(crate) keep: Option<KeptVersion>,
    /// What was accepted before and let it pass.
    pub(crate) relied_on: Vec<Suppression>,
    /// Changes beside those of the record and its package.
    pub(crate) more: Vec<Change>,
    pub(crate) note: Option<String>,
}

impl CapabilityLifecycleService {
    /// Applies a prepared mutation. Whatever goes wrong, the packages and the database are as they
    /// were before.
    pub(crate) fn apply(&self, prepared: Prepared<'_>) -> Result<(), LifecycleError> {
        self.faults.reach(Failpoint::Staged);
        let mut writer = self.registry.write(self.options.patience)?;
        self.recover(&mut *writer)?;
        self.faults.reach(Failpoint::Locked);
        self.check_unchanged(&prepared)?;
        let slot = Slot { kind: prepared.plan.kind, id: prepared.plan.id.clone() };
        let swaps = prepared.plan.before != prepared.plan.after;
        if swaps {
            writer.open_journal(&journal_entry(&prepared, self.clock.now()))?;
            self.faults.reach(Failpoint::JournalOpened);
        }
        let outcome = self.swap_and_record(&mut *writer, &prepared, &slot, swaps);
        if let Err(error) = outcome {
            // A commit can fail to say so and yet have happened: the journal, which it closes,
            // decides.
            let open = self.registry.open_journal()?;
            if swaps && open.iter().any(|entry| entry.operation == prepared.operation) {
                let (before, after) = (prepared.plan.before, prepared.plan.after);
                self.undo(prepared.operation, &slot, before.as_ref(), after.as_ref())?;
                writer.apply(&[Change::CloseJournal(prepared.operation)])?;
            }
            return Err(error);
        }
        self.faults.reach(Failpoint::Committed);
        self.forget_unneeded(&prepared.plan);
        drop(prepared.area);
        Ok(())
    }

    fn swap_and_record(
        &self,
        writer: &mut dyn Writer,
        prepared: &Prepared<'_>,
        slot: &Slot,
        swaps: bool,
    ) -> Result<(), LifecycleError> {
        let plan = &prepared.plan;
        match (&prepared.staged, &plan.before) {
            _ if !swaps => {}
            (Some(staged), before) => self.depot.promote(staged, slot, before.as_ref())?,
            (None, Some(before)) => self.depot.withdraw(prepared.operation, slot, before)?,
            (None, None) => {}
        }
        Ok(writer.apply(&self.changes(prepared, swaps))?)
    }

    fn changes(&self, prepared: &Prepared<'_>, swaps: bool) -> Vec<Change> {
        let plan = &prepared.plan;
        let (kind, id) = (plan.kind, &plan.id);
        let mut changes = Vec::new();
        let expected = prepared.current.as_ref().map(|(record, _)| record.updated_at);
        match (&prepared.record, expected) {
            (Some(record), Some(expected)) => {
                changes.push(Change::Replace { record: record.clone(), expected });
            }
            (Some(record), None) => changes.push(Change::Insert(record.clone())),
            (None, Some(expected)) => {
                changes.push(Change::Delete { kind, id: id.clone(), expected });
            }
            (None, None) => {}
        }
        if let Some(package) = &prepared.package {
            changes.push(Change::SetPackage {
                kind,
                id: id.clone(),
                package: Box::new(package.clone()),
            });
        }
        if let Some(kept) = &prepared.keep {
            changes.push(Change::Keep(Box::new(kept.clone())));
        }
        for step in &plan.steps {
            if let PlanStep::Forget { digest } = step {
                changes.push(Change::Forget { kind, id: id.clone(), digest: *digest });
            }
        }
        changes.extend(prepared.more.iter().cloned());
        changes.push(Change::Record(HistoryEvent {
            at: self.clock.now(),
            principal: prepared.principal.clone(),
            action: plan.action,
            kind: kind.as_str().to_owned(),
            id: id.as_str().to_owned(),
            operation: prepared.operation.to_string(),
            before: plan.before,
            after: plan.after,
            enabled: prepared.record.as_ref().is_some_and(|record| record.enabled),
            note: prepared.note.clone(),
        }));
        if swaps {
            changes.push(Change::CloseJournal(prepared.operation));
        }
        changes
    }

    /// Under the lock: what the plan was made on must still be so.
    fn check_unchanged(&self, prepared: &Prepared<'_>) -> Result<(), LifecycleError> {
        self.check_still_accepted(&prepared.relied_on)?;
        let plan = &prepared.plan;
        let id = &plan.id;
        let conflict = |what: &str| -> LifecycleError {
            Refusal::new(Code::MutationConflict, format!("{what} of `{id}` changed meanwhile"))
                .into()
        };
        if let Some((planned, _)) = &prepared.current {
            let found = match self.record(id.as_str()) {
                Ok(found) => found,
                Err(_) => return Err(conflict("the record")),
            };
            if found.updated_at != planned.updated_at || found.kind != planned.kind {
                return Err(conflict("the record"));
            }
            if plan.before != plan.after {
                let state = self.state(planned)?;
                if state.actual != plan.before || !state.foreign.is_empty() {
                    return Err(conflict("the package"));
                }
            }
            return Ok(());
        }
        self.check_id_free(id.as_str(), None)?;
        let slot = Slot { kind: plan.kind, id: id.clone() };
        if !matches!(self.depot.promoted(&slot), Ok(None)) {
            let place = self.depot.describe(&slot);
            let message =
                format!("`{}` is in the way: Kitbag did not put it there", printable(&place));
            return Err(Refusal::new(Code::PackageInTheWay, message).into());
        }
        Ok(())
    }

    /// Deletes the bytes of versions that no capability keeps any more. They are out of the
    /// database already, so what fails here is only space that the next sweep takes back.
    fn forget_unneeded(&self, plan: &MutationPlan) {
        for step in &plan.steps {
            let PlanStep::Forget { digest } = step else { continue };
            if let Err(error) = self.forget_if_unneeded(digest) {
                tracing::warn!(%digest, %error, "a version that is not needed was left behind");
            }
        }
    }

    pub(crate) fn forget_if_unneeded(&self, digest: &Digest) -> Result<(), LifecycleError> {
        if !self.registry.kept_digests()?.contains(digest) {
            self.depot.forget(digest)?;
        }
        Ok(())
    }

    /// Returns the versions to forget once `added` joins those that are kept, and `taken` leaves
    /// them for the slot.
    pub(crate) fn surplus(
        &self,
        id: &kitbag_types::CapabilityId,
        added: Option<&Digest>,
        taken: Option<&Digest>,
    ) -> Result<Vec<Digest>, LifecycleError> {
        let mut kept: Vec<Digest> =
            self.registry.kept(id)?.into_iter().map(|version| version.package.digest).collect();
        let mut surplus = Vec::new();
        if let Some(taken) = taken {
            let before = kept.len();
            kept.retain(|digest| digest != taken);
            if kept.len() < before && added != Some(taken) {
                surplus.push(*taken);
            }
        }
        if let Some(added) = added {
            kept.retain(|digest| digest != added);
            kept.insert(0, *added);
        }
        if kept.len() > self.options.keep_versions {
            surplus.extend(kept.split_off(self.options.keep_versions));
        }
        Ok(surplus)
    }

    /// Brings a slot back, and drops the copy among the kept versions that the operation made.
    fn undo(
        &self,
        operation: OperationId,
        slot: &Slot,
        before: Option<&Digest>,
        after: Option<&Digest>,
    ) -> Result<(), LifecycleError> {
        self.depot.undo(operation, slot, before, after)?;
        let Some(before) = before else { return Ok(()) };
        let in_place = match self.depot.promoted(slot) {
            Ok(Some(package)) => {
                read_all(&*package, &mut |_, _| {}).map(|listing| digest(&listing)).ok()
            }
            _ => None,
        };
        if in_place.as_ref() == Some(before) { self.forget_if_unneeded(before) } else { Ok(()) }
    }

    /// Repairs what interrupted operations left, if the journal says that there is anything. A
    /// registry that another process is writing, or that cannot be written, is left to the next
    /// mutation.
    pub(crate) fn recover_if_due(&self) -> Result<(), LifecycleError> {
        if self.registry.open_journal()?.is_empty() {
            return Ok(());
        }
        match self.registry.write(std::time::Duration::ZERO) {
            Ok(mut writer) => self.recover(&mut *writer),
            Err(error) => {
                tracing::info!(%error, "an interrupted operation is left to the next mutation");
                Ok(())
            }
        }
    }

    /// Undoes every operation whose journal entry is still open, and sweeps the staging areas of
    /// processes that died. The caller holds the write lock, so none of them is running.
    pub(crate) fn recover(&self, writer: &mut dyn Writer) -> Result<(), LifecycleError> {
        for entry in self.registry.open_journal()? {
            self.recover_one(&entry)?;
            writer.apply(&[Change::CloseJournal(entry.operation)])?;
        }
        let abandoned = self.depot.abandoned()?;
        for operation in &abandoned {
            self.depot.discard(*operation)?;
        }
        if !abandoned.is_empty() {
            self.sweep_kept()?;
        }
        Ok(())
    }

    /// Undoes one operation, if there is anything to undo. The journal says what was under way, and
    /// the registry what was so before it: where they do not agree, the registry holds and no
    /// package is touched. What cannot be undone stops no other operation: `verify` names it.
    fn recover_one(&self, entry: &JournalEntry) -> Result<(), LifecycleError> {
        let (operation, action, id) = (&entry.operation, &entry.action, &entry.id);
        let slot = Slot { kind: entry.kind, id: entry.id.clone() };
        // To undo what went into an empty slot is to delete it: only of what nobody recorded.
        if entry.before.is_none() && self.registry.find(id.as_str())?.is_some() {
            tracing::warn!(%operation, %action, %id, "an interrupted operation took no package away");
            return Ok(());
        }
        match self.undo(entry.operation, &slot, entry.before.as_ref(), entry.after.as_ref()) {
            Ok(()) => {
                tracing::warn!(%operation, %action, %id, "an interrupted operation was undone");
                Ok(())
            }
            Err(error) if error.code() == Code::DepotUnrecoverable => {
                tracing::warn!(%operation, %action, %id, %error,
                    "an interrupted operation could not be undone");
                Ok(())
            }
            Err(error) => Err(error),
        }
    }

    /// Deletes kept bytes that the registry let go of just before a process died.
    fn sweep_kept(&self) -> Result<(), LifecycleError> {
        for digest in self.unnamed()? {
            self.depot.forget(&digest)?;
        }
        Ok(())
    }

    /// Returns the kept bytes that no kept version names any more. Only what the registry's own
    /// history names is among them: beside a registry that was lost, kept versions are somebody's
    /// last copy.
    pub(crate) fn unnamed(&self) -> Result<Vec<Digest>, LifecycleError> {
        let needed = self.registry.kept_digests()?;
        let mut kept = self.depot.survey()?.kept;
        kept.retain(|digest| !needed.contains(digest));
        if !kept.is_empty() {
            let history = self.registry.history(None)?;
            kept.retain(|digest| {
                let known = |entry: &HistoryEntry| {
                    [entry.event.before, entry.event.after].contains(&Some(*digest))
                };
                history.iter().any(known)
            });
        }
        Ok(kept)
    }
}

fn journal_entry(prepared: &Prepared<'_>, at: kitbag_types::Timestamp) -> JournalEntry {
    JournalEntry {
        operation: prepared.operation,
        action: prepared.plan.action,
        kind: prepared.plan.kind,
        id: prepared.plan.id.clone(),
        before: prepared.plan.before,
        after: prepared.plan.after,
        opened_at: at,
        principal: prepared.principal.clone(),
    }
}
