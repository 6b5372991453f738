//! The one door by which YAML of others comes in.
//!
//! A document becomes a tree of [`Node`]s, each with its place. Scalars stay the text that was
//! written: `010`, `yes` and `2024-01-01` mean what their reader makes of them. What makes YAML
//! dangerous or ambiguous is refused: duplicate keys, anchors and aliases, tags, merge keys,
//! directives, a second document, tabs outside quotes, control characters (escaped ones too), and
//! deep nesting. How long a text may be is for the caller to say.
//!
//! ```
//! use kitbag_manifest::yaml::{self, Value};
//!
//! let node = yaml::parse("name: 010\ntags: [a, b]\n")?;
//! let Value::Mapping(entries) = &node.value else { panic!("a mapping") };
//! assert_eq!(entries[0].key, "name");
//! assert_eq!(entries[0].value.text(), Some("010"));
//! # Ok::<(), yaml::Error>(())
//! ```

mod build;
mod quoted;
mod tabs;

pub use build::parse;

/// The most levels of lists and mappings in each other. Real manifests have five; readers that
/// recurse over the tree are safe with this.
pub const MAX_DEPTH: usize = 64;

/// A value with its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Node {
    /// The value.
    pub value: Value,
    /// Its line, counted from 1.
    pub line: u32,
    /// Its column in characters, counted from 1.
    pub column: u32,
}

impl Node {
    /// Returns the text of a scalar, none for a list or a mapping.
    pub fn text(&self) -> Option<&str> {
        match &self.value {
            Value::Scalar { text, .. } => Some(text),
            Value::Sequence(_) | Value::Mapping(_) => None,
        }
    }
}

/// What a node holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value {
    /// Text as it was written, without its quotes and line folds.
    Scalar {
        /// The text; empty where nothing was written.
        text: String,
        /// Whether it stands without quotes and is no block, so that other readers may see a
        /// number, a truth value or nothing in it.
        plain: bool,
    },
    /// A list.
    Sequence(Vec<Node>),
    /// Keys with their values, in the order they are written; no key is there twice.
    Mapping(Vec<Entry>),
}

/// A key with its value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The key.
    pub key: String,
    /// The line of the key, counted from 1.
    pub line: u32,
    /// The column of the key in characters, counted from 1.
    pub column: u32,
    /// The value.
    pub value: Node,
}

/// What is wrong with a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErrorKind {
    /// It is not YAML.
    Syntax,
    /// A key is there twice.
    DuplicateKey,
    /// An anchor, alias, tag, merge key, directive, second document, or a key that is not text.
    Feature,
    /// There is a tab outside quotes, block texts and comments.
    Tab,
    /// A text holds a control character that is neither a line feed nor a tab.
    ControlCharacter,
    /// More than [`MAX_DEPTH`] levels.
    TooDeep,
}

/// A document was refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}, column {column}: {message}")]
pub struct Error {
    /// What sort of thing is wrong.
    pub kind: ErrorKind,
    /// What is wrong. May hold text of the document.
    pub message: String,
    /// Where: the line, counted from 1.
    pub line: u32,
    /// Where: the column in characters, counted from 1.
    pub column: u32,
}
