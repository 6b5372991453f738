//! What every error of the workspace has in common, and its wire form.

use std::error::Error;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{Code, ErrorKind};

/// An error that carries a stable [`Code`].
///
/// The message (`Display`) is a lower-case fragment that says what is wrong and where; causes are
/// chained by `source`; the hint says what to do and stands apart from both.
pub trait Coded: Error {
    /// Returns the stable code of this error.
    fn code(&self) -> Code;

    /// Returns what to do about it: by default the remedy of the code, where it has one.
    fn hint(&self) -> Option<String> {
        self.code().remedy().map(str::to_owned)
    }
}

/// The wire form of an error: `{code, kind, message, hint, causes}`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ErrorReport {
    /// The stable code, e.g. `registry/id-taken`.
    pub code: String,
    /// The kind that decides the exit code.
    pub kind: ErrorKind,
    /// What is wrong and where, one line.
    pub message: String,
    /// What to do, where there is something to do.
    pub hint: Option<String>,
    /// The chain of causes, outermost first.
    pub causes: Vec<String>,
}

impl ErrorReport {
    /// Builds the report of an error.
    pub fn of(error: &dyn Coded) -> Self {
        let code = error.code();
        Self {
            code: code.as_str().to_owned(),
            kind: code.kind(),
            message: error.to_string(),
            hint: error.hint(),
            causes: causes_of(error.source()),
        }
    }
}

/// Returns the messages of a chain of causes, outermost first.
pub fn causes_of(mut source: Option<&(dyn Error + 'static)>) -> Vec<String> {
    let mut causes = Vec::new();
    while let Some(error) = source {
        causes.push(error.to_string());
        source = error.source();
    }
    causes
}
