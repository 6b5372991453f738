//! Why a package is refused or cannot be read.

use std::fmt;
use std::io;

use kitbag_types::{Code, Coded, InvalidPath, printable};

/// One thing that is wrong with a package.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// What sort of thing it is.
    pub code: Code,
    /// Where: a path inside the package as it was found (not UTF-8: with `\xNN`), or the
    /// package's own path. Foreign text: show it through [`printable`]. Empty: the whole package.
    pub path: String,
    /// What the code alone does not say, e.g. a link's target; may be empty. Foreign text too.
    pub detail: String,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.path.is_empty() {
            write!(f, "`{}`: ", printable(&self.path))?;
        }
        f.write_str(self.code.meaning())?;
        if !self.detail.is_empty() {
            write!(f, " ({})", printable(&self.detail))?;
        }
        Ok(())
    }
}

/// A package is refused, or cannot be read.
///
/// Its code is that of the first problem; its message is the first problem and how many more
/// there are, e.g. `` `pw`: the package holds a symbolic link (to `/etc/passwd`) (and 2 more) ``.
#[derive(Debug)]
pub struct PackageError {
    /// Never empty.
    problems: Vec<Problem>,
    /// How many there were beyond those that are carried.
    uncounted: usize,
    /// Of the first problem.
    source: Option<io::Error>,
}

impl PackageError {
    /// The most problems an error carries: more than a person fixes at one go, and few enough
    /// that a hostile tree cannot fill memory or a screen.
    pub const MAX_PROBLEMS: usize = 20;

    /// Makes an error of one problem, see [`Problem`] for the parts.
    pub fn new(code: Code, path: impl Into<String>, detail: impl Into<String>) -> Self {
        let problem = Problem { code, path: path.into(), detail: detail.into() };
        Self { problems: vec![problem], uncounted: 0, source: None }
    }

    /// Returns the error with the operating system's error as its cause.
    #[must_use = "the error is returned, not changed"]
    pub fn with_source(self, source: impl Into<io::Error>) -> Self {
        Self { source: Some(source.into()), ..self }
    }

    /// Returns the problems by path, the first [`MAX_PROBLEMS`](Self::MAX_PROBLEMS) of them and at
    /// least one.
    pub fn problems(&self) -> &[Problem] {
        &self.problems
    }

    /// Joins errors into one, by path. None if there are none.
    pub(crate) fn join(mut errors: Vec<Self>) -> Option<Self> {
        errors.sort_by(|a, b| a.place().cmp(&b.place()));
        let mut errors = errors.into_iter();
        let mut joined = errors.next()?;
        for error in errors {
            joined.uncounted += error.uncounted;
            for problem in error.problems {
                if joined.problems.len() < Self::MAX_PROBLEMS {
                    joined.problems.push(problem);
                } else {
                    joined.uncounted += 1;
                }
            }
        }
        Some(joined)
    }

    fn first(&self) -> &Problem {
        self.problems.first().expect("an error is made of at least one problem")
    }

    fn place(&self) -> (&str, &'static str) {
        (&self.first().path, self.first().code.as_str())
    }
}

impl fmt::Display for PackageError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self.first(), f)?;
        match self.problems.len() - 1 + self.uncounted {
            0 => Ok(()),
            more => write!(f, " (and {more} more)"),
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
        self.first().code
    }
}

impl From<InvalidPath> for PackageError {
    fn from(error: InvalidPath) -> Self {
        Self::new(error.code, error.path, "")
    }
}
