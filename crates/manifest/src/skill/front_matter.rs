//! From bytes to the mapping of the front matter.

use crate::Issue;
use crate::issue::{Place, Rule};
use crate::rules::{
    BYTE_ORDER_MARK, CONTROL_CHARACTER, CRLF, FRONT_MATTER_MISSING, FRONT_MATTER_OPEN,
    FRONT_MATTER_TOO_LARGE, NOT_A_MAPPING, NOT_UTF8, YAML_DUPLICATE_KEY, YAML_FEATURE, YAML_SYNTAX,
    YAML_TAB, YAML_TOO_DEEP,
};
use crate::skill::{MAX_FRONT_MATTER_BYTES, recover};
use crate::yaml::{Entry, Error, ErrorKind, Value};

const MARK: &str = "\u{feff}";

/// The front matter of a file.
pub(super) struct FrontMatter {
    /// Its keys and values, with places in the file.
    pub(super) entries: Vec<Entry>,
    /// Where the body begins, in bytes of the file.
    pub(super) body_offset: usize,
}

/// Reads the front matter. None if that cannot be done; then an issue is fatal.
pub(super) fn read(bytes: &[u8], issues: &mut Vec<Issue>) -> Option<FrontMatter> {
    let text = match (std::str::from_utf8(bytes), nul_of_utf16(bytes)) {
        (Ok(text), None) => text,
        (Ok(_), Some(at)) => {
            issues.push(not_utf8(bytes, at));
            return None;
        }
        (Err(error), _) => {
            issues.push(not_utf8(bytes, error.valid_up_to()));
            return None;
        }
    };
    let (mark, content) = match text.strip_prefix(MARK) {
        Some(content) => (MARK.len(), content),
        None => (0, text),
    };
    if mark > 0 {
        let message = "the file begins with a byte-order mark (U+FEFF)";
        let issue = Issue::new(&BYTE_ORDER_MARK, message, Place::START);
        issues.push(
            issue.remedy("save it as UTF-8 without one: many programs then miss the front matter"),
        );
    }
    let (start, end, body) = match bounds(content) {
        Ok(bounds) => bounds,
        Err(issue) => {
            issues.push(issue);
            return None;
        }
    };
    // With the line feed of the opening line in front, lines are those of the file.
    let yaml = &content[start - 1..end];
    if let Err(issue) = check(yaml) {
        issues.push(issue);
        return None;
    }
    if content[..body].contains("\r\n") {
        let message = "lines end with a carriage return; values are read without it";
        issues.push(Issue::new(&CRLF, message, Place::START));
    }
    match recover::parse(yaml, issues) {
        Ok(node) => match node.value {
            Value::Mapping(entries) => Some(FrontMatter { entries, body_offset: mark + body }),
            Value::Scalar { .. } | Value::Sequence(_) => {
                let place = Place { line: node.line.max(2), column: node.column };
                let message = "the front matter is not a list of `key: value`";
                issues.push(Issue::new(&NOT_A_MAPPING, message, place));
                None
            }
        },
        Err(error) => {
            issues.push(of_yaml(error));
            None
        }
    }
}

/// Returns where the front matter starts (after a line feed) and ends, and where the body starts.
/// Only a line that is exactly `---`, but for blanks at its end, opens or closes.
fn bounds(content: &str) -> Result<(usize, usize, usize), Issue> {
    let is_fence = |line: &str| line.trim_end_matches([' ', '\t', '\r', '\n']) == "---";
    let first = content.split_inclusive('\n').next().unwrap_or_default();
    if !is_fence(first) {
        let issue =
            Issue::new(&FRONT_MATTER_MISSING, "the file does not begin with `---`", Place::START);
        return Err(issue
            .remedy("begin it with `---`, `name`, `description` and `---`, each on its own line"));
    }
    let mut offset = first.len();
    for line in content[offset..].split_inclusive('\n') {
        if is_fence(line) {
            return Ok((first.len(), offset, offset + line.len()));
        }
        offset += line.len();
        if offset - first.len() > MAX_FRONT_MATTER_BYTES {
            break;
        }
    }
    if offset - first.len() > MAX_FRONT_MATTER_BYTES {
        let message = format!("the front matter has more than {MAX_FRONT_MATTER_BYTES} bytes");
        let issue = Issue::new(&FRONT_MATTER_TOO_LARGE, message, Place::START);
        return Err(issue.remedy("move text into the body, or close the front matter with `---`"));
    }
    let issue =
        Issue::new(&FRONT_MATTER_OPEN, "no line `---` closes the front matter", Place::START);
    Err(issue.remedy("close it with a line that is exactly `---`"))
}

/// Refuses control characters but for tabs and line ends: no YAML holds them.
fn check(yaml: &str) -> Result<(), Issue> {
    for (line, content) in (1_u32..).zip(yaml.split('\n')) {
        let content = content.strip_suffix('\r').unwrap_or(content);
        for (column, c) in (1_u32..).zip(content.chars()) {
            if c.is_control() && c != '\t' {
                let message = format!("the control character U+{:04X}", u32::from(c));
                let issue = Issue::new(&CONTROL_CHARACTER, message, Place { line, column });
                return Err(issue.remedy("remove it"));
            }
        }
    }
    Ok(())
}

/// Finds the first NUL of a file that begins with `--` in UTF-16 without a byte-order mark: such
/// bytes happen to be UTF-8.
fn nul_of_utf16(bytes: &[u8]) -> Option<usize> {
    match bytes {
        [b'-', 0, b'-', 0, ..] => Some(1),
        [0, b'-', 0, b'-', ..] => Some(0),
        _ => None,
    }
}

fn not_utf8(bytes: &[u8], at: usize) -> Issue {
    let guess = match bytes {
        [0xff, 0xfe, ..] | [b'-', 0, ..] => " (looks like UTF-16 LE)",
        [0xfe, 0xff, ..] | [0, b'-', ..] => " (looks like UTF-16 BE)",
        _ => "",
    };
    let line = bytes[..at].iter().filter(|&&byte| byte == b'\n').count() + 1;
    let start =
        bytes[..at].iter().rposition(|&byte| byte == b'\n').map_or(0, |newline| newline + 1);
    let column = String::from_utf8_lossy(&bytes[start..at]).chars().count() + 1;
    let number = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
    let place = Place { line: number(line), column: number(column) };
    let message = format!("the file is not UTF-8{guess}: byte {at} is 0x{:02X}", bytes[at]);
    Issue::new(&NOT_UTF8, message, place).remedy("save it as UTF-8")
}

fn of_yaml(error: Error) -> Issue {
    let (rule, remedy): (&'static Rule, &str) = match error.kind {
        ErrorKind::Syntax => (&YAML_SYNTAX, "put the value in quotes, or check the indentation"),
        ErrorKind::DuplicateKey => (&YAML_DUPLICATE_KEY, "keep one of them"),
        ErrorKind::Feature => {
            (&YAML_FEATURE, "write the value out; put it in quotes if it is text")
        }
        ErrorKind::Tab => (&YAML_TAB, "write spaces instead"),
        ErrorKind::ControlCharacter => (&CONTROL_CHARACTER, "remove it"),
        ErrorKind::TooDeep => (&YAML_TOO_DEEP, "nest less"),
    };
    let place = Place { line: error.line, column: error.column };
    Issue::new(rule, error.message, place).remedy(remedy)
}
