//! Diff: what was edited by hand, and what an update or a revert would change.

use kitbag_materializer::Links;
use kitbag_package::{PackageReader, compare, digest, read_all};
use kitbag_scanner::redact;
use kitbag_types::{Action, CapabilityRecord, DiffResult, FileChange, FileChangeKind};
use similar::TextDiff;

use crate::LifecycleError;
use crate::service::{CapabilityLifecycleService, PackageState};

/// A file with more bytes than this is named, and its text is not compared: nobody reads it.
pub const MAX_DIFF_BYTES: u64 = 1024 * 1024;

/// What the promoted package is compared with.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Against {
    /// What the recorded source holds now.
    #[default]
    Source,
    /// A kept version: a digest or the beginning of one.
    Kept(String),
}

impl CapabilityLifecycleService {
    /// Compares the promoted package of a capability with its source, or with a kept version.
    ///
    /// # Errors
    /// `registry/…`, `source/…` or `package/…` if one of the sides cannot be read.
    pub fn diff(&self, id: &str, against: &Against) -> Result<DiffResult, LifecycleError> {
        let record = self.record(id)?;
        let state = self.state(&record)?;
        match against {
            Against::Source => {
                let plan = self.recorded_source(&record, state.row.as_ref())?;
                let source = self.open_source(&plan)?;
                let package = source.open_recorded(state.row.as_ref(), Links::Refuse)?;
                self.compare_with(&record, state, &*package)
            }
            Against::Kept(to) => {
                let version = self.find_kept(&record.id, Some(&record), Some(to))?;
                let package = self.open_kept(&version.package.digest, &record.id)?;
                self.compare_with(&record, state, &*package)
            }
        }
    }

    fn compare_with(
        &self,
        record: &CapabilityRecord,
        state: PackageState,
        other: &dyn PackageReader,
    ) -> Result<DiffResult, LifecycleError> {
        let listing = read_all(other, &mut |_, _| {})?;
        let mut files = compare(&state.listing, &listing);
        let promoted = self.promoted(record);
        for change in &mut files {
            change.text = text_diff(change, promoted.as_deref(), other);
        }
        Ok(DiffResult {
            ok: true,
            action: Action::Diff,
            id: record.id.clone(),
            promoted: state.actual,
            other: Some(digest(&listing)),
            local: state.edits,
            files,
        })
    }
}

fn text_diff(
    change: &FileChange,
    before: Option<&dyn PackageReader>,
    after: &dyn PackageReader,
) -> Option<String> {
    let path = change.path.as_str();
    let (old, new) = match change.change {
        FileChangeKind::Mode => return None,
        FileChangeKind::Added => (String::new(), text(after, path)?),
        FileChangeKind::Removed => (text(before?, path)?, String::new()),
        FileChangeKind::Changed => (text(before?, path)?, text(after, path)?),
    };
    if old == new && change.change == FileChangeKind::Changed {
        return Some("only what is not shown differs: the value of a credential\n".to_owned());
    }
    let diff = TextDiff::from_lines(&old, &new);
    Some(diff.unified_diff().header(&format!("a/{path}"), &format!("b/{path}")).to_string())
}

fn text(package: &dyn PackageReader, path: &str) -> Option<String> {
    let entry = package.entries().iter().find(|entry| entry.path.as_str() == path)?;
    if entry.size > MAX_DIFF_BYTES {
        return None;
    }
    let contents = package.contents(entry).ok()?;
    let text = String::from_utf8(contents.to_vec()).ok().filter(|text| !text.contains('\0'))?;
    // A diff is shown and stored by others: no place for the value of a credential.
    Some(redact(&text))
}
