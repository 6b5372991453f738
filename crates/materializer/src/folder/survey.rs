//! What lies in the depot, by names alone.

use kitbag_types::{CapabilityId, Digest, Kind, OperationId};
use rustix::fs::FileType;

use super::handle::Dir;
use super::{FolderDepot, PREVIOUS, STAGING};
use crate::{DepotError, Slot, Survey};

impl FolderDepot {
    pub(super) fn look_around(&self) -> Result<Survey, DepotError> {
        let mut survey = Survey::default();
        let Some(base) = Dir::open_path(&self.base)? else { return Ok(survey) };
        for name in base.names()? {
            let name = name.to_string_lossy();
            if let Ok(Some(dir)) = base.open(&name)
                && is_exposed(&base, &dir, &name)?
            {
                survey.exposed.push(name.to_string());
            }
            if let Some(&kind) = Kind::ALL.iter().find(|kind| kind.folder() == name) {
                self.slots(&base, kind, &mut survey)?;
            } else if name == PREVIOUS {
                kept(&base, &mut survey)?;
            } else if !name.starts_with('.') {
                survey.strangers.push(name.into_owned());
            }
        }
        Ok(survey)
    }

    fn slots(&self, base: &Dir, kind: Kind, survey: &mut Survey) -> Result<(), DepotError> {
        if base.kind_of(kind.folder())? != Some(FileType::Directory) {
            survey.strangers.push(kind.folder().to_owned());
            return Ok(());
        }
        let Some(dir) = base.open(kind.folder())? else { return Ok(()) };
        for name in dir.names()? {
            let name = name.to_string_lossy();
            let is_folder =
                dir.kind_of(&name).is_ok_and(|found| found == Some(FileType::Directory));
            match CapabilityId::for_kind(&name, kind) {
                Ok(id) if is_folder => survey.slots.push(Slot { kind, id }),
                _ => survey.strangers.push(format!("{}/{name}", kind.folder())),
            }
        }
        Ok(())
    }

    pub(super) fn abandoned_areas(&self) -> Result<Vec<OperationId>, DepotError> {
        let mut abandoned = Vec::new();
        let Some(base) = Dir::open_path(&self.base)? else { return Ok(abandoned) };
        let Some(staging) = base.open(STAGING)? else { return Ok(abandoned) };
        for name in staging.names()? {
            let name = name.to_string_lossy();
            // What is not named like an operation is not ours to sweep.
            let Ok(operation) = name.strip_suffix(".lock").unwrap_or(&name).parse() else {
                continue;
            };
            if !abandoned.contains(&operation) && self.is_abandoned(&staging, operation)? {
                abandoned.push(operation);
            }
        }
        Ok(abandoned)
    }

    fn is_abandoned(&self, staging: &Dir, operation: OperationId) -> Result<bool, DepotError> {
        if self.claims.holds(operation) {
            return Ok(false);
        }
        self.claims.is_free(staging, operation)
    }
}

fn is_exposed(base: &Dir, dir: &Dir, name: &str) -> Result<bool, DepotError> {
    match name {
        STAGING | PREVIOUS => Ok(!dir.is_private_to(base)?),
        _ if Kind::ALL.iter().any(|kind| kind.folder() == name) => dir.is_open_to_others(),
        _ => Ok(false),
    }
}

fn kept(base: &Dir, survey: &mut Survey) -> Result<(), DepotError> {
    let Some(previous) = base.open(PREVIOUS)? else { return Ok(()) };
    for name in previous.names()? {
        let name = name.to_string_lossy();
        let digest = name.strip_prefix("sha256-").map(|hex| format!("{}{hex}", Digest::PREFIX));
        match digest.and_then(|text| text.parse().ok()) {
            Some(digest) => survey.kept.push(digest),
            None => survey.strangers.push(format!("{PREVIOUS}/{name}")),
        }
    }
    Ok(())
}
