//! From the parser's events to a tree, or to the first thing that is refused.

use std::borrow::Cow;
use std::collections::HashMap;

use saphyr_parser::{Event, Marker, Parser, ScalarStyle, ScanError, Span};

use super::quoted::Moved;
use super::tabs::{self, Text};
use super::{Entry, Error, ErrorKind, MAX_DEPTH, Node, Value};

/// Parses one document. An empty one is an empty plain scalar.
///
/// # Errors
/// The first thing that is refused, with its place.
pub fn parse(text: &str) -> Result<Node, Error> {
    check_lines(text)?;
    let mut moved = Moved::default();
    let mut text = Cow::Borrowed(text);
    loop {
        match build(&text) {
            Ok(mut node) => {
                moved.restore_node(&mut node);
                return Ok(node);
            }
            Err(Stop::Refused(error)) => return Err(moved.restore_error(error)),
            Err(Stop::Outdented(error)) => match moved.shift(&text, error.line, error.column) {
                Some(shifted) => text = Cow::Owned(shifted),
                None => return Err(moved.restore_error(error)),
            },
        }
    }
}

/// Why a document was not built.
enum Stop {
    Refused(Error),
    /// A text in quotes, where the error is, goes on too far to the left.
    Outdented(Error),
}

impl From<Error> for Stop {
    fn from(error: Error) -> Self {
        Self::Refused(error)
    }
}

impl From<&ScanError> for Stop {
    /// Says what the parser stopped at. It has no other sign of that than its words.
    fn from(error: &ScanError) -> Self {
        let at = *error.marker();
        match error.info() {
            // An anchor is refused where it stands, so to the parser no alias has one.
            "while parsing node, found unknown anchor" => {
                Self::Refused(refuse(ErrorKind::Feature, at, "an alias is not allowed".to_owned()))
            }
            words @ "invalid indentation in quoted scalar" => {
                Self::Outdented(refuse(ErrorKind::Syntax, at, words.to_owned()))
            }
            // Flow style nests inside the parser, which has a limit of its own.
            "recursion limit exceeded" => {
                let message = format!("values are nested more than {MAX_DEPTH} deep");
                Self::Refused(refuse(ErrorKind::TooDeep, at, message))
            }
            words => Self::Refused(refuse(ErrorKind::Syntax, at, words.to_owned())),
        }
    }
}

fn build(text: &str) -> Result<Node, Stop> {
    let mut builder = Builder::default();
    let mut texts = Vec::new();
    for event in Parser::new_from_str(text) {
        let (event, span) = event.map_err(|error| Stop::from(&error))?;
        if let Event::Scalar(_, style, ..) = &event {
            let start = span.start.index();
            match style {
                ScalarStyle::Plain => {}
                ScalarStyle::SingleQuoted | ScalarStyle::DoubleQuoted => {
                    texts.push(Text { start, end: None });
                }
                ScalarStyle::Literal | ScalarStyle::Folded => {
                    texts.push(Text { start, end: Some(span.end.index()) });
                }
            }
        }
        builder.take(event, span)?;
    }
    tabs::check(text, &texts)?;
    Ok(builder.root.unwrap_or(Node {
        value: Value::Scalar { text: String::new(), plain: true },
        line: 1,
        column: 1,
    }))
}

/// Refuses what the parser would let pass or call by another name.
fn check_lines(text: &str) -> Result<(), Error> {
    for (line, content) in (1_u32..).zip(text.lines()) {
        let error =
            |kind, message: &str| Error { kind, message: message.to_owned(), line, column: 1 };
        if content.starts_with('\t') && !content.trim().is_empty() {
            return Err(error(ErrorKind::Tab, "the line is indented with a tab"));
        }
        if content.starts_with('%') {
            return Err(error(ErrorKind::Feature, "a directive is not allowed"));
        }
        if content.starts_with('\u{feff}') {
            return Err(error(ErrorKind::Syntax, "a byte-order mark is not allowed here"));
        }
    }
    Ok(())
}

#[derive(Default)]
struct Builder {
    root: Option<Node>,
    documents: usize,
    open: Vec<Frame>,
}

/// A list or mapping that is not closed yet.
enum Frame {
    Sequence {
        items: Vec<Node>,
        start: Marker,
    },
    Mapping {
        entries: Vec<Entry>,
        seen: HashMap<String, u32>,
        key: Option<(String, Marker)>,
        start: Marker,
    },
}

