//! Text in quotes that goes on at the margin.
//!
//! YAML 1.2 wants the lines of a quoted text indented, and the parser insists. Older readers, the
//! reference validator's among them, take them from any column, and blanks at the start of such a
//! line mean nothing. So the lines are moved to the right, and places back to the left.

use std::collections::BTreeMap;

use super::{Entry, Error, Node, Value};

/// The most texts of a document that are moved: each costs a parse.
const MOST_MOVED: usize = 16;

/// The most columns that a line is moved by, so that a document cannot grow without bound.
const MOST_COLUMNS: usize = 64;

/// A document with some of its lines moved.
#[derive(Default)]
pub(super) struct Moved {
    texts: usize,
    /// By how many columns, for each line.
    lines: BTreeMap<u32, u32>,
}

impl Moved {
    /// Moves the lines of the text whose opening quote is at a line and a column. None if there is
    /// no such text, or it was moved before.
    pub(super) fn shift(&mut self, document: &str, line: u32, column: u32) -> Option<String> {
        let start = offset(document, line, column)?;
        let length = length(&document[start..])?;
        let columns = usize::try_from(column).ok()?.min(MOST_COLUMNS);
        self.texts += 1;
        if self.texts > MOST_MOVED || self.lines.contains_key(&(line + 1)) {
            return None;
        }
        let (before, rest) = document.split_at(start);
        let (text, after) = rest.split_at(length);
        let mut out = before.to_owned();
        for (place, content) in (line..).zip(text.split_inclusive('\n')) {
            if place > line {
                out.extend(std::iter::repeat_n(' ', columns));
                self.lines.insert(place, u32::try_from(columns).ok()?);
            }
            out.push_str(content);
        }
        out.push_str(after);
        Some(out)
    }

    /// Moves a place back to where it is in the document as it was written.
    pub(super) fn restore_error(&self, mut error: Error) -> Error {
        self.restore(error.line, &mut error.column);
        error
    }

    /// Moves the places of a tree back.
    pub(super) fn restore_node(&self, node: &mut Node) {
        if self.lines.is_empty() {
            return;
        }
        self.restore(node.line, &mut node.column);
        match &mut node.value {
            Value::Scalar { .. } => {}
            Value::Sequence(items) => items.iter_mut().for_each(|item| self.restore_node(item)),
            Value::Mapping(entries) => {
                for Entry { line, column, value, .. } in entries {
                    self.restore(*line, column);
                    self.restore_node(value);
                }
            }
        }
    }

    fn restore(&self, line: u32, column: &mut u32) {
        let columns = self.lines.get(&line).copied().unwrap_or_default();
        *column = column.saturating_sub(columns).max(1);
    }
}

/// Returns how long the text in quotes is in bytes, both quotes included. None if it does not begin
/// with a quote, or never ends.
pub(super) fn length(text: &str) -> Option<usize> {
    let mut chars = text.char_indices();
    let (_, quote) = chars.next().filter(|(_, c)| matches!(c, '"' | '\''))?;
    while let Some((at, c)) = chars.next() {
        if c == '\\' && quote == '"' {
            chars.next();
        } else if c == quote {
            if quote == '\'' && text[at + 1..].starts_with('\'') {
                chars.next();
            } else {
                return Some(at + 1);
            }
        }
    }
    None
}

/// Returns where a line and a column, both counted from 1, are in bytes.
fn offset(document: &str, line: u32, column: u32) -> Option<usize> {
    let line = usize::try_from(line).ok()?.checked_sub(1)?;
    let start: usize = document.split_inclusive('\n').take(line).map(str::len).sum();
    let (column, _) =
        document[start..].char_indices().nth(usize::try_from(column).ok()?.checked_sub(1)?)?;
    Some(start + column)
}
