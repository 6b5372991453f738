//! Enable and disable: whether a runtime may load a capability.

use kitbag_store::Change;
use kitbag_types::{
    Action, CapabilityRecord, Code, HistoryEvent, Inventory, MutationPlan, MutationResult,
    PlanStep, VerifyStatus,
};

use crate::service::{CapabilityLifecycleService, authorise, check_built};
use crate::{ChangeRequest, Edits, LifecycleError, Mode, Refusal};

impl CapabilityLifecycleService {
    /// Lets runtimes load a capability. The promoted bytes must be the recorded ones; the source
    /// is not looked at.
    ///
    /// # Errors
    /// `package/missing`, `package/modified` or `package/no-baseline` if they are not.
    pub fn enable(&self, request: &ChangeRequest) -> Result<MutationResult, LifecycleError> {
        authorise(&request.principal)?;
        let record = self.record(&request.id)?;
        check_built(record.kind, &request.id)?;
        let state = self.state(&record)?;
        self.check_state(&record, &state, Edits::Refuse)?;
        if matches!(state.status, VerifyStatus::Missing | VerifyStatus::Unpromoted) {
            let message = format!("there is no package in `{}`", self.place(&record));
            let refusal = Refusal::new(Code::PackageMissing, message);
            return Err(refusal.about(record.id.as_str()).into());
        }
        self.switch(request, Action::Enable, &record)
    }

    /// Keeps runtimes from loading a capability. It works whatever state the package is in.
    ///
    /// # Errors
    /// `registry/…` if there is no such record.
    pub fn disable(&self, request: &ChangeRequest) -> Result<MutationResult, LifecycleError> {
        authorise(&request.principal)?;
        let record = self.record(&request.id)?;
        self.switch(request, Action::Disable, &record)
    }

    fn switch(
        &self,
        request: &ChangeRequest,
        action: Action,
        old: &CapabilityRecord,
    ) -> Result<MutationResult, LifecycleError> {
        let enabled = action == Action::Enable;
        let row = self.registry.package(old.kind, &old.id)?;
        let digest = row.as_ref().map(|row| row.digest);
        let changed = old.enabled != enabled;
        let record = if changed {
            CapabilityRecord { enabled, updated_at: self.clock.now(), ..old.clone() }
        } else {
            old.clone()
        };
        let plan = (request.mode == Mode::Plan).then(|| MutationPlan {
            action,
            kind: record.kind,
            id: record.id.clone(),
            before: digest,
            after: digest,
            steps: if changed {
                vec![PlanStep::Record { record: Box::new(record.clone()) }]
            } else {
                Vec::new()
            },
            files: Vec::new(),
        });
        if changed && request.mode == Mode::Apply {
            let mut writer = self.registry.write(self.options.patience)?;
            self.recover(&mut *writer)?;
            writer.apply(&[
                Change::Replace { record: record.clone(), expected: old.updated_at },
                Change::Record(HistoryEvent {
                    at: record.updated_at,
                    principal: request.principal.clone(),
                    action,
                    kind: record.kind.as_str().to_owned(),
                    id: record.id.as_str().to_owned(),
                    operation: self.clock.operation().to_string(),
                    before: digest,
                    after: digest,
                    enabled,
                    note: None,
                }),
            ])?;
        }
        Ok(MutationResult {
            ok: true,
            action,
            capability: Some(record),
            package: row.as_ref().map(Self::summary),
            findings: Vec::new(),
            suppressed: Vec::new(),
            inventory: Inventory::default(),
            inventory_change: None,
            approval: None,
            protocol: None,
            warnings: Vec::new(),
            changed: changed && request.mode == Mode::Apply,
            plan,
        })
    }
}
