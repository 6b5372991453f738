//! The one map from what happened to the exit code.

use std::process::ExitCode;

use kitbag_types::{Code, ErrorKind};

/// An exit code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Exit(pub(crate) u8);

/// Done.
pub(crate) const DONE: Exit = Exit(0);

/// Called off by a signal, as shells have it for SIGINT.
pub(crate) const INTERRUPTED: Exit = Exit(130);

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit.0)
    }
}

/// Returns the exit code of a kind of error.
pub(crate) fn code_of(kind: ErrorKind) -> Exit {
    Exit(match kind {
        ErrorKind::Negative => 1,
        ErrorKind::Usage => 2,
        ErrorKind::Refused => 3,
        ErrorKind::NotFound => 4,
        ErrorKind::Environment => 5,
        ErrorKind::Internal => 70,
    })
}

/// Returns the exit code of an error.
pub(crate) fn of_error(code: Code) -> Exit {
    if code == Code::OperationCancelled { INTERRUPTED } else { code_of(code.kind()) }
}

/// Every exit code with its meaning, for the documentation.
pub(crate) const TABLE: [(u8, &str); 8] = [
    (0, "done"),
    (
        1,
        "the thing asked about is not so: `validate`, `verify`, `history --verify`, `doctor`, or `scan` findings at or over `--fail-on`",
    ),
    (2, "usage: the command line is wrong, or a choice is missing"),
    (3, "refused by a rule: scan, policy, source, approval needed, or any refusal among several"),
    (4, "not found"),
    (5, "environment: disk, lock, database, network"),
    (70, "a bug of Kitbag"),
    (130, "interrupted"),
];
