//! One file against the patterns.

use kitbag_types::Severity;

use super::check::{entropy, is_placeholder};
use super::{Pattern, Spans, Where, builtin};
use crate::report::FileReport;
use crate::rules::Layer;
use crate::text::Place;

/// How far before a match a word that turns it around is looked for.
const CLAUSE: usize = 80;

/// Words that turn what follows around, lower case.
const NEGATIONS: [&str; 16] = [
    "never ",
    "do not ",
    "don't ",
    "don\u{2019}t ",
    "must not ",
    "should not ",
    "avoid ",
    "reject",
    "refuse",
    "forbid",
    "forbidden",
    "prohibit",
    "deny",
    "disallow",
    "anti-pattern",
    "\u{274c}",
];

/// Parts of a path that say that what is in it is an example of something.
const EXAMPLES: [&str; 8] =
    ["test", "tests", "fixtures", "fixture", "testdata", "__tests__", "spec", "examples-bad"];

/// Looks through one file and reports what the patterns see.
pub(crate) fn inspect(path: &str, bytes: &[u8], spans: &Spans, report: &mut FileReport<'_>) {
    let patterns = builtin();
    let mut due = vec![false; patterns.rules.len()];
    for found in patterns.keywords.find_overlapping_iter(bytes) {
        due[patterns.owner[found.pattern().as_usize()]] = true;
    }
    let is_example = is_example(path);
    let mut lines = None;
    for rule in patterns.rules.iter().zip(due).filter_map(|(rule, due)| due.then_some(rule)) {
        for captures in rule.regex().captures_iter(bytes) {
            let Some(whole) = captures.get(0) else { continue };
            let secret = captures.name("s").or_else(|| captures.name("x"));
            let secret = secret.unwrap_or(whole);
            let role = spans.at(secret.start());
            if !rule.fits(bytes, whole.range(), secret.as_bytes(), role) {
                continue;
            }
            let severity = rule.weigh(bytes, whole.start(), role, is_example);
            let lines = lines.get_or_insert_with(|| Lines::of(bytes));
            let place = lines.place(bytes, secret.start());
            let secret = secret.as_bytes();
            report.see_as(&rule.id, severity, Some(place), Some(secret), || rule.words(secret));
        }
    }
}

impl Pattern {
    fn fits(
        &self,
        bytes: &[u8],
        whole: std::ops::Range<usize>,
        secret: &[u8],
        role: Where,
    ) -> bool {
        let in_role = self.roles.is_empty() || self.roles.contains(&role);
        let is_near = || match &self.near {
            None => true,
            Some(near) => {
                let from = whole.start.saturating_sub(near.bytes);
                let to = (whole.end + near.bytes).min(bytes.len());
                near.regex().is_match(&bytes[from..to])
            }
        };
        in_role
            && (self.entropy == 0.0 || entropy(secret) >= self.entropy)
            && !(self.is_secret() && is_placeholder(secret, self.placeholders))
            && !self.allows(secret, line_around(bytes, whole.start))
            && is_near()
    }

    /// Returns how much a match weighs: a sign that is denied or shown as an example weighs one
    /// step less, never nothing. A fact weighs what it weighs, and so does what a program does.
    fn weigh(&self, bytes: &[u8], start: usize, role: Where, is_example: bool) -> Severity {
        let severity = self.info_severity();
        if self.layer == Layer::Contract || role == Where::Script {
            return severity;
        }
        if is_example || is_negated(bytes, start) { one_less(severity) } else { severity }
    }

    fn info_severity(&self) -> Severity {
        self.severity
    }

    /// Returns the message and the evidence. Of a secret, only what every one of its kind begins
    /// with, and its length.
    fn words(&self, found: &[u8]) -> (String, Option<String>) {
        let text = String::from_utf8_lossy(found);
        if self.is_secret() {
            let prefix: String = text.chars().take(self.prefix).collect();
            let length = text.chars().count();
            return (self.meaning.clone(), Some(format!("{prefix}\u{2026} ({length} characters)")));
        }
        let shown: String = text.split_whitespace().collect::<Vec<_>>().join(" ");
        let shown: String = shown.chars().take(80).collect();
        (self.meaning.clone(), Some(kitbag_types::printable(&shown).to_string()))
    }
}

fn one_less(severity: Severity) -> Severity {
    match severity {
        Severity::Critical => Severity::High,
        Severity::High | Severity::Medium => Severity::Low,
        Severity::Low | Severity::Info => Severity::Info,
    }
}

fn is_negated(bytes: &[u8], start: usize) -> bool {
    let from = bytes[..start].iter().rposition(|&byte| byte == b'\n').map_or(0, |at| at + 1);
    let before = &bytes[from.max(start.saturating_sub(CLAUSE))..start];
    let before = String::from_utf8_lossy(before).to_lowercase();
    NEGATIONS.iter().any(|word| before.contains(word))
}

fn is_example(path: &str) -> bool {
    let lower = path.to_lowercase();
    let name = lower.rsplit('/').next().unwrap_or_default();
    lower.split('/').any(|part| EXAMPLES.contains(&part))
        || name.starts_with("license")
        || name.starts_with("changelog")
}

fn line_around(bytes: &[u8], at: usize) -> &[u8] {
    /// A line that is longer is one line all the same; nobody reads on.
    const MOST: usize = 1024;
    let from = at.saturating_sub(MOST);
    let start = bytes[from..at]
        .iter()
        .rposition(|&byte| byte == b'\n')
        .map_or(from, |found| from + found + 1);
    let to = (at + MOST).min(bytes.len());
    let end = bytes[at..to].iter().position(|&byte| byte == b'\n').map_or(to, |found| at + found);
    &bytes[start..end]
}

/// Where the lines of a file begin.
struct Lines(Vec<usize>);

impl Lines {
    fn of(bytes: &[u8]) -> Self {
        let ends = memchr::memchr_iter(b'\n', bytes).map(|at| at + 1);
        Self(std::iter::once(0).chain(ends).collect())
    }

    fn place(&self, bytes: &[u8], at: usize) -> Place {
        let line = self.0.partition_point(|&start| start <= at);
        let start = self.0[line - 1];
        // Characters, not bytes: continuation bytes of UTF-8 begin with `10`.
        let column = bytes[start..at].iter().filter(|&&byte| byte & 0xc0 != 0x80).count() + 1;
        let number = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
        Place { line: number(line), column: number(column) }
    }
}
