//! What is wrong with a manifest, and how much that matters.

/// How much an issue matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Class {
    /// Accepted by the specification, and still worth saying.
    Warning,
    /// Breaks the specification; what was meant can be used all the same.
    Strict,
    /// Nothing can be used.
    Fatal,
}

impl Class {
    /// Returns the word.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Warning => "warning",
            Self::Strict => "strict",
            Self::Fatal => "fatal",
        }
    }
}

/// One thing that is wrong with a manifest.
///
/// `message` and `remedy` may hold text of the manifest: show them through
/// [`printable`](kitbag_types::printable).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Issue {
    /// Which rule it breaks, one of [`RULES`](crate::RULES).
    pub rule: &'static str,
    /// The class of that rule.
    pub class: Class,
    /// What is wrong, a lower-case fragment.
    pub message: String,
    /// The line in the file, counted from 1.
    pub line: Option<u32>,
    /// The column in characters, counted from 1.
    pub column: Option<u32>,
    /// What to do about it.
    pub remedy: Option<String>,
}

impl Issue {
    pub(crate) fn new(rule: &'static Rule, message: impl Into<String>, place: Place) -> Self {
        Self {
            rule: rule.id,
            class: rule.class,
            message: message.into(),
            line: Some(place.line),
            column: Some(place.column),
            remedy: None,
        }
    }

    pub(crate) fn remedy(mut self, remedy: impl Into<String>) -> Self {
        self.remedy = Some(remedy.into());
        self
    }
}

/// Where something stands: line and column in characters, both counted from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Place {
    pub(crate) line: u32,
    pub(crate) column: u32,
}

impl Place {
    /// The start of the file.
    pub(crate) const START: Self = Self { line: 1, column: 1 };
}

/// One rule for manifests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rule {
    /// Its name, `manifest/…`.
    pub id: &'static str,
    /// How much it matters that it is broken.
    pub class: Class,
    /// What it says when it is broken.
    pub meaning: &'static str,
}