impl Builder {
    fn take(&mut self, event: Event<'_>, span: Span) -> Result<(), Error> {
        let feature = |what: &str| {
            Err(refuse(ErrorKind::Feature, span.start, format!("{what} is not allowed")))
        };
        let (anchor, tag) = match &event {
            Event::Scalar(_, _, anchor, tag)
            | Event::SequenceStart(anchor, tag)
            | Event::MappingStart(anchor, tag) => (*anchor, tag.is_some()),
            Event::Alias(_) => return feature("an alias"),
            _ => (0, false),
        };
        if anchor != 0 {
            return feature("an anchor");
        }
        if tag {
            return feature("a tag");
        }
        match event {
            Event::DocumentStart(_) => {
                self.documents += 1;
                if self.documents > 1 {
                    return feature("a second document");
                }
            }
            Event::Scalar(text, style, ..) => {
                let plain = style == ScalarStyle::Plain;
                self.scalar(text.into_owned(), plain, span.start)?;
            }
            Event::SequenceStart(..) => {
                self.open(Frame::Sequence { items: Vec::new(), start: span.start }, span.start)?;
            }
            Event::MappingStart(..) => {
                let frame = Frame::Mapping {
                    entries: Vec::new(),
                    seen: HashMap::new(),
                    key: None,
                    start: span.start,
                };
                self.open(frame, span.start)?;
            }
            Event::SequenceEnd | Event::MappingEnd => self.close(),
            Event::Nothing
            | Event::StreamStart
            | Event::StreamEnd
            | Event::DocumentEnd
            | Event::Alias(_) => {}
        }
        Ok(())
    }

    fn scalar(&mut self, text: String, plain: bool, at: Marker) -> Result<(), Error> {
        // Double quotes have escapes for what may not be written as it is.
        if let Some(c) = text.chars().find(|c| c.is_control() && !matches!(c, '\n' | '\t')) {
            let message = format!("the control character U+{:04X}", u32::from(c));
            return Err(refuse(ErrorKind::ControlCharacter, at, message));
        }
        if let Some(Frame::Mapping { key: key @ None, seen, .. }) = self.open.last_mut() {
            if plain && text == "<<" {
                return Err(refuse(
                    ErrorKind::Feature,
                    at,
                    "a merge key is not allowed".to_owned(),
                ));
            }
            if let Some(first) = seen.insert(text.clone(), line(at)) {
                let message = format!("the key `{text}` is there twice, first on line {first}");
                return Err(refuse(ErrorKind::DuplicateKey, at, message));
            }
            *key = Some((text, at));
            return Ok(());
        }
        self.put(node(Value::Scalar { text, plain }, at));
        Ok(())
    }

    fn open(&mut self, frame: Frame, at: Marker) -> Result<(), Error> {
        if let Some(Frame::Mapping { key: None, .. }) = self.open.last() {
            let message = "a list or a mapping as a key is not allowed".to_owned();
            return Err(refuse(ErrorKind::Feature, at, message));
        }
        if self.open.len() == MAX_DEPTH {
            let message = format!("values are nested more than {MAX_DEPTH} deep");
            return Err(refuse(ErrorKind::TooDeep, at, message));
        }
        self.open.push(frame);
        Ok(())
    }

    fn close(&mut self) {
        let node = match self.open.pop() {
            Some(Frame::Sequence { items, start }) => node(Value::Sequence(items), start),
            Some(Frame::Mapping { entries, start, .. }) => node(Value::Mapping(entries), start),
            None => return,
        };
        self.put(node);
    }

    /// Puts a whole value where it belongs.
    fn put(&mut self, node: Node) {
        match self.open.last_mut() {
            None => self.root = Some(node),
            Some(Frame::Sequence { items, .. }) => items.push(node),
            Some(Frame::Mapping { entries, key, .. }) => {
                if let Some((key, at)) = key.take() {
                    let (line, column) = (line(at), column(at));
                    entries.push(Entry { key, line, column, value: node });
                }
            }
        }
    }
}

fn node(value: Value, at: Marker) -> Node {
    Node { value, line: line(at), column: column(at) }
}

fn refuse(kind: ErrorKind, at: Marker, message: String) -> Error {
    Error { kind, message, line: line(at), column: column(at) }
}

fn line(at: Marker) -> u32 {
    u32::try_from(at.line()).unwrap_or(u32::MAX).max(1)
}

fn column(at: Marker) -> u32 {
    u32::try_from(at.col()).unwrap_or(u32::MAX).saturating_add(1)
}
