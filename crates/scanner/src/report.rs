//! Findings of one file, and the order of a report.

use std::collections::{BTreeMap, HashMap};
use std::hash::{DefaultHasher, Hasher as _};

use kitbag_types::{Finding, Kind, PackagePath, Severity};
use sha2::{Digest as _, Sha256};

use crate::text::Place;
use crate::{MatchKey, Options, RuleSet};

/// How many findings of one rule in one file are listed one by one. Beyond, the first stands for
/// all of them: a megabyte of zero-width spaces is one thing to tell.
pub(crate) const MAX_SEPARATE: usize = 20;

/// Collects what is seen in one file.
pub(crate) struct FileReport<'a> {
    rules: &'a RuleSet,
    options: Options,
    file: &'a PackagePath,
    seen: BTreeMap<&'a str, Tally>,
    /// Whether the package is one that is run.
    is_executable: bool,
}

#[derive(Default)]
struct Tally {
    kept: Vec<Finding>,
    count: usize,
    /// All that was matched, also what is not listed.
    matches: Sha256,
    /// What was matched in the text itself, and what it weighed there.
    in_text: HashMap<u64, Severity>,
}

/// What is left of a match without what may be another around the same: quotes and blanks.
fn essence(matched: &[u8]) -> u64 {
    let mut hasher = DefaultHasher::new();
    matched
        .iter()
        .filter(|byte| !b"\"'` \t\n\r)".contains(byte))
        .for_each(|byte| hasher.write_u8(*byte));
    hasher.finish()
}

impl<'a> FileReport<'a> {
    pub(crate) fn new(rules: &'a RuleSet, options: Options, file: &'a PackagePath) -> Self {
        Self { rules, options, file, seen: BTreeMap::new(), is_executable: false }
    }

    /// Says what the package is.
    pub(crate) fn of_kind(self, kind: Kind) -> Self {
        Self { is_executable: matches!(kind, Kind::Tool | Kind::Worker), ..self }
    }

    pub(crate) fn rules(&self) -> &'a RuleSet {
        self.rules
    }

    /// Returns what a rule weighs. `None`: it is not in the set.
    pub(crate) fn severity_of(&self, rule: &str) -> Option<Severity> {
        self.rules.get(rule).map(|info| info.severity(self.options.mode))
    }

    pub(crate) fn is_executable(&self) -> bool {
        self.is_executable
    }

    /// Tells whether findings carry match hashes.
    pub(crate) fn is_keyed(&self) -> bool {
        self.options.key.is_some()
    }

    /// Takes one sighting of a rule. The words (message and evidence) are asked for only if they
    /// are going to be shown. A rule that is not in the set does not fire.
    pub(crate) fn see(
        &mut self,
        rule: &'static str,
        place: Option<Place>,
        words: impl FnOnce() -> (String, Option<String>),
    ) {
        if let Some(severity) = self.rules.get(rule).map(|info| info.severity(self.options.mode)) {
            self.keep(rule, severity, &|| place, None, words);
        }
    }

    /// As [`see`](Self::see), of a file as a whole: only the same bytes are the same match.
    pub(crate) fn see_whole(
        &mut self,
        rule: &'static str,
        contents: &[u8],
        words: impl FnOnce() -> (String, Option<String>),
    ) {
        if let Some(severity) = self.severity_of(rule) {
            self.keep(rule, severity, &|| None, Some(contents), words);
        }
    }

    /// Remembers what a rule matched in the text itself.
    pub(crate) fn remember(&mut self, rule: &'a str, matched: &[u8], severity: Severity) {
        let in_text = &mut self.seen.entry(rule).or_default().in_text;
        let weight = in_text.entry(essence(matched)).or_insert(severity);
        *weight = severity.max(*weight);
    }

    /// Tells whether a rule matched the same in the text itself, and it weighed no less there: what
    /// a comment denies does not excuse the call.
    pub(crate) fn remembers(&self, rule: &str, matched: &[u8], severity: Severity) -> bool {
        let tally = self.seen.get(rule);
        let weight = tally.and_then(|tally| tally.in_text.get(&essence(matched)));
        weight.is_some_and(|weight| *weight >= severity)
    }

    /// As [`see`](Self::see), with a weight of its own, and the bytes that recognise it again; none
    /// where the message does. The place is asked for like the words.
    pub(crate) fn see_as(
        &mut self,
        rule: &'a str,
        severity: Severity,
        place: &dyn Fn() -> Place,
        matched: Option<&[u8]>,
        words: impl FnOnce() -> (String, Option<String>),
    ) {
        self.keep(rule, severity, &|| Some(place()), matched, words);
    }

    fn keep(
        &mut self,
        rule: &'a str,
        severity: Severity,
        place: &dyn Fn() -> Option<Place>,
        matched: Option<&[u8]>,
        words: impl FnOnce() -> (String, Option<String>),
    ) {
        let Some(info) = self.rules.get(rule) else { return };
        let tally = self.seen.entry(rule).or_default();
        tally.count += 1;
        if let (Some(matched), Some(_)) = (matched, self.options.key) {
            tally.matches.update((matched.len() as u64).to_le_bytes());
            tally.matches.update(matched);
        }
        // Beyond the limit one stands for all, and it has to be the heaviest of all.
        let outweighs = || tally.kept.iter().all(|finding| finding.severity < severity);
        if tally.count <= MAX_SEPARATE || outweighs() {
            let (message, evidence) = words();
            let place = place();
            let hash = |key: MatchKey| key.hash(rule, matched.unwrap_or(message.as_bytes()));
            let match_hash = self.options.key.map(hash);
            tally.kept.push(Finding {
                rule: rule.to_owned(),
                severity,
                message,
                file: Some(self.file.as_str().to_owned()),
                line: place.map(|place| place.line),
                column: place.map(|place| place.column),
                remedy: info.remedy().map(str::to_owned),
                evidence,
                match_hash,
            });
        }
    }

    /// Returns the findings.
    pub(crate) fn finish(self) -> Vec<Finding> {
        let key = self.options.key;
        self.seen.into_values().flat_map(|tally| tally.finish(key)).collect()
    }
}

