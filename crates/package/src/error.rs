//! What a package may not hold, and what can go wrong while it is read.

use std::fmt;
use std::io;

use kitbag_types::{Code, Coded, printable};

/// One thing that is wrong with a package.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// Which rule.
    pub code: Code,
    /// The path it is about: inside the package, or of the package itself. Untrusted text.
    pub path: String,
    /// What else there is to say, e.g. a link's target; empty where the code says it all.
    pub detail: String,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}`: {}", printable(&self.path), self.code.meaning())?;
        if self.detail.is_empty() {
            return Ok(());
        }
        write!(f, " ({})", printable(&self.detail))
    }
}

/// A folder that is not a package, or cannot be read as one.
///
/// One walk collects several problems, so that a person sees all of them at once.
#[derive(Debug)]
pub struct PackageError {
    problems: Vec<Problem>,
    source: Option<io::Error>,
}

impl PackageError {
    /// How many problems one walk collects: more than a person fixes in one go.
    pub const MAX_PROBLEMS: usize = 20;

    /// Makes an error of problems, of which there is at least one.
    pub(crate) fn refused(problems: Vec<Problem>) -> Self {
        debug_assert!(!problems.is_empty(), "an error says what is wrong");
        Self { problems, source: None }
    }

    pub(crate) fn one(code: Code, path: impl Into<String>, detail: impl Into<String>) -> Self {
        Self::refused(vec![Problem { code, path: path.into(), detail: detail.into() }])
    }

    pub(crate) fn io(code: Code, path: impl Into<String>, source: impl Into<io::Error>) -> Self {
        Self { source: Some(source.into()), ..Self::one(code, path, "") }
    }

    /// Returns what is wrong, in the order it was met.
    pub fn problems(&self) -> &[Problem] {
        &self.problems
    }
}

impl fmt::Display for PackageError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.problems.as_slice() {
            [] => f.write_str("the package cannot be read"),
            [one] => one.fmt(f),
            [first, more @ ..] => write!(f, "{first}, and {} more problems", more.len()),
        }
    }
}

impl std::error::Error for PackageError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.source.as_ref().map(|source| source as _)
    }
}

impl Coded for PackageError {
    fn code(&self) -> Code {
        self.problems.first().map_or(Code::PackageUnreadable, |problem| problem.code)
    }
}
