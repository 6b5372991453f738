//! What watches over work that takes a while: it hears of progress, and may call it off.

/// How far something has come.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Progress {
    /// A repository is being fetched.
    Fetching {
        /// Objects that have arrived.
        objects: u64,
        /// Objects there will be; 0 while that is not known.
        total: u64,
        /// Bytes that have arrived.
        bytes: u64,
    },
    /// One of several capabilities is about to be worked on.
    Item {
        /// How many were done before it.
        done: u64,
        /// How many there are.
        total: u64,
        /// Its path in the source, or its id.
        name: String,
    },
}

/// Watches over an operation. Both methods may be called from any thread, often.
pub trait Watch: Send + Sync {
    /// Tells whether the operation should stop and leave everything as it was.
    fn is_cancelled(&self) -> bool {
        false
    }

    /// Hears how far it has come.
    fn progress(&self, progress: &Progress) {
        let _ = progress;
    }
}

/// Watches nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct Unwatched;

impl Watch for Unwatched {}
