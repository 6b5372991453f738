//! Text that may hold credentials, made fit to be shown and kept.

use std::ops::Range;

use super::{Pattern, builtin, run};

/// The value of a credential in a text.
pub(super) struct Value {
    pub(super) range: Range<usize>,
    /// How many of its first characters are the same in every one of its kind.
    prefix: usize,
}

/// Returns `text` with the value of every credential in it replaced by what a finding shows of it:
/// the public prefix of its kind, and its length.
pub fn redact(text: &str) -> String {
    let values = values(text.as_bytes());
    masked(text.as_bytes(), 0..text.len(), &values)
}

/// Finds the values of credentials, in order and apart. Where in a file they stand makes no
/// difference: what is taken for one without need is merely not shown.
pub(super) fn values(bytes: &[u8]) -> Vec<Value> {
    let patterns = builtin();
    let mut values: Vec<Value> = Vec::new();
    for (rule, windows) in patterns.rules.iter().zip(run::windows(patterns, bytes)) {
        if rule.is_secret() {
            windows.into_iter().for_each(|window| rule.values(bytes, window, &mut values));
        }
    }
    values.sort_by_key(|value| (value.range.start, std::cmp::Reverse(value.range.end)));
    let mut apart: Vec<Value> = Vec::with_capacity(values.len());
    for value in values {
        match apart.last_mut() {
            // What begins in another is a part of it.
            Some(last) if value.range.start < last.range.end => {
                last.range.end = last.range.end.max(value.range.end);
            }
            _ => apart.push(value),
        }
    }
    apart
}

impl Pattern {
    fn values(&self, bytes: &[u8], window: Range<usize>, values: &mut Vec<Value>) {
        let mut nearby = None;
        for captures in self.regex().captures_iter(&bytes[window.clone()]) {
            let (whole, value) = run::places(&captures, window.start);
            let is_one = self.is_value(bytes, whole.start, &bytes[value.clone()])
                && self.is_near(bytes, whole, &mut nearby);
            if is_one {
                values.push(Value { range: value, prefix: self.prefix });
            }
        }
    }
}

/// Returns a part of a text with the values in it replaced, also those that it cuts.
pub(super) fn masked(bytes: &[u8], part: Range<usize>, values: &[Value]) -> String {
    let mut out = String::new();
    let mut from = part.start;
    let first = values.partition_point(|value| value.range.end <= part.start);
    for value in &values[first..] {
        if value.range.start >= part.end {
            break;
        }
        out.push_str(&String::from_utf8_lossy(&bytes[from..value.range.start.max(from)]));
        out.push_str(&shown(&bytes[value.range.clone()], value.prefix));
        from = value.range.end.min(part.end);
    }
    out.push_str(&String::from_utf8_lossy(&bytes[from..part.end]));
    out
}

/// Returns what is shown of a value: what every one of its kind begins with, and its length.
pub(super) fn shown(value: &[u8], prefix: usize) -> String {
    let text = String::from_utf8_lossy(value);
    let start: String = text.chars().take(prefix).collect();
    format!("{start}\u{2026} ({} characters)", text.chars().count())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{masked, redact, values};

    fn token() -> String {
        ["ghp", "_", "qEwjky40UVsWm", "flzdE1F8ResqEDusTpkr0cS"].concat()
    }

    #[test]
    fn a_credential_is_its_prefix_and_its_length_and_all_else_stays() {
        let text = format!("a é\nkey: {} and\n{}\nb", token(), token());
        let short = "ghp_\u{2026} (40 characters)";
        assert_eq!(redact(&text), format!("a é\nkey: {short} and\n{short}\nb"));
        assert_eq!(redact("nothing here: ghp_short"), "nothing here: ghp_short");
        assert_eq!(redact(""), "");
    }

    #[test]
    fn a_part_that_cuts_a_credential_shows_nothing_of_it() {
        let text = format!("key: {} end", token());
        let values = values(text.as_bytes());
        for (start, end) in [(0, 20), (20, text.len()), (12, 20)] {
            let part = masked(text.as_bytes(), start..end, &values);
            assert!(part.contains("ghp_\u{2026} (40 characters)"), "{part}");
            assert!(!part.contains(&text[12..16]), "{part}");
        }
        assert_eq!(masked(text.as_bytes(), 0..5, &values), "key: ");
    }

    proptest! {
        #[test]
        fn any_text_around_it_changes_nothing(before in "[ -~é\n]{0,40}", after in "[ -~é\n]{0,40}") {
            let text = format!("{before} {} {after}", token());
            prop_assert!(!redact(&text).contains(&token()[4..12]), "{}", text);
        }

        #[test]
        fn bytes_that_are_no_text_are_survived(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            let values = values(&bytes);
            masked(&bytes, 0..bytes.len(), &values);
        }
    }
}
