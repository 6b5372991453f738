//! Outdated: whether a source has something else than what is installed, without fetching it.

use std::sync::Arc;

use kitbag_materializer::{Links, SourcePlan};
use kitbag_package::{digest, read_all};
use kitbag_types::{
    Action, CapabilityRecord, Code, Coded as _, CompareItem, CompareResult, CompareStatus,
    ErrorKind, StoredSource,
};

use crate::LifecycleError;
use crate::service::CapabilityLifecycleService;

impl CapabilityLifecycleService {
    /// Compares every capability that has a source with what that source has now. A repository is
    /// asked for its commit; a folder is read.
    ///
    /// # Errors
    /// `store/…` if the database cannot be read. A source that cannot be asked is an item.
    pub fn outdated(&self) -> Result<CompareResult, LifecycleError> {
        let mut results = Vec::new();
        for record in self.list(None)?.capabilities {
            let has_source = matches!(record.source, StoredSource::Local | StoredSource::Github);
            if record.kind.has_package() && has_source {
                results.push(self.compare_with_source(&record)?);
            }
        }
        results.sort_by(|a, b| a.id.cmp(&b.id));
        let ok = results.iter().all(|item| item.status == CompareStatus::Same);
        Ok(CompareResult { ok, action: Action::Outdated, results })
    }

    fn compare_with_source(
        &self,
        record: &CapabilityRecord,
    ) -> Result<CompareItem, LifecycleError> {
        let row = self.registry.package(record.kind, &record.id)?;
        let installed =
            row.as_ref().map(|row| row.commit.clone().unwrap_or_else(|| row.digest.to_string()));
        let item = |status, other, note| CompareItem {
            kind: record.kind,
            id: record.id.clone(),
            status,
            installed: installed.clone(),
            other,
            changed: false,
            findings: Vec::new(),
            suppressed: Vec::new(),
            note,
        };
        let outcome = self.recorded_source(record, row.as_ref()).and_then(|plan| match &plan {
            SourcePlan::Github(plan) => {
                Ok(self.remote.resolve(plan, Arc::clone(&self.watch)).map(|resolved| {
                    let is_tag =
                        resolved.git_ref.is_some_and(|name| name.starts_with("refs/tags/"));
                    (resolved.commit, is_tag)
                })?)
            }
            SourcePlan::Local(_) | SourcePlan::Workspace(_) => {
                let source = self.open_source(&plan)?;
                let package = source.open_recorded(row.as_ref(), Links::Refuse)?;
                Ok((digest(&read_all(&*package, &mut |_, _| {})?).to_string(), false))
            }
        });
        Ok(match outcome {
            Ok((other, _)) if Some(&other) == installed.as_ref() => {
                item(CompareStatus::Same, Some(other), None)
            }
            Ok((other, true)) => item(CompareStatus::TagMoved, Some(other), None),
            Ok((other, false)) => item(CompareStatus::Differs, Some(other), None),
            Err(error) => item(status_of(error.code()), None, Some(error.to_string())),
        })
    }
}

/// Sorts a failure of a source by what a person can do about it.
pub(crate) fn status_of(code: Code) -> CompareStatus {
    match code.kind() {
        ErrorKind::NotFound => CompareStatus::Gone,
        ErrorKind::Environment => CompareStatus::Unreachable,
        _ if code == Code::RegistryNoSource => CompareStatus::NoSource,
        _ if code == Code::SourceTagMoved => CompareStatus::TagMoved,
        _ => CompareStatus::Refused,
    }
}
