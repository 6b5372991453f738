//! List, inspect, history: looking without touching.

use kitbag_store::StoredRecord;
use kitbag_types::{
    Action, HistoryResult, InspectResult, Kind, ListResult, StoredSource, printable,
};

use crate::service::CapabilityLifecycleService;
use crate::{LifecycleError, Refusal};

impl CapabilityLifecycleService {
    /// Lists what is recorded, of one kind or of all.
    ///
    /// # Errors
    /// `store/…` if the database cannot be read.
    pub fn list(&self, kind: Option<Kind>) -> Result<ListResult, LifecycleError> {
        let mut result = ListResult {
            ok: true,
            action: Action::List,
            capabilities: Vec::new(),
            broken: Vec::new(),
        };
        for record in self.registry.list()? {
            match record {
                StoredRecord::Sound(record) if kind.is_none_or(|kind| kind == record.kind) => {
                    result.capabilities.push(record);
                }
                StoredRecord::Sound(_) => {}
                StoredRecord::Broken(broken) => result.broken.push(broken),
            }
        }
        Ok(result)
    }

    /// Tells everything that is known of one capability. The promoted bytes are read and compared.
    ///
    /// # Errors
    /// `registry/…` if there is no such record.
    pub fn inspect(&self, id: &str) -> Result<InspectResult, LifecycleError> {
        let record = self.record(id)?;
        let state = self.state(&record)?;
        let kept = self.registry.kept(&record.id)?;
        let scan = match &state.row {
            Some(row) => match self.registry.scan(&row.digest, record.kind)? {
                Some(report) => Some(self.counted(&report, &row.digest)?),
                None => None,
            },
            None => None,
        };
        let (findings, suppressed, inventory) = scan
            .map(|report| (report.findings, report.suppressed, report.inventory))
            .unwrap_or_default();
        let files = state
            .listing
            .iter()
            .map(|entry| {
                let mode = if entry.executable { 'x' } else { '-' };
                format!("{mode} {} {}", entry.size, entry.path.as_str())
            })
            .collect();
        Ok(InspectResult {
            ok: true,
            action: Action::Inspect,
            package: state.row.as_ref().map(Self::summary),
            status: state.status,
            files,
            kept: kept.iter().map(|version| version.package.digest).collect(),
            findings,
            suppressed,
            inventory,
            capability: record,
        })
    }

    /// Returns the history of one id or of all, and checks its chain where that is asked for.
    ///
    /// # Errors
    /// `registry/not-found` if nothing ever happened to that id; `store/…`.
    pub fn history(&self, id: Option<&str>, chain: Chain) -> Result<HistoryResult, LifecycleError> {
        let entries = self.registry.history(id)?;
        if let (Some(id), true) = (id, entries.is_empty())
            && self.registry.find(id)?.is_none()
        {
            let message = format!("nothing ever happened to `{}`", printable(id));
            return Err(Refusal::new(kitbag_types::Code::RegistryNotFound, message).into());
        }
        let (first_broken, head) = match chain {
            Chain::AsStored => (None, None),
            Chain::Verify => (self.registry.first_broken_link()?, self.registry.history_head()?),
        };
        Ok(HistoryResult {
            ok: first_broken.is_none(),
            action: Action::History,
            entries,
            first_broken,
            head: head.map(|(_, hash)| hash),
        })
    }

    /// Returns the ids of the capabilities that an update can bring a newer version of.
    ///
    /// # Errors
    /// As [`list`](Self::list).
    pub fn updatable(&self) -> Result<Vec<String>, LifecycleError> {
        let has_source = |source| matches!(source, StoredSource::Local | StoredSource::Github);
        let records = self.list(None)?.capabilities.into_iter();
        let fitting =
            records.filter(|record| record.kind.has_package() && has_source(record.source));
        Ok(fitting.map(|record| record.id.as_str().to_owned()).collect())
    }
}

/// Whether the chain of the history is checked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Chain {
    /// Entries are returned as they are stored.
    #[default]
    AsStored,
    /// Every link is checked.
    Verify,
}
