//! What differs between two listings.

use kitbag_package::{ListingEntry, compare};
use kitbag_types::{Digest, PackagePath};

/// Reads `path=bytes`, and `path*=bytes` for a file that may be executed.
fn listing(files: &[&str]) -> Vec<ListingEntry> {
    files
        .iter()
        .map(|file| {
            let (path, bytes) = file.split_once('=').expect("path=bytes");
            let plain = path.trim_end_matches('*');
            ListingEntry {
                path: PackagePath::new(plain).expect("a path"),
                executable: plain != path,
                size: bytes.len() as u64,
                sha256: Digest::of_bytes(bytes.as_bytes()),
            }
        })
        .collect()
}

#[track_caller]
fn check(before: &[&str], after: &[&str], expected: &[&str]) {
    let changes: Vec<String> = compare(&listing(before), &listing(after))
        .into_iter()
        .inspect(|change| assert_eq!(change.text, None))
        .map(|change| format!("{:?} {}", change.change, change.path).to_lowercase())
        .collect();
    assert_eq!(changes, expected);
}

#[test]
fn equal_listings_do_not_differ_in_any_order() {
    check(&[], &[], &[]);
    check(&["a=1", "b*=2"], &["b*=2", "a=1"], &[]);
}

#[test]
fn each_difference_has_its_kind_and_they_come_by_path() {
    check(
        &["z=1", "same=1", "removed=1", "bytes=1", "bit=1", "unbit*=1", "both=1"],
        &["added=1", "same=1", "bytes=2", "bit*=1", "unbit=1", "both*=2", "z=11"],
        &[
            "added added",
            "mode bit",
            "changed both",
            "changed bytes",
            "removed removed",
            "mode unbit",
            "changed z",
        ],
    );
}

#[test]
fn a_moved_file_is_removed_and_added() {
    check(&["a-b=1"], &["a/b=1"], &["removed a-b", "added a/b"]);
}
