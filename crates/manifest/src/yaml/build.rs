//! From the parser's events to a tree, or to the first thing that is refused.

use std::collections::HashMap;

use saphyr_parser::{Event, Marker, Parser, ScalarStyle, Span};

use super::{Entry, Error, ErrorKind, MAX_DEPTH, Node, Value};

/// Parses one document. An empty one is an empty plain scalar.
///
/// # Errors
/// The first thing that is refused, with its place.
pub fn parse(text: &str) -> Result<Node, Error> {
    check_lines(text)?;
    let mut builder = Builder::default();
    for event in Parser::new_from_str(text) {
        match event {
            Ok((event, span)) => builder.take(event, span)?,
            Err(error) => {
                return Err(refuse(ErrorKind::Syntax, *error.marker(), error.info().to_owned()));
            }
        }
    }
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
