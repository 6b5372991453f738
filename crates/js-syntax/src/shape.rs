//! What was found.

use crate::{ModuleKind, Rule};

/// The answer: what a module exports, and what speaks against loading it.
#[must_use = "a module may be loaded only if it is accepted"]
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Shape {
    /// The exports that have the right shape, in the order of the text. Exports of types alone are
    /// left out.
    pub exports: Vec<Export>,
    /// What refuses the module, in the order of the text.
    pub problems: Vec<Problem>,
    /// What does not, and is still worth saying.
    pub warnings: Vec<Problem>,
}

impl Shape {
    /// Returns whether the module has the right shape.
    pub fn is_accepted(&self) -> bool {
        self.problems.is_empty()
    }

    pub(crate) fn refused(problem: Problem) -> Self {
        Self { problems: vec![problem], ..Self::default() }
    }
}

/// An export that is a direct result, or an array of such.
///
/// The name may be any text (`export { a as '…' }`): show it through
/// [`printable`](kitbag_types::printable).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Export {
    /// The name under which it is exported; `default` for the default export.
    pub name: String,
    /// How many results an array holds, or `None` when the export is one result itself.
    pub array_length: Option<usize>,
    /// The line of the name, counted from 1.
    pub line: u32,
    /// The column in characters, counted from 1.
    pub column: u32,
}

/// One thing that is wrong with a module. What it quotes of the module is escaped.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Problem {
    /// The line in the file, counted from 1.
    pub line: u32,
    /// The column in characters, counted from 1. A byte-order mark takes no column.
    pub column: u32,
    /// Which rule it breaks, one of [`RULES`](crate::RULES).
    pub code: &'static str,
    /// What is wrong, a lower-case fragment.
    pub message: String,
    /// What to write instead.
    pub remedy: String,
}

impl Problem {
    /// A problem of the file as a whole.
    pub(crate) fn of_file(rule: &Rule, message: impl Into<String>, kind: ModuleKind) -> Self {
        let remedy = rule.remedy_for(kind);
        Self { line: 1, column: 1, code: rule.code, message: message.into(), remedy }
    }
}
