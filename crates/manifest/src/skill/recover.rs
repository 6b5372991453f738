//! What people write, and mean, that is no YAML: values with `: ` or brackets and no quotes.
//!
//! Each key at the left margin, with the lines that belong to it, is a block. A block that does not
//! parse by itself, and whose value is plain text, is taken as that text. Everything else stays an
//! error.

use crate::Issue;
use crate::issue::Place;
use crate::rules::UNQUOTED_VALUE;
use crate::yaml::{self, Error, ErrorKind, Node};

/// Parses front matter; where it is no YAML, what was meant, with an issue for each value that had
/// to be taken as text.
pub(super) fn parse(yaml: &str, issues: &mut Vec<Issue>) -> Result<Node, Error> {
    let error = match yaml::parse(yaml) {
        Err(error) if error.kind == ErrorKind::Syntax => error,
        outcome => return outcome,
    };
    let Some((repaired, found)) = repair(yaml) else { return Err(error) };
    match yaml::parse(&repaired) {
        Ok(node) => {
            issues.extend(found);
            Ok(node)
        }
        // What else is wrong may be no matter of syntax at all, such as a key that is there twice.
        Err(other) if other.kind != ErrorKind::Syntax => Err(other),
        Err(_) => Err(error),
    }
}

/// Quotes the values that need it. None if there are none, or one cannot be told from a mistake.
fn repair(yaml: &str) -> Option<(String, Vec<Issue>)> {
    let mut out = String::with_capacity(yaml.len() + 64);
    let mut issues = Vec::new();
    for block in blocks(yaml) {
        match yaml::parse(&block.text) {
            Err(error) if error.kind == ErrorKind::Syntax => {
                let (key, value) = block.plain_value()?;
                let quoted = quoted(&value);
                out.push_str(&format!("{key}: {quoted}\n"));
                // Lines keep their numbers.
                out.extend(std::iter::repeat_n('\n', block.lines.saturating_sub(1)));
                let place = Place { line: block.start + error.line, column: error.column };
                let message = format!("the value of `{key}` must be quoted: {}", error.message);
                issues
                    .push(Issue::new(&UNQUOTED_VALUE, message, place).remedy(remedy(key, &quoted)));
            }
            _ => out.push_str(&block.text),
        }
    }
    (!issues.is_empty()).then_some((out, issues))
}

/// A line at the left margin with the lines below it that are indented or empty.
struct Block {
    text: String,
    /// How many lines come before it.
    start: u32,
    lines: usize,
}

fn blocks(yaml: &str) -> Vec<Block> {
    let mut blocks: Vec<Block> = Vec::new();
    for (start, line) in (0_u32..).zip(yaml.split_inclusive('\n')) {
        let continues = line.starts_with([' ', '\t']) || line.trim().is_empty();
        match blocks.last_mut() {
            Some(block) if continues => {
                block.text.push_str(line);
                block.lines += 1;
            }
            _ => blocks.push(Block { text: line.to_owned(), start, lines: 1 }),
        }
    }
    blocks
}

impl Block {
    /// Returns the key and the value taken as plain text, its lines folded as YAML folds them. None
    /// if it is something else: a nested mapping, a list, a block scalar, or a quoted text.
    fn plain_value(&self) -> Option<(&str, String)> {
        let (key, rest) = self.text.split_once(':')?;
        let is_key = |c: char| c.is_alphanumeric() || c == '-' || c == '_';
        if key.is_empty() || !key.chars().all(is_key) || !rest.starts_with(' ') {
            return None;
        }
        // Tabs as indentation are refused, not recovered.
        if rest.lines().skip(1).any(|line| line.trim_start_matches(' ').starts_with('\t')) {
            return None;
        }
        let mut lines = rest.lines().map(str::trim);
        let first = lines.next().filter(|first| !first.is_empty())?;
        if first.starts_with(['"', '\'', '|', '>', '&', '*', '!', '#']) {
            return None;
        }
        let mut value = first.to_owned();
        let mut empty = 0;
        for line in lines {
            if line.is_empty() {
                empty += 1;
                continue;
            }
            match empty {
                0 => value.push(' '),
                count => value.extend(std::iter::repeat_n('\n', count)),
            }
            value.push_str(line);
            empty = 0;
        }
        Some((key, value))
    }
}

/// Returns the text in double quotes.
fn quoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

/// The most characters of the quoted form that a remedy shows: a description has 1,024.
const SHOWN: usize = 160;

fn remedy(key: &str, quoted: &str) -> String {
    if quoted.chars().count() <= SHOWN {
        return format!("write `{key}: {quoted}`");
    }
    let start: String = quoted.chars().take(SHOWN - 2).collect();
    format!("write `{key}: {start}…\"`, the whole value in quotes")
}
