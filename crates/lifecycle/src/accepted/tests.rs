use kitbag_scanner::{Layer, RuleSet};
use kitbag_types::{
    Digest, Finding, MatchHash, ScanReport, Severity, Suppression, Timestamp, Verdict,
};
use proptest::prelude::*;

use super::{May, counted};

const INDICATOR: &str = "code/decode-and-run";
const SECRET: &str = "secret/github-token";
const CONTRACT: &str = "text/bidi-control";
const UNKNOWN: &str = "code/no-such-rule";
const RULES: [&str; 4] = [INDICATOR, SECRET, CONTRACT, UNKNOWN];

fn digest(byte: u8) -> Digest {
    Digest::of_bytes(&[byte])
}

fn finding(rule: usize, severity: Severity, byte: u8) -> Finding {
    Finding {
        rule: RULES[rule].to_owned(),
        severity,
        message: "m".to_owned(),
        file: Some("a.sh".to_owned()),
        line: Some(1),
        column: Some(1),
        remedy: None,
        evidence: None,
        match_hash: Some(MatchHash::of_mac(&[byte; 32])),
    }
}

fn report(findings: Vec<Finding>) -> ScanReport {
    ScanReport {
        verdict: Verdict::of(&findings),
        findings,
        suppressed: Vec::new(),
        inventory: kitbag_types::Inventory::default(),
        coverage: Vec::new(),
        rule_set: digest(9),
    }
}

fn yes(
    rule: usize,
    byte: u8,
    package: Option<u8>,
    reason: &str,
    expires: Option<i64>,
) -> Suppression {
    Suppression {
        rule: RULES[rule].to_owned(),
        file: Some("a.sh".to_owned()),
        match_hash: MatchHash::of_mac(&[byte; 32]),
        package: package.map(digest),
        reason: reason.to_owned(),
        accepted_by: "cli:ada".to_owned(),
        accepted_at: Timestamp::from_millis(0),
        expires_at: expires.map(Timestamp::from_millis),
    }
}

#[test]
fn what_a_rule_lets_a_person_say_follows_from_what_it_is() {
    let rules = RuleSet::builtin();
    for rule in rules.rules() {
        let may = May::of(&rules, rule.id());
        match (rule.id().starts_with("secret/"), rule.layer()) {
            (true, _) => assert!(matches!(may, May::Words(_)), "{}", rule.id()),
            (false, Layer::Indicator) => assert_eq!(may, May::Any, "{}", rule.id()),
            (false, Layer::Contract) => assert_eq!(may, May::Never, "{}", rule.id()),
        }
    }
    assert_eq!(May::of(&rules, UNKNOWN), May::Never);
    assert_eq!(May::of(&rules, ""), May::Never);
}

#[test]
fn what_could_not_be_scanned_is_not_made_good() {
    let mut raw = report(vec![finding(0, Severity::Critical, 1)]);
    raw.verdict = Verdict::Failed;
    let yeses = [yes(0, 1, None, "x", None)];
    let now = Timestamp::from_millis(0);
    let seen = counted(&raw, &digest(1), &yeses, &RuleSet::builtin(), now);
    assert_eq!((seen.verdict, seen.suppressed.len()), (Verdict::Failed, 1));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, ..ProptestConfig::default() })]

    /// Nothing is lost, nothing counts twice, the verdict is that of what is left, and what is left
    /// out has a yes that holds for it.
    #[test]
    fn a_finding_counts_or_somebody_said_why_not(
        found in prop::collection::vec((0..4_usize, 0..5_usize, 0..4_u8), 0..8),
        said in prop::collection::vec(
            (0..4_usize, 0..4_u8, prop::option::of(0..2_u8), 0..3_usize, prop::option::of(0..4_i64)),
            0..8,
        ),
        package in 0..2_u8,
        now in 0..4_i64,
    ) {
        static BUILTIN: std::sync::OnceLock<RuleSet> = std::sync::OnceLock::new();
        let rules = BUILTIN.get_or_init(RuleSet::builtin);
        let raw = report(
            found.into_iter().map(|(rule, weight, byte)| finding(rule, Severity::ALL[weight], byte)).collect(),
        );
        let reasons = ["revoked", "test-value", "because I say so"];
        let yeses: Vec<Suppression> = said
            .into_iter()
            .map(|(rule, byte, of, reason, end)| yes(rule, byte, of, reasons[reason], end))
            .collect();
        let now = Timestamp::from_millis(now);
        let seen = counted(&raw, &digest(package), &yeses, rules, now);

        prop_assert_eq!(seen.findings.len() + seen.suppressed.len(), raw.findings.len());
        prop_assert_eq!(seen.verdict, Verdict::of(&seen.findings));
        prop_assert!(seen.verdict <= raw.verdict);
        let holds = |yes: &Suppression, finding: &Finding| {
            yes.covers(finding, &digest(package), now)
                && match finding.rule.as_str() {
                    INDICATOR => true,
                    SECRET => yes.reason != "because I say so",
                    _ => false,
                }
        };
        for suppressed in &seen.suppressed {
            prop_assert!(raw.findings.contains(&suppressed.finding));
            prop_assert!(yeses.contains(&suppressed.by) && holds(&suppressed.by, &suppressed.finding));
        }
        for finding in &seen.findings {
            prop_assert!(!yeses.iter().any(|yes| holds(yes, finding)));
        }
        prop_assert_eq!(counted(&raw, &digest(package), &[], rules, now), raw);
    }
}
