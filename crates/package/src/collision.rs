//! Paths that cannot both be written: the same, or the same on a system that ignores case.

use std::collections::{BTreeMap, BTreeSet};

use kitbag_types::{Code, PackagePath};
use unicase::UniCase;

use crate::PackageError;

/// Returns an error for each path of a file that equals an earlier one once case is ignored, both
/// named.
///
/// Every folder on the way counts as a path: `Docs/a.md` and `docs/b.md` collide in `docs`, and so
/// do a file `docs` and a folder `Docs`. Only the shallowest pair is reported, not what lies below.
/// A path that is there twice collides too: no folder holds one, but a tree made by hand can.
pub(crate) fn collisions<'a>(
    paths: impl IntoIterator<Item = &'a PackagePath>,
) -> Vec<PackageError> {
    let mut spelled: BTreeMap<String, Place<'_>> = BTreeMap::new();
    let mut reported: BTreeSet<&str> = BTreeSet::new();
    let mut errors = Vec::new();
    for path in paths {
        for prefix in prefixes(path.as_str()) {
            let place = Place { path: prefix, is_file: prefix.len() == path.as_str().len() };
            // Full folding, as a string: unlike the lower-case form it makes `ß` equal `ss`.
            let folded = UniCase::unicode(prefix).to_folded_case();
            let Some(first) = spelled.get(&folded) else {
                spelled.insert(folded, place);
                continue;
            };
            if first.path == prefix && !first.is_file && !place.is_file {
                continue;
            }
            if reported.insert(prefix) {
                let detail = if first.path == prefix {
                    "it is there twice".to_owned()
                } else {
                    format!("as `{}`", first.path)
                };
                errors.push(PackageError::new(Code::PackageCaseCollision, prefix, detail));
            }
            break;
        }
    }
    errors
}

/// A path on the way to a file, or the file's own.
struct Place<'a> {
    path: &'a str,
    is_file: bool,
}

/// Yields `a`, `a/b`, `a/b/c` for `a/b/c`.
fn prefixes(path: &str) -> impl Iterator<Item = &str> {
    path.match_indices('/').map(|(at, _)| &path[..at]).chain(std::iter::once(path))
}

#[cfg(test)]
mod tests {
    use kitbag_types::PackagePath;

    use super::collisions;

    #[track_caller]
    fn check(paths: &[&str], expected: &[&str]) {
        let paths: Vec<PackagePath> =
            paths.iter().map(|path| PackagePath::new(path).expect(path)).collect();
        let messages: Vec<String> = collisions(&paths).iter().map(ToString::to_string).collect();
        assert_eq!(messages, expected);
    }

    #[test]
    fn different_names_pass() {
        check(&["README.md", "docs/README.md", "docs/a", "docsa", "ı", "i"], &[]);
    }

    #[test]
    fn both_spellings_are_named_once() {
        let meaning = "two paths are the same once case is ignored";
        check(&["README.md", "readme.md"], &[&format!("`readme.md`: {meaning} (as `README.md`)")]);
        check(
            &["Docs/a", "Docs/b", "docs/c", "docs/d"],
            &[&format!("`docs`: {meaning} (as `Docs`)")],
        );
        check(&["Docs/a", "docs"], &[&format!("`docs`: {meaning} (as `Docs`)")]);
        check(&["x/Maße", "x/MASSE"], &[&format!("`x/MASSE`: {meaning} (as `x/Maße`)")]);
        check(
            &["Σ", "ς", "σ"],
            &[&format!("`ς`: {meaning} (as `Σ`)"), &format!("`σ`: {meaning} (as `Σ`)")],
        );
    }

    #[test]
    fn a_path_that_is_there_twice_is_named_once() {
        let message = "`a`: two paths are the same once case is ignored (it is there twice)";
        check(&["a", "a"], &[message]);
        check(&["a", "a", "a"], &[message]);
        check(&["a", "a/b", "a/c"], &[message]);
        check(&["a/b", "a/c", "a"], &[message]);
    }
}
