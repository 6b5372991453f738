//! `kitbag scan --explain`

use std::fmt::Write as _;

use kitbag_lifecycle::{LifecycleError, explain};
use kitbag_scanner::RuleSet;
use kitbag_types::{RuleExplanation, printable};

use crate::exit::{DONE, Exit};
use crate::output::Output;

/// The rules are those that judge in this root: its own are among them.
pub(super) fn run(rules: &RuleSet, rule: &str, output: &Output) -> Result<Exit, LifecycleError> {
    let explanation = explain(rules, rule)?;
    output.result(&explanation, || show(&explanation));
    Ok(DONE)
}

fn show(rule: &RuleExplanation) -> String {
    let mut out = String::new();
    let mut row = |name: &str, value: &str| {
        writeln!(out, "{name:<13} {}", printable(value)).expect("writing to a string cannot fail");
    };
    row("rule", &rule.rule);
    row("family", &rule.family);
    row("layer", &rule.layer);
    row("severity", rule.severity.as_str());
    if rule.strict_severity != rule.severity {
        row("  validate", rule.strict_severity.as_str());
    }
    row("fires on", &rule.meaning);
    if let Some(remedy) = &rule.remedy {
        row("what to do", remedy);
    }
    examples(&mut out, "for example", &rule.fires_on);
    examples(&mut out, "but not on", &rule.silent_on);
    out
}

/// An example may have several lines: each is told from the next by what stands in front of it.
fn examples(out: &mut String, head: &str, texts: &[String]) {
    for (index, text) in texts.iter().enumerate() {
        for (number, line) in text.lines().enumerate() {
            let head = if index == 0 && number == 0 { head } else { "" };
            let mark = if number == 0 { '-' } else { ' ' };
            writeln!(out, "{head:<13} {mark} {}", printable(line))
                .expect("writing to a string cannot fail");
        }
    }
}
