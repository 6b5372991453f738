//! The rules as documentation.

use crate::rules::Family;
use crate::{Mode, RuleSet};

/// Returns the built-in rules as Markdown, one table a family, for `docs/scanner.md`.
pub fn rules_markdown() -> String {
    let rules = RuleSet::builtin();
    let mut text = String::new();
    for family in Family::ALL {
        if !text.is_empty() {
            text.push('\n');
        }
        text.push_str(&format!("### `{family}/*`\n\n"));
        text.push_str("| rule | severity | fires on | what to do |\n|---|---|---|---|\n");
        for rule in rules.rules().filter(|rule| rule.family() == *family) {
            let (lenient, strict) = (rule.severity(Mode::Lenient), rule.severity(Mode::Strict));
            let severity = if lenient == strict {
                lenient.to_string()
            } else {
                format!("{lenient}; {strict} in strict mode")
            };
            let remedy = rule.remedy().unwrap_or_default();
            text.push_str(&format!(
                "| `{}` | {severity} | {} | {} |\n",
                rule.id(),
                cell(rule.meaning()),
                cell(remedy)
            ));
        }
    }
    text
}

/// A bar would end the cell, in code as well.
fn cell(text: &str) -> String {
    text.replace('|', "\\|")
}
