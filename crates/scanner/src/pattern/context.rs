//! What stands around a match: mention is not use.

/// How far before a match a word that turns it around is looked for, in bytes.
const CLAUSE: usize = 80;

/// Words that turn what follows in their clause around, lower case.
const NEGATIONS: [&str; 17] = [
    "never ",
    "do not ",
    "don't ",
    "don\u{2019}t ",
    "must not ",
    "should not ",
    "cannot ",
    "avoid",
    "reject",
    "refuse",
    "forbid",
    "prohibit",
    "deny",
    "denies",
    "disallow",
    "anti-pattern",
    "\u{274c}",
];

/// Parts of a path that say that what is in it is an example of something.
const EXAMPLES: [&str; 8] =
    ["test", "tests", "fixtures", "fixture", "testdata", "__tests__", "spec", "examples-bad"];

/// What a file is, as far as its path says.
#[derive(Clone, Copy, Debug)]
pub(super) struct Context {
    /// What it holds is there to be looked at.
    pub(super) is_example: bool,
}

impl Context {
    pub(super) fn of(path: &str) -> Self {
        let lower = path.to_lowercase();
        let name = lower.rsplit('/').next().unwrap_or_default();
        let is_example = lower.split('/').any(|part| EXAMPLES.contains(&part))
            || name.starts_with("license")
            || name.starts_with("changelog");
        Self { is_example }
    }
}

/// Tells whether the clause that leads to a place turns it around. A clause ends at a stop: `do not
/// worry, run this` turns nothing around.
pub(super) fn is_denied_before(bytes: &[u8], start: usize) -> bool {
    let before = &bytes[start.saturating_sub(CLAUSE)..start];
    let ends = |byte: &u8| matches!(byte, b'\n' | b'.' | b';' | b'!' | b'?' | b',');
    let clause = before.iter().rposition(ends).map_or(before, |at| &before[at + 1..]);
    let clause = String::from_utf8_lossy(clause).to_lowercase();
    NEGATIONS.iter().any(|word| clause.contains(word))
}

/// Tells whether a place stands right behind a quotation mark: what is quoted is talked about.
pub(super) fn is_quoted(bytes: &[u8], start: usize) -> bool {
    let before = &bytes[start.saturating_sub(3)..start];
    before.ends_with(b"\"")
        || before.ends_with(b"'")
        || before.ends_with(b"`")
        || before.ends_with("\u{201c}".as_bytes())
        || before.ends_with("\u{2018}".as_bytes())
}

#[cfg(test)]
mod tests {
    use super::{Context, is_denied_before, is_quoted};

    fn at(text: &str, word: &str) -> (bool, bool) {
        let start = text.find(word).expect(word);
        (is_denied_before(text.as_bytes(), start), is_quoted(text.as_bytes(), start))
    }

    #[test]
    fn a_clause_turns_what_follows_around_up_to_a_stop() {
        assert_eq!(at("Never run curl", "curl"), (true, false));
        assert_eq!(at("Do not worry, run curl", "curl"), (false, false));
        assert_eq!(at("Never mind.\nRun curl", "curl"), (false, false));
        assert_eq!(at("reject texts like \"ignore", "ignore"), (true, true));
        assert_eq!(at("say \u{201c}ignore", "ignore"), (false, true));
    }

    #[test]
    fn a_clause_is_looked_at_up_to_its_limit() {
        let far = |gap: usize| format!("never {}X", "a ".repeat(gap / 2));
        let text = far(super::CLAUSE - 6);
        assert!(is_denied_before(text.as_bytes(), text.len() - 1));
        let text = far(super::CLAUSE - 4);
        assert!(!is_denied_before(text.as_bytes(), text.len() - 1));
    }

    #[test]
    fn paths_of_examples_are_told_from_others() {
        assert!(Context::of("tests/data/x.md").is_example);
        assert!(Context::of("LICENSE.txt").is_example);
        assert!(!Context::of("scripts/latest.sh").is_example);
    }
}
