//! What a rule of the scanner is.

use kitbag_scanner::{Mode, RuleInfo, RuleSet};
use kitbag_types::{Code, RuleExplanation, printable};

use crate::{LifecycleError, Refusal};

/// How many names are offered for one that is not known.
const MAX_OFFERED: usize = 3;

/// The longest name that others are compared with: no rule has one half as long.
const MAX_ASKED: usize = 128;

/// Returns what a rule fires on, what it weighs and what to do about it.
///
/// # Errors
/// `rule/unknown` if there is no such rule; the hint has the nearest names.
pub fn explain(rules: &RuleSet, id: &str) -> Result<RuleExplanation, LifecycleError> {
    match rules.get(id) {
        Some(rule) => Ok(explanation(rule)),
        None => Err(unknown(rules, id).into()),
    }
}

fn explanation(rule: &RuleInfo) -> RuleExplanation {
    RuleExplanation {
        ok: true,
        rule: rule.id().to_owned(),
        family: rule.family().to_string(),
        layer: rule.layer().as_str().to_owned(),
        severity: rule.severity(Mode::Lenient),
        strict_severity: rule.severity(Mode::Strict),
        meaning: rule.meaning().to_owned(),
        remedy: rule.remedy().map(str::to_owned),
        fires_on: rule.fires_on().to_vec(),
        silent_on: rule.silent_on().to_vec(),
    }
}

fn unknown(rules: &RuleSet, id: &str) -> Refusal {
    let refusal = Refusal::new(Code::RuleUnknown, format!("there is no rule `{}`", printable(id)));
    // What could not be scanned is reported by the code of its error, in the place of a rule.
    if let Some(code) = Code::ALL.iter().find(|code| code.as_str() == id) {
        return refusal.hint(format!("it is the code of an error: {}", code.meaning()));
    }
    let near = nearest(rules, id);
    if near.is_empty() {
        return refusal;
    }
    let names: Vec<String> = near.iter().map(|id| format!("`{id}`")).collect();
    refusal.hint(format!("did you mean {}?", names.join(", ")))
}

/// Returns the names that are most like one, the nearest first: a slip or two apart, or the same
/// word in another family.
fn nearest<'r>(rules: &'r RuleSet, asked: &str) -> Vec<&'r str> {
    let asked = asked.trim().to_lowercase();
    if asked.len() < 3 || asked.len() > MAX_ASKED {
        return Vec::new();
    }
    let word = |id: &str| id.split_once('/').map_or(id, |(_, word)| word).to_owned();
    let asked_word = word(&asked);
    let slips = |id: &str| {
        if word(id) == asked_word {
            return Some(0);
        }
        let slips = strsim::osa_distance(id, &asked).min(strsim::osa_distance(&word(id), &asked));
        // A third of the letters wrong is another word, unless it is a part of this one.
        if slips * 3 <= asked.chars().count() {
            return Some(slips);
        }
        id.contains(&asked).then_some(asked.len())
    };
    let mut near: Vec<(usize, &str)> =
        rules.rules().filter_map(|rule| slips(rule.id()).map(|slips| (slips, rule.id()))).collect();
    near.sort_unstable();
    near.into_iter().take(MAX_OFFERED).map(|(_, id)| id).collect()
}

#[cfg(test)]
mod tests {
    use kitbag_scanner::RuleSet;
    use kitbag_types::{Code, Coded as _, Severity};

    use super::{MAX_ASKED, MAX_OFFERED, explain, nearest};

    #[test]
    fn a_rule_is_explained_with_its_examples() {
        let rules = RuleSet::builtin();
        let told = explain(&rules, "code/download-and-run").expect("the rule is there");
        assert_eq!((told.family.as_str(), told.layer.as_str()), ("code", "indicator"));
        assert!(!told.fires_on.is_empty() && told.silent_on.len() >= 2);
        let told = explain(&rules, "manifest/unknown-key").expect("the rule is there");
        assert_eq!((told.severity, told.strict_severity), (Severity::Low, Severity::High));
        assert!(told.fires_on.is_empty());
    }

    #[test]
    fn an_unknown_rule_is_answered_with_the_nearest_names() {
        let rules = RuleSet::builtin();
        let check = |asked: &str, first: &str| assert_eq!(nearest(&rules, asked)[0], first);
        check("text/bidi-contrl", "text/bidi-control");
        check("bidi-control", "text/bidi-control");
        check("TEXT/BIDI-CONTROL", "text/bidi-control");
        check("content/bidi-control", "text/bidi-control");
        check("github", "secret/github-token");
        assert!(nearest(&rules, "secret/").len() <= MAX_OFFERED);
        assert!(nearest(&rules, "nothing/of-the-kind").is_empty());
        assert!(nearest(&rules, "").is_empty());
        let error = explain(&rules, "text/bidi-contrl").expect_err("no such rule");
        assert_eq!(error.code(), Code::RuleUnknown);
        assert!(error.hint().expect("a hint").contains("`text/bidi-control`"));
        let error = explain(&rules, "kind/not-built").expect_err("no rule, but a code");
        assert!(error.hint().expect("a hint").contains("code of an error"));
    }

    #[test]
    fn names_are_compared_up_to_the_limit() {
        let rules = RuleSet::builtin();
        let long = |length: usize| format!("{}/bom", "a".repeat(length - "/bom".len()));
        assert_eq!(nearest(&rules, &long(MAX_ASKED)), ["text/bom"]);
        assert!(nearest(&rules, &long(MAX_ASKED + 1)).is_empty());
    }
}
