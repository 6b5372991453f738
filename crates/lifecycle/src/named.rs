//! What a package names, and what a new version of it names that the old one did not.

use kitbag_scanner::RuleSet;
use kitbag_store::PackageRow;
use kitbag_types::{Inventory, InventoryChange, Kind};

use crate::LifecycleError;
use crate::service::CapabilityLifecycleService;

impl CapabilityLifecycleService {
    /// Compares what a package names with what the one in place names. `None`: nothing is in place,
    /// or what it names was never read, or both name the same.
    pub(crate) fn renamed(
        &self,
        kind: Kind,
        before: Option<&PackageRow>,
        after: &Inventory,
    ) -> Result<Option<InventoryChange>, LifecycleError> {
        let Some(row) = before else { return Ok(None) };
        let Some(report) = self.registry.scan(&row.digest, kind)? else { return Ok(None) };
        // A report of older rules may name less of the same bytes, which is no change of theirs.
        if report.rule_set != RuleSet::digest(self.rules()?) {
            return Ok(None);
        }
        let change = InventoryChange::between(&report.inventory, after);
        Ok((!change.is_empty()).then_some(change))
    }
}

impl LifecycleError {
    /// Adds to a refusal what the new bytes name that the old ones did not: whoever is asked for a
    /// yes has to see it.
    pub(crate) fn with_renamed(mut self, change: Option<InventoryChange>) -> Self {
        if let Self::Refusal(refusal) = &mut self {
            refusal.inventory_change = change;
        }
        self
    }
}
