//! Gc: letting go of kept versions, and of bytes that nothing names.

use kitbag_store::Change;
use kitbag_types::{Action, ForgottenVersion, GcResult, Principal};

use crate::service::{CapabilityLifecycleService, authorise};
use crate::{LifecycleError, Mode};

/// Lets go of kept versions.
#[derive(Clone, Debug)]
pub struct GcRequest {
    /// Who asks.
    pub principal: Principal,
    /// How many versions of each capability stay kept.
    pub keep: usize,
    /// Whether it happens.
    pub mode: Mode,
}

impl CapabilityLifecycleService {
    /// Lets go of all but the newest kept versions of each capability, and of bytes among the kept
    /// ones that the registry let go of before. What is installed is not touched.
    ///
    /// # Errors
    /// `store/…` or `depot/…`; then what was not let go of is still kept.
    pub fn gc(&self, request: &GcRequest) -> Result<GcResult, LifecycleError> {
        authorise(&request.principal)?;
        if request.mode == Mode::Plan {
            let forgotten = self.surplus_versions(request.keep)?;
            let swept = self.unnamed()?;
            let ok = true;
            return Ok(GcResult { ok, action: Action::Gc, forgotten, swept, changed: false });
        }
        let mut writer = self.registry.write(self.options.patience)?;
        self.recover(&mut *writer)?;
        let forgotten = self.surplus_versions(request.keep)?;
        let changes: Vec<Change> = forgotten
            .iter()
            .map(|version| Change::Forget {
                kind: version.kind,
                id: version.id.clone(),
                digest: version.digest,
            })
            .collect();
        writer.apply(&changes)?;
        let mut swept = self.unnamed()?;
        for digest in &swept {
            self.depot.forget(digest)?;
        }
        swept.retain(|digest| forgotten.iter().all(|version| version.digest != *digest));
        let changed = !forgotten.is_empty() || !swept.is_empty();
        Ok(GcResult { ok: true, action: Action::Gc, forgotten, swept, changed })
    }

    fn surplus_versions(&self, keep: usize) -> Result<Vec<ForgottenVersion>, LifecycleError> {
        let mut surplus = Vec::new();
        let mut last = None;
        let mut count = 0;
        for version in self.registry.all_kept()? {
            let whose = Some((version.kind, version.id.clone()));
            count = if whose == last { count + 1 } else { 1 };
            last = whose;
            if count > keep {
                surplus.push(ForgottenVersion {
                    kind: version.kind,
                    id: version.id,
                    digest: version.package.digest,
                    kept_at: version.kept_at,
                    bytes: version.package.bytes,
                });
            }
        }
        Ok(surplus)
    }
}
