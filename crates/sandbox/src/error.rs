//! How a run can fail.

use std::fmt;
use std::io;
use std::path::PathBuf;
use std::time::Duration;

use kitbag_types::{Code, Coded, printable};
use thiserror::Error;

use crate::frame::MAX_FRAME;
use crate::limits::Lock;

/// How a run can fail. The child is gone in each case.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum SandboxError {
    /// The request is longer than a frame may be.
    #[error("the request has {length} bytes, and {MAX_FRAME} are allowed")]
    RequestTooLong {
        /// Its bytes.
        length: usize,
    },

    /// The program cannot be started, or its streams cannot be used.
    #[error("`{}` cannot be started as a child", program.display())]
    Start {
        /// The program.
        program: PathBuf,
        /// Why.
        #[source]
        source: io::Error,
    },

    /// A lock that is needed cannot be had on this system. Nothing was run.
    #[error("the lock `{lock}` cannot be had: {}", printable(why))]
    Unavailable {
        /// The lock.
        lock: Lock,
        /// The system's words.
        why: String,
    },

    /// There was no answer in time.
    #[error("no answer after {limit:?}")]
    Timeout {
        /// The limit of time, or of processor time.
        limit: Duration,
    },

    /// An allocation failed under the limit of memory.
    #[error("more than {limit} bytes of memory were wanted")]
    Memory {
        /// The limit of address space, in bytes.
        limit: u64,
    },

    /// The child asked the kernel for something that is not on the list.
    #[error("it asked the system for what it may not have{}", Said(said))]
    Forbidden {
        /// What it wrote to its error stream, capped.
        said: String,
    },

    /// The child ended without an answer. A stack that overflowed is one reason.
    #[error("it ended without an answer: {death}{}", Said(said))]
    Crashed {
        /// How.
        death: Death,
        /// What it wrote to its error stream, capped.
        said: String,
    },

    /// What the child sent is not what was agreed.
    #[error("its answer is not what was agreed: {0}")]
    Protocol(BrokenProtocol),

    /// Whoever watched called it off.
    #[error("it was called off")]
    Cancelled,
}

impl Coded for SandboxError {
    fn code(&self) -> Code {
        match self {
            Self::RequestTooLong { .. } => Code::SandboxRequestTooLong,
            Self::Start { .. } => Code::SandboxNotStarted,
            Self::Unavailable { .. } => Code::SandboxUnavailable,
            Self::Timeout { .. } => Code::SandboxTimeout,
            Self::Memory { .. } => Code::SandboxMemory,
            Self::Forbidden { .. } => Code::SandboxForbidden,
            Self::Crashed { .. } => Code::SandboxCrashed,
            Self::Protocol(_) => Code::SandboxProtocol,
            Self::Cancelled => Code::OperationCancelled,
        }
    }
}

/// What is wrong with what a child sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum BrokenProtocol {
    /// It does not begin with a report of its locks: the program is another, or of another version.
    NoReport,
    /// A frame says that it is longer than it may be.
    TooLong {
        /// What it says.
        length: usize,
        /// What it may have.
        most: usize,
    },
    /// The stream ended within a frame.
    BrokenOff,
    /// Something follows the answer.
    Trailing,
    /// The answer is none to what was asked: whoever asks says so.
    NotAnAnswer,
}

impl fmt::Display for BrokenProtocol {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoReport => f.write_str("it does not begin with what was locked"),
            Self::TooLong { length, most } => {
                write!(f, "a frame of {length} bytes, and {most} are allowed")
            }
            Self::BrokenOff => f.write_str("a frame broke off"),
            Self::Trailing => f.write_str("something follows the answer"),
            Self::NotAnAnswer => f.write_str("it does not answer what was asked"),
        }
    }
}

/// How a child ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Death {
    /// By itself, with this exit code.
    Exit(i32),
    /// By this signal.
    Signal(i32),
    /// It did not: it closed its stream and was killed.
    Silent,
}

impl fmt::Display for Death {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Exit(code) => write!(f, "exit code {code}"),
            Self::Signal(signal) => write!(f, "signal {signal}"),
            Self::Silent => f.write_str("it fell silent"),
        }
    }
}

/// The last line of what a child wrote to its error stream.
struct Said<'a>(&'a str);

impl fmt::Display for Said<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0.lines().map(str::trim).rfind(|line| !line.is_empty()) {
            Some(line) => write!(f, ": {}", printable(line)),
            None => Ok(()),
        }
    }
}
