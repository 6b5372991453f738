//! What differs between two packages.

use std::collections::BTreeMap;

use kitbag_types::{FileChange, FileChangeKind, PackagePath};

use crate::ListingEntry;

/// Returns the files that differ between two listings, in path order and without their texts.
///
/// A file whose bytes and execute bit both differ is `changed`; `mode` is the bit alone.
pub fn compare(before: &[ListingEntry], after: &[ListingEntry]) -> Vec<FileChange> {
    let mut sides: BTreeMap<&PackagePath, (Option<&ListingEntry>, Option<&ListingEntry>)> =
        BTreeMap::new();
    for entry in before {
        sides.entry(&entry.path).or_default().0 = Some(entry);
    }
    for entry in after {
        sides.entry(&entry.path).or_default().1 = Some(entry);
    }
    let kind = |sides| match sides {
        (None, _) => Some(FileChangeKind::Added),
        (Some(_), None) => Some(FileChangeKind::Removed),
        (Some(before), Some(after)) => changed(before, after),
    };
    sides
        .into_iter()
        .filter_map(|(path, sides)| {
            Some(FileChange { path: path.clone(), change: kind(sides)?, text: None })
        })
        .collect()
}

fn changed(before: &ListingEntry, after: &ListingEntry) -> Option<FileChangeKind> {
    if before.sha256 != after.sha256 || before.size != after.size {
        Some(FileChangeKind::Changed)
    } else if before.executable != after.executable {
        Some(FileChangeKind::Mode)
    } else {
        None
    }
}
