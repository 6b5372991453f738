//! Each file of fixtures/js-shape is a case, whose first comment says how it is judged and why.

use std::collections::BTreeSet;

use kitbag_js_syntax::{Class, RULES};

use crate::support::{fixtures, folder, show};

#[test]
fn every_module_is_judged_as_its_first_line_says() {
    let mut wrong = Vec::new();
    for fixture in fixtures() {
        let shape = fixture.check();
        let said = if fixture.accepted { &shape.warnings } else { &shape.problems };
        let codes: BTreeSet<&str> = said.iter().map(|problem| problem.code).collect();
        let expected: BTreeSet<&str> = fixture.codes.iter().map(String::as_str).collect();
        if shape.is_accepted() != fixture.accepted || codes != expected {
            wrong.push(format!("{} should have {expected:?}:\n{}", fixture.name, show(&shape)));
        }
    }
    assert!(wrong.is_empty(), "{} cases:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn every_line_that_is_told_is_as_it_was() {
    let lines: String = fixtures()
        .iter()
        .map(|fixture| format!("{}\n{}", fixture.name, show(&fixture.check())))
        .collect();
    insta::with_settings!({
        snapshot_path => folder(),
        prepend_module_to_snapshot => false,
        omit_expression => true,
    }, {
        insta::assert_snapshot!("lines", lines);
    });
}

#[test]
fn an_accepted_module_exports_something_and_a_refused_one_says_why() {
    for fixture in fixtures() {
        let shape = fixture.check();
        if shape.is_accepted() {
            assert!(!shape.exports.is_empty(), "{}", fixture.name);
        }
        for problem in shape.problems.iter().chain(&shape.warnings) {
            assert!(!problem.remedy.contains("FACTORY"), "{}: {}", fixture.name, problem.remedy);
        }
    }
}

/// What no fixture can show: a module of more than 1 MiB, and a parser that breaks.
const WITHOUT_FIXTURE: &[&str] = &["shape/not-checked", "shape/too-large"];

#[test]
fn every_rule_has_a_fixture_that_breaks_it() {
    let mut shown: BTreeSet<&str> = BTreeSet::new();
    for fixture in fixtures() {
        let shape = fixture.check();
        for (problems, class) in
            [(shape.problems, Class::Refused), (shape.warnings, Class::Warning)]
        {
            for problem in problems {
                let rule =
                    RULES.iter().find(|rule| rule.code == problem.code).expect("it is a rule");
                assert_eq!(rule.class, class, "{}", rule.code);
                shown.insert(rule.code);
            }
        }
    }
    let missing: Vec<&str> =
        RULES.iter().map(|rule| rule.code).filter(|code| !shown.contains(code)).collect();
    assert_eq!(missing, WITHOUT_FIXTURE);
}
