//! The lines that findings are about, for a person to see.

use std::collections::{BTreeMap, BTreeSet};

use kitbag_package::PackageReader;
use kitbag_scanner::Family;
use kitbag_types::Finding;

/// How many characters of a line are kept on each side of a place: more than a terminal is wide, and
/// far less than a line can be long.
pub const MAX_EXCERPT_CHARS: usize = 200;

/// A line of a file, around a place.
///
/// It is a package's text as it is: show it with [`printable`](kitbag_types::printable).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Excerpt {
    /// What stands before the place, at most [`MAX_EXCERPT_CHARS`] characters.
    pub before: String,
    /// What stands at the place and behind it, at most as many.
    pub after: String,
    /// Whether the line has more in front.
    pub cut_before: bool,
    /// Whether the line has more behind.
    pub cut_after: bool,
}

/// Returns the line of each finding, where it has one that may be shown.
///
/// `all` is everything that was seen, also what is not told. A file in which a credential was seen
/// is not quoted at all: a key may go over many lines, and of many in one file only the first has
/// a place.
pub(crate) fn excerpts(
    package: &dyn PackageReader,
    findings: &[Finding],
    all: &[&Finding],
) -> Vec<Option<Excerpt>> {
    let is_secret = |finding: &&&Finding| {
        finding.rule.split_once('/').is_some_and(|(family, _)| family == Family::Secret.as_str())
    };
    let withheld: BTreeSet<&str> =
        all.iter().filter(is_secret).filter_map(|finding| finding.file.as_deref()).collect();
    let mut by_file: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (index, finding) in findings.iter().enumerate() {
        match (&finding.file, finding.line) {
            (Some(file), Some(_)) if !withheld.contains(file.as_str()) => {
                by_file.entry(file).or_default().push(index);
            }
            _ => {}
        }
    }
    let mut excerpts = vec![None; findings.len()];
    for (file, indices) in by_file {
        let entry = package.entries().iter().find(|entry| entry.path.as_str() == file);
        let contents = entry.and_then(|entry| package.contents(entry).ok());
        // Places of what is not UTF-8 are not places of its bytes.
        let Some(text) = contents.as_deref().and_then(|bytes| std::str::from_utf8(bytes).ok())
        else {
            continue;
        };
        // A byte order mark takes no column.
        let lines: Vec<&str> = text.strip_prefix('\u{feff}').unwrap_or(text).split('\n').collect();
        for index in indices {
            let Finding { line, column, .. } = &findings[index];
            excerpts[index] = line.and_then(|line| {
                let line = lines.get(usize::try_from(line).ok()?.checked_sub(1)?)?;
                around(line.strip_suffix('\r').unwrap_or(line), column.unwrap_or(1))
            });
        }
    }
    excerpts
}

/// Returns what stands around a column; none where the line is shorter.
fn around(line: &str, column: u32) -> Option<Excerpt> {
    let skipped = usize::try_from(column).ok()?.checked_sub(1)?;
    let place = line.char_indices().map(|(at, _)| at).chain([line.len()]).nth(skipped)?;
    let (before, after) = line.split_at(place);
    let start = before.char_indices().rev().nth(MAX_EXCERPT_CHARS - 1).map_or(0, |(at, _)| at);
    let end = after.char_indices().nth(MAX_EXCERPT_CHARS).map_or(after.len(), |(at, _)| at);
    Some(Excerpt {
        before: before[start..].to_owned(),
        after: after[..end].to_owned(),
        cut_before: start > 0,
        cut_after: end < after.len(),
    })
}

#[cfg(test)]
mod tests {
    use kitbag_package::PackageTree;
    use kitbag_types::{Finding, Severity};

    use super::{MAX_EXCERPT_CHARS, around, excerpts};

    fn finding(rule: &str, file: &str, line: u32) -> Finding {
        Finding {
            rule: rule.to_owned(),
            severity: Severity::Low,
            message: String::new(),
            file: Some(file.to_owned()),
            line: Some(line),
            column: Some(1),
            remedy: None,
            evidence: None,
            match_hash: None,
        }
    }

    #[test]
    fn a_file_with_a_credential_is_not_quoted_even_if_nobody_tells_it() {
        let folder = tempfile::tempdir().expect("a folder");
        fs_err::write(folder.path().join("key.md"), "a\n-----BEGIN\nMIIB\n").expect("written");
        fs_err::write(folder.path().join("plain.md"), "\u{feff}a\r\nb\r\n").expect("written");
        fs_err::write(folder.path().join("wide.md"), b"\xff\xfea\0\n\0").expect("written");
        let package = PackageTree::open(folder.path()).expect("a package");
        let told = [
            finding("text/invisible-character", "key.md", 3),
            finding("text/invisible-character", "plain.md", 2),
            finding("text/invisible-character", "plain.md", 9),
            finding("text/bom", "plain.md", 1),
            finding("text/control-character", "wide.md", 1),
            finding("text/control-character", "gone.md", 1),
        ];
        let quoted = |accepted: &[Finding]| -> Vec<Option<String>> {
            let all: Vec<&Finding> = told.iter().chain(accepted).collect();
            let found = excerpts(&package, &told, &all).into_iter();
            found.map(|excerpt| excerpt.map(|excerpt| excerpt.before + &excerpt.after)).collect()
        };
        let line = |text: &str| Some(text.to_owned());
        let open = [line("MIIB"), line("b"), None, line("a"), None, None];
        assert_eq!(quoted(&[]), open);
        let withheld = [None, line("b"), None, line("a"), None, None];
        assert_eq!(quoted(&[finding("secret/private-key", "key.md", 2)]), withheld);
    }

    #[test]
    fn a_line_is_split_at_the_character_of_the_column() {
        let split = |line, column| around(line, column).map(|found| (found.before, found.after));
        let both = |before: &str, after: &str| Some((before.to_owned(), after.to_owned()));
        assert_eq!(split("na\u{ef}ve x", 7), both("na\u{ef}ve ", "x"));
        assert_eq!(split("\u{1f600}x", 2), both("\u{1f600}", "x"));
        assert_eq!(split("x", 1), both("", "x"));
        // The end of a line is a place as well.
        assert_eq!(split("x", 2), both("x", ""));
        assert_eq!(split("x", 3), None);
        assert_eq!(split("x", 0), None);
    }

    #[test]
    fn a_line_is_kept_up_to_the_limit_on_both_sides() {
        let check = |before: usize, after: usize| {
            let line = format!("{}{}", "\u{e9}".repeat(before), "\u{3b1}".repeat(after));
            let found = around(&line, u32::try_from(before + 1).expect("small")).expect("a place");
            let count = |text: &str| text.chars().count();
            (count(&found.before), found.cut_before, count(&found.after), found.cut_after)
        };
        let most = MAX_EXCERPT_CHARS;
        assert_eq!(check(most, most), (most, false, most, false));
        assert_eq!(check(most + 1, most + 1), (most, true, most, true));
    }
}
