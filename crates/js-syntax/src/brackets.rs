//! How deep brackets are nested, counted before anything is parsed.
//!
//! This is a scan of tokens, not a parse. Comments, strings and regular expressions are stepped
//! over; where it takes one thing for another the count is off, and the limit on the tree, which
//! is exact, has the last word.
//!
//! `<` counts as a bracket, for `A<A<A<…` takes the parser a time that grows faster than its square.
//! Where it was a comparison, the end of the statement or of the brackets round it closes it.

/// Returns the offset of the first bracket that is nested deeper than `limit`.
pub(crate) fn deeper_than(limit: usize, text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    let mut open: Vec<u8> = Vec::new();
    let mut before = Before::Operator;
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        let start = at;
        at += 1;
        match byte {
            b'(' | b'[' | b'{' => {
                open.push(byte);
                if open.len() > limit {
                    return Some(start);
                }
                before = Before::Operator;
            }
            b'<' => {
                open.push(byte);
                if open.len() > limit {
                    return Some(start);
                }
                before = Before::Operator;
            }
            b'>' => {
                let arrow = start > 0 && bytes[start - 1] == b'=';
                if !arrow && open.last() == Some(&b'<') {
                    open.pop();
                }
                before = Before::Operator;
            }
            b';' => {
                close_comparisons(&mut open);
                before = Before::Operator;
            }
            b')' | b']' | b'}' => {
                let opener = close(&mut open, byte);
                let goes_on = byte == b'}' && opener == Some(TEMPLATE);
                if goes_on {
                    at = template(bytes, at, &mut open);
                }
                before = if byte == b'}' && !goes_on { Before::Operator } else { Before::Operand };
            }
            b'\'' | b'"' => {
                at = quoted(bytes, at, byte);
                before = Before::Operand;
            }
            b'`' => {
                at = template(bytes, at, &mut open);
                if open.len() > limit {
                    return Some(start);
                }
                before =
                    if open.last() == Some(&TEMPLATE) { Before::Operator } else { Before::Operand };
            }
            b'/' if bytes.get(at) == Some(&b'/') => at = line_end(bytes, at),
            b'/' if bytes.get(at) == Some(&b'*') => {
                at = find(bytes, at + 1, b"*/").map_or(bytes.len(), |end| end + 2);
            }
            b'/' if before == Before::Operator => {
                at = regex(bytes, at);
                before = Before::Operand;
            }
            byte if byte.is_ascii_whitespace() => {}
            byte if is_word(byte) => {
                while bytes.get(at).copied().is_some_and(is_word) {
                    at += 1;
                }
                let word = &bytes[start..at];
                if STATEMENT_WORDS.contains(&word) {
                    close_comparisons(&mut open);
                }
                before =
                    if OPERATOR_WORDS.contains(&word) { Before::Operator } else { Before::Operand };
            }
            _ => before = Before::Operator,
        }
    }
    None
}

/// What stands before a slash decides what it is: after an operand, a division.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Before {
    Operand,
    Operator,
}

/// Stands for `${` among the open brackets.
const TEMPLATE: u8 = b'$';

const OPERATOR_WORDS: &[&[u8]] = &[
    b"return", b"typeof", b"case", b"in", b"of", b"do", b"else", b"void", b"delete", b"await",
    b"yield",
];

/// Words that begin a statement, where no semicolon ended the one before.
const STATEMENT_WORDS: &[&[u8]] = &[
    b"const",
    b"let",
    b"var",
    b"return",
    b"if",
    b"for",
    b"while",
    b"do",
    b"switch",
    b"throw",
    b"try",
    b"function",
    b"class",
    b"export",
];

fn close_comparisons(open: &mut Vec<u8>) {
    while open.last() == Some(&b'<') {
        open.pop();
    }
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$') || byte >= 0x80
}

/// Closes the innermost bracket of that sort and all that were left open in it, and returns it.
fn close(open: &mut Vec<u8>, closer: u8) -> Option<u8> {
    let fits = |opener: u8| match closer {
        b')' => opener == b'(',
        b']' => opener == b'[',
        _ => opener == b'{' || opener == TEMPLATE,
    };
    let at = open.iter().rposition(|&opener| fits(opener))?;
    let opener = open[at];
    open.truncate(at);
    Some(opener)
}

/// Returns the end of a string that began before `at`; a line's end ends it too.
fn quoted(bytes: &[u8], mut at: usize, quote: u8) -> usize {
    while let Some(&byte) = bytes.get(at) {
        at += 1;
        match byte {
            b'\\' => at += 1,
            b'\n' => return at,
            byte if byte == quote => return at,
            _ => {}
        }
    }
    at.min(bytes.len())
}

/// Returns the end of a template's text, which is its last quote or the `${` that is opened.
fn template(bytes: &[u8], mut at: usize, open: &mut Vec<u8>) -> usize {
    while let Some(&byte) = bytes.get(at) {
        at += 1;
        match byte {
            b'\\' => at += 1,
            b'`' => return at,
            b'$' if bytes.get(at) == Some(&b'{') => {
                open.push(TEMPLATE);
                return at + 1;
            }
            _ => {}
        }
    }
    at.min(bytes.len())
}

/// Returns the end of a regular expression that began before `at`.
fn regex(bytes: &[u8], mut at: usize) -> usize {
    let mut in_class = false;
    while let Some(&byte) = bytes.get(at) {
        at += 1;
        match byte {
            b'\\' => at += 1,
            b'[' => in_class = true,
            b']' => in_class = false,
            b'/' if !in_class => return at,
            b'\n' => return at,
            _ => {}
        }
    }
    at.min(bytes.len())
}

fn line_end(bytes: &[u8], at: usize) -> usize {
    bytes[at..].iter().position(|&byte| byte == b'\n').map_or(bytes.len(), |length| at + length)
}

fn find(bytes: &[u8], from: usize, what: &[u8]) -> Option<usize> {
    let rest = bytes.get(from..)?;
    rest.windows(what.len()).position(|window| window == what).map(|at| from + at)
}
