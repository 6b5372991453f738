//! Every rule proves itself by its own examples.

use super::{Pattern, Spans, Where, builtin};
use crate::report::FileReport;
use crate::{Options, RuleSet};

fn fires(rule: &Pattern, text: &str) -> bool {
    let rules = RuleSet::builtin();
    let path = kitbag_types::PackagePath::new("SKILL.md").expect("a path");
    let roles = [
        Where::Prose,
        Where::Fenced,
        Where::Script,
        Where::Comment,
        Where::FrontMatter,
        Where::Inline,
        Where::Data,
    ];
    let role = roles.into_iter().find(|role| rule.roles.is_empty() || rule.roles.contains(role));
    let role = role.expect("a role");
    let mut report = FileReport::new(&rules, Options::default(), &path);
    super::inspect("SKILL.md", text.as_bytes(), || Spans::whole(role), &mut report);
    report.finish().iter().any(|finding| finding.rule == rule.id)
}

#[test]
fn every_rule_fires_on_its_examples_and_not_on_its_counterexamples() {
    let mut problems = Vec::new();
    for rule in &builtin().rules {
        for text in &rule.positive {
            if !fires(rule, text) {
                problems.push(format!("{} does not fire on {text:?}", rule.id));
            }
        }
        for text in &rule.negative {
            if fires(rule, text) {
                problems.push(format!("{} fires on {text:?}", rule.id));
            }
        }
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

#[test]
fn every_rule_can_be_found_by_its_keywords() {
    for rule in &builtin().rules {
        assert!(!rule.keywords.is_empty(), "{}", rule.id);
        for keyword in &rule.keywords {
            assert!(
                keyword.len() >= 2 && *keyword == keyword.to_lowercase(),
                "{}: {keyword}",
                rule.id
            );
        }
    }
}

#[test]
fn a_path_of_a_machine_is_a_remark_in_a_skill_and_a_fault_in_what_is_run() {
    use kitbag_types::{Kind, Severity};
    let rules = RuleSet::builtin();
    let path = kitbag_types::PackagePath::new("run.mjs").expect("a path");
    let weight = |kind| {
        let mut report = FileReport::new(&rules, Options::default(), &path).of_kind(kind);
        let text = b"open('/Users/mkowalski/notes');";
        super::inspect("run.mjs", text, || Spans::whole(Where::Script), &mut report);
        let findings = report.finish();
        assert_eq!(findings.len(), 1);
        assert!(!format!("{findings:?}").contains("mkowalski"), "{findings:?}");
        findings[0].severity
    };
    assert_eq!(weight(Kind::Skill), Severity::Low);
    assert_eq!([Kind::Tool, Kind::Worker].map(weight), [Severity::Critical; 2]);
}

#[test]
fn no_byte_of_a_secret_beyond_its_public_prefix_is_in_a_finding() {
    let rules = RuleSet::builtin();
    let path = kitbag_types::PackagePath::new("SKILL.md").expect("a path");
    for rule in builtin().rules.iter().filter(|rule| rule.is_secret()) {
        for text in &rule.positive {
            let mut report = FileReport::new(&rules, Options::default(), &path);
            super::inspect("SKILL.md", text.as_bytes(), || Spans::whole(Where::Prose), &mut report);
            for finding in report.finish() {
                let shown = format!("{} {:?}", finding.message, finding.evidence);
                let captures = rule.regex().captures(text.as_bytes()).expect("a match");
                let secret = captures
                    .name("s")
                    .or_else(|| captures.name("x"))
                    .or_else(|| captures.get(0))
                    .expect("a secret");
                let secret = String::from_utf8_lossy(secret.as_bytes()).into_owned();
                let rest: String = secret.chars().skip(rule.prefix.max(4)).collect();
                assert!(rest.len() < 6 || !shown.contains(&rest), "{}: {shown}", rule.id);
            }
        }
    }
}

mod work {
    //! What a text can make the scanner do is bounded by its length, whatever the text.
    //!
    //! An expression of `regex` takes time in proportion to what it searches, so what is bounded here
    //! is how much that is.

    use proptest::prelude::*;

    use super::super::{builtin, decode, run};

    /// Texts made of what wakes the rules.
    fn texts() -> impl Strategy<Value = Vec<u8>> {
        let keywords: Vec<String> =
            builtin().rules.iter().flat_map(|rule| rule.keywords.clone()).collect();
        let filler = prop::sample::select(vec![" ", "\n", "a", "/", "=", "\"", "aGVsbG8gd29ybGQK"]);
        let piece = prop_oneof![
            prop::sample::select(keywords),
            filler.prop_map(|filler| filler.repeat(40)),
        ];
        prop::collection::vec(piece, 0..300).prop_map(|pieces| pieces.concat().into_bytes())
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn no_rule_searches_a_byte_twice(bytes in texts()) {
            for windows in run::windows(builtin(), &bytes) {
                prop_assert!(windows.iter().all(|window| window.end <= bytes.len()));
                prop_assert!(windows.windows(2).all(|pair| pair[0].end < pair[1].start));
                let searched: usize = windows.iter().map(ExactSizeIterator::len).sum();
                prop_assert!(searched <= bytes.len());
            }
        }

        #[test]
        fn what_is_decoded_is_less_than_what_was_there(bytes in texts()) {
            for layers in 1..=2 {
                let decoded: usize =
                    decode::texts(&bytes, layers).iter().map(|hidden| hidden.text.len()).sum();
                prop_assert!(decoded <= bytes.len() * layers);
            }
        }
    }
}
