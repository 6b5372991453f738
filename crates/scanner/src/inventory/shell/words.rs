//! The words of one line of commands.

use std::iter::Peekable;
use std::str::Chars;

/// How deep commands may stand in the place of words. Beyond it they are not looked at.
const MAX_DEPTH: usize = 8;

/// A part of a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Part {
    /// A word, without its quotes.
    Word(String),
    /// Behind it, a command begins.
    Begin,
    /// Behind it, the name of a file that is written.
    Write,
    /// Behind it, a word that is no command and no file that is written.
    Skip,
}

/// Splits a line. Commands in the place of words come behind the line, as lines of their own.
pub(super) fn split(line: &str) -> Vec<Vec<Part>> {
    let mut lines = Vec::new();
    split_into(&mut lines, line, 0);
    lines
}

fn split_into(lines: &mut Vec<Vec<Part>>, line: &str, depth: usize) {
    if depth == MAX_DEPTH {
        return;
    }
    let mut reader =
        Reader { rest: line.chars().peekable(), word: None, parts: vec![], inner: vec![], open: 0 };
    reader.read();
    lines.push(reader.parts);
    for inner in reader.inner {
        split_into(lines, &inner, depth + 1);
    }
}

struct Reader<'a> {
    rest: Peekable<Chars<'a>>,
    word: Option<String>,
    parts: Vec<Part>,
    /// Commands in the place of words.
    inner: Vec<String>,
    /// How many parentheses are open.
    open: usize,
}

impl Reader<'_> {
    fn read(&mut self) {
        while let Some(c) = self.rest.next() {
            match c {
                '#' if self.word.is_none() => break,
                c if c.is_whitespace() => self.end_word(),
                '\'' => self.take_until('\''),
                '"' => self.quoted(),
                '`' => self.substituted('`'),
                '$' => self.dollar(),
                '\\' => {
                    let next = self.rest.next();
                    self.word().extend(next);
                }
                '>' => self.write(),
                '<' => self.input(),
                '(' if self.word.as_deref().is_some_and(|word| word.ends_with('=')) => {
                    // A list of values.
                    self.rest.by_ref().find(|c| *c == ')');
                }
                // A function is named where it is made; it is no program.
                '(' if self.rest.next_if_eq(&')').is_some() => self.word = None,
                '&' if self.rest.peek() == Some(&'>') => self.end_word(),
                '|' | '&' | ';' | '(' | ')' => {
                    match c {
                        '(' => self.open += 1,
                        // A label of `case`.
                        ')' if self.open == 0 => self.word = None,
                        ')' => self.open -= 1,
                        _ => {}
                    }
                    self.end_word();
                    self.parts.push(Part::Begin);
                }
                c => self.word().push(c),
            }
        }
        self.end_word();
    }

    fn word(&mut self) -> &mut String {
        self.word.get_or_insert_default()
    }

    fn end_word(&mut self) {
        self.parts.extend(self.word.take().map(Part::Word));
    }

    fn take_until(&mut self, end: char) {
        let text: String = self.rest.by_ref().take_while(|c| *c != end).collect();
        self.word().push_str(&text);
    }

    fn quoted(&mut self) {
        self.word();
        while let Some(c) = self.rest.next() {
            match c {
                '"' => return,
                '\\' => {
                    let next = self.rest.next();
                    self.word().extend(next);
                }
                '`' => self.substituted('`'),
                '$' => self.dollar(),
                c => self.word().push(c),
            }
        }
    }

    fn dollar(&mut self) {
        self.word().push('$');
        if self.rest.next_if_eq(&'{').is_some() {
            self.word().push('{');
            self.take_until('}');
            self.word().push('}');
        } else if self.rest.next_if_eq(&'(').is_some() {
            self.substituted(')');
        }
    }

    /// Puts what stands in the place of a word aside.
    fn substituted(&mut self, end: char) {
        let mut depth = 1;
        let mut text = String::new();
        for c in self.rest.by_ref() {
            match c {
                c if c == end => depth -= 1,
                '(' if end == ')' => depth += 1,
                _ => {}
            }
            if depth == 0 {
                break;
            }
            text.push(c);
        }
        self.word().push('$');
        self.inner.push(text);
    }

    fn write(&mut self) {
        self.end_number();
        self.rest.next_if(|c| *c == '>' || *c == '|');
        let copies = self.rest.next_if_eq(&'&').is_some();
        self.parts.push(if copies { Part::Skip } else { Part::Write });
    }

    fn input(&mut self) {
        self.end_number();
        if self.rest.peek() == Some(&'(') {
            return;
        }
        while self.rest.next_if(|c| matches!(c, '<' | '&' | '-')).is_some() {}
        self.parts.push(Part::Skip);
    }

    /// Ends the word before a redirection, which may be the number of a stream.
    fn end_number(&mut self) {
        if self.word.as_deref().is_some_and(|word| word.chars().all(|c| c.is_ascii_digit())) {
            self.word = None;
        }
        self.end_word();
    }
}
