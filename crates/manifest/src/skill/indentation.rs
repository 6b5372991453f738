//! Mappings side by side that are indented by different amounts. YAML allows it, and the reference
//! validator does not.

use crate::Issue;
use crate::issue::Place;
use crate::rules::UNEVEN_INDENTATION;
use crate::yaml::{Entry, Node, Value};

/// Tells of each mapping that is not indented like the first one beside it.
pub(super) fn check(entries: &[Entry], issues: &mut Vec<Issue>) {
    let mut columns = entries.iter().filter(|entry| is_block(&entry.value));
    if let Some(first) = columns.next().map(|entry| &entry.value) {
        for Entry { key, value, .. } in columns.filter(|entry| entry.value.column != first.column) {
            let message = format!(
                "the mapping under `{key}` begins in column {}, and the one on line {} in column {}",
                value.column, first.line, first.column
            );
            let place = Place { line: value.line, column: value.column };
            let issue = Issue::new(&UNEVEN_INDENTATION, message, place);
            issues.push(issue.remedy("indent both by the same amount"));
        }
    }
    entries.iter().for_each(|entry| check_node(&entry.value, issues));
}

fn check_node(node: &Node, issues: &mut Vec<Issue>) {
    match &node.value {
        Value::Scalar { .. } => {}
        Value::Sequence(items) => items.iter().for_each(|item| check_node(item, issues)),
        Value::Mapping(entries) => check(entries, issues),
    }
}

/// Tells whether a value is a mapping without braces: it begins where its first key does.
fn is_block(node: &Node) -> bool {
    let Value::Mapping(entries) = &node.value else { return false };
    entries.first().is_some_and(|first| (first.line, first.column) == (node.line, node.column))
}
