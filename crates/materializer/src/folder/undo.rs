//! Bringing a slot back after an operation that did not reach its transaction.

use kitbag_package::PackageError;
use kitbag_types::{Digest, OperationId};

use super::handle::Dir;
use super::swap::replace;
use super::{FolderDepot, OLD, PREVIOUS, STAGING, TREE, kept_name};
use crate::{Depot as _, DepotError, Slot};

/// Where `undo` puts what it takes out of a slot.
const UNDONE: &str = "undone";

impl FolderDepot {
    pub(super) fn swap_back(
        &self,
        operation: OperationId,
        slot: &Slot,
        before: Option<&Digest>,
        after: Option<&Digest>,
    ) -> Result<(), DepotError> {
        let relative = format!("{}/{}", slot.kind.folder(), slot.id);
        let here = match self.digest_at(&relative) {
            Ok(here) => here,
            // Nothing of ours can have become unreadable by being moved. It is left alone.
            Err(error) if is_foreign(&error) => return Ok(()),
            Err(error) => return Err(error.into()),
        };
        if here.as_ref() == before || (here.is_some() && here.as_ref() != after) {
            return Ok(());
        }
        let area = self.area(operation)?;
        let kind = self.kind_folder(slot.kind)?;
        let Some(before) = before else {
            kind.move_to(slot.id.as_str(), &area, UNDONE)?;
            return area.remove(UNDONE);
        };
        let name = match self.find(operation, &area, before, slot) {
            Err(error @ DepotError::Unrecoverable { .. }) => {
                self.set_aside(operation, &area)?;
                return Err(error);
            }
            name => name?,
        };
        if here.is_some() {
            replace(&area, name, &kind, slot.id.as_str())
        } else {
            area.move_to(name, &kind, slot.id.as_str()).map(|_| ())
        }
    }

    /// Puts what was staged where no sweep takes it for something abandoned.
    fn set_aside(&self, operation: OperationId, area: &Dir) -> Result<(), DepotError> {
        if area.names()?.is_empty() {
            return Ok(());
        }
        let staging = self.staging()?;
        staging.move_to(&operation.to_string(), &staging, &format!("kept-{operation}"))?;
        Ok(())
    }

    /// Finds the package of a digest and returns its name in the staging area.
    fn find(
        &self,
        operation: OperationId,
        area: &Dir,
        digest: &Digest,
        slot: &Slot,
    ) -> Result<&'static str, DepotError> {
        for name in [TREE, OLD] {
            let relative = format!("{STAGING}/{operation}/{name}");
            if self.digest_at(&relative).is_ok_and(|found| found.as_ref() == Some(digest)) {
                return Ok(name);
            }
        }
        // It was put among the kept versions already, and another capability may keep it too: a
        // copy goes back.
        let relative = format!("{PREVIOUS}/{}", kept_name(digest));
        if self.digest_at(&relative).is_ok_and(|found| found.as_ref() == Some(digest))
            && let Some(kept) = self.kept(digest)?
        {
            area.remove(TREE)?;
            let staged = self.stage_into(operation, &*kept, &mut |_, _| {})?;
            if staged.digest == *digest {
                return Ok(TREE);
            }
        }
        Err(DepotError::Unrecoverable { slot: self.describe(slot), expected: *digest })
    }
}

/// Tells whether a package cannot be read because of what someone put into it.
fn is_foreign(error: &PackageError) -> bool {
    use kitbag_types::{Coded as _, ErrorKind};
    matches!(error.code().kind(), ErrorKind::Refused | ErrorKind::NotFound)
}
