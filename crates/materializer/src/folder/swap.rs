//! The one moment in which a slot changes, and what becomes of the package that lay there.

use kitbag_types::{Digest, Failpoint, OperationId};
use rustix::fs::FileType;

use super::handle::Dir;
use super::{FolderDepot, OLD, PREVIOUS, TREE, kept_name};
use crate::{Depot as _, DepotError, Slot, Staged};

/// Where what is not the staged package goes, to be deleted with the staging area.
const EXCHANGED: &str = "exchanged";

impl FolderDepot {
    pub(super) fn swap_in(
        &self,
        staged: &Staged,
        slot: &Slot,
        before: Option<&Digest>,
    ) -> Result<(), DepotError> {
        let area = self.area(staged.operation)?;
        let kind = self.kind_folder(slot.kind)?;
        let tree = self.claims.tree(staged.operation);
        let is_ours = |parent: &Dir, name: &str| match &tree {
            Some(tree) => tree.is_at(parent, name),
            // It was staged by a process that is gone.
            None => Ok(true),
        };
        let id = slot.id.as_str();
        let in_the_way = || DepotError::InTheWay(self.slot_path(slot).display().to_string());
        match (kind.kind_of(id)?, before) {
            (None, None) => {
                if !area.move_to(TREE, &kind, id)? {
                    return Err(in_the_way());
                }
                if !is_ours(&kind, id)? {
                    kind.move_to(id, &area, EXCHANGED)?;
                    return Err(DepotError::Exchanged(self.describe(slot)));
                }
                self.faults.reach(Failpoint::Swapped);
            }
            (Some(FileType::Directory), Some(before)) => {
                replace(&area, TREE, &kind, id)?;
                if !is_ours(&kind, id)? {
                    let old = if area.kind_of(OLD)?.is_some() { OLD } else { TREE };
                    kind.move_to(id, &area, EXCHANGED)?;
                    area.move_to(old, &kind, id)?;
                    return Err(DepotError::Exchanged(self.describe(slot)));
                }
                self.faults.reach(Failpoint::Swapped);
                self.keep(&area, before)?;
            }
            (None, Some(_)) => {
                return Err(DepotError::Missing(self.slot_path(slot).display().to_string()));
            }
            (Some(_), _) => return Err(in_the_way()),
        }
        self.faults.reach(Failpoint::Kept);
        Ok(())
    }

    pub(super) fn swap_out(
        &self,
        operation: OperationId,
        slot: &Slot,
        before: &Digest,
    ) -> Result<(), DepotError> {
        let area = self.area(operation)?;
        let missing = || DepotError::Missing(self.slot_path(slot).display().to_string());
        let kind = self.base()?.open(slot.kind.folder())?.ok_or_else(missing)?;
        if kind.kind_of(slot.id.as_str())?.is_none() {
            return Err(missing());
        }
        kind.move_to(slot.id.as_str(), &area, OLD)?;
        self.faults.reach(Failpoint::Swapped);
        self.keep(&area, before)?;
        self.faults.reach(Failpoint::Kept);
        Ok(())
    }

    /// Moves what came out of a slot to the kept versions.
    fn keep(&self, area: &Dir, digest: &Digest) -> Result<(), DepotError> {
        let previous = self.previous()?;
        let name = kept_name(digest);
        let from = if area.kind_of(OLD)?.is_some() { OLD } else { TREE };
        if area.move_to(from, &previous, &name)? {
            return Ok(());
        }
        // The same bytes are kept already, for this capability or for another. Unless someone
        // edited them, in which case ours are the good ones.
        let is_sound = self
            .digest_at(&format!("{PREVIOUS}/{name}"))
            .is_ok_and(|kept| kept.as_ref() == Some(digest));
        if !is_sound {
            replace(area, from, &previous, &name)?;
        }
        area.remove(TREE)?;
        area.remove(OLD)
    }
}

/// Puts `area/name` where `at/at_name` is; that one ends up in the area as `old`, or under `name`.
pub(super) fn replace(area: &Dir, name: &str, at: &Dir, at_name: &str) -> Result<(), DepotError> {
    if area.exchange(name, at, at_name)? {
        return Ok(());
    }
    // A file system without RENAME_EXCHANGE: for a moment the slot is empty. The journal entry is
    // open, so a crash in that moment is undone.
    at.move_to(at_name, area, OLD)?;
    area.move_to(name, at, at_name)?;
    Ok(())
}