impl Tally {
    fn finish(mut self, key: Option<MatchKey>) -> Vec<Finding> {
        if self.count > MAX_SEPARATE {
            // The heaviest stands for them, so that a verdict does not hang on the number.
            self.kept.sort_by_key(|finding| std::cmp::Reverse(finding.severity));
            self.kept.truncate(1);
            for finding in &mut self.kept {
                finding.message =
                    format!("{}; the first of {} places in this file", finding.message, self.count);
                // It stands for all of them, so whoever accepts it has accepted them all.
                let all =
                    [&self.matches.clone().finalize()[..], finding.message.as_bytes()].concat();
                finding.match_hash = key.map(|key| key.hash(&finding.rule, &all));
            }
        }
        self.kept
    }
}

/// Brings findings into the order of a report: by file, line, column and rule. What belongs to no
/// file or to no line comes first.
pub(crate) fn sort(findings: &mut [Finding]) {
    findings.sort_by(|a, b| key(a).cmp(&key(b)));
}

type Key<'a> = (&'a Option<String>, Option<u32>, Option<u32>, &'a str, &'a str);

fn key(finding: &Finding) -> Key<'_> {
    (&finding.file, finding.line, finding.column, &finding.rule, &finding.message)
}

#[cfg(test)]
mod tests {
    use kitbag_types::{PackagePath, Severity};

    use super::{FileReport, MAX_SEPARATE};
    use crate::text::{INVISIBLE, Place};
    use crate::{Options, RuleSet};

    #[test]
    fn the_heaviest_of_many_stands_for_all() {
        let rules = RuleSet::builtin();
        let path = PackagePath::new("a.md").expect("a good path");
        let mut report = FileReport::new(&rules, Options::default(), &path);
        let mut see = |severity, words: &str| {
            report.see_as(INVISIBLE, severity, &|| Place { line: 1, column: 1 }, None, || {
                (words.to_owned(), None)
            });
        };
        for _ in 0..=MAX_SEPARATE {
            see(Severity::Info, "denied");
        }
        see(Severity::High, "done");
        let findings = report.finish();
        let [one] = &findings[..] else { panic!("{findings:?}") };
        assert_eq!(one.severity, Severity::High);
        assert!(one.message.starts_with("done"), "{}", one.message);
    }

    fn messages(sightings: usize) -> Vec<String> {
        let rules = RuleSet::builtin();
        let path = PackagePath::new("a.md").expect("a good path");
        let mut report = FileReport::new(&rules, Options::default(), &path);
        for line in 1..=sightings {
            let line = u32::try_from(line).expect("few lines");
            let place = Some(Place { line, column: 1 });
            report.see(INVISIBLE, place, || (format!("seen on {line}"), None));
        }
        report.finish().into_iter().map(|finding| finding.message).collect()
    }

    #[test]
    fn findings_are_separate_up_to_the_limit_and_one_beyond() {
        assert_eq!(messages(MAX_SEPARATE).len(), MAX_SEPARATE);
        assert_eq!(messages(MAX_SEPARATE + 1), ["seen on 1; the first of 21 places in this file"]);
    }

    #[test]
    fn an_unknown_rule_does_not_fire() {
        let rules = RuleSet::builtin();
        let path = PackagePath::new("a.md").expect("a good path");
        let mut report = FileReport::new(&rules, Options::default(), &path);
        report.see("text/no-such-rule", None, || unreachable!("nobody asks for the words"));
        assert!(report.finish().is_empty());
    }
}
