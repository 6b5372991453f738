//! Named places in a mutation where a test can stop the program.

/// A place between two effects of a mutation. Tests kill the process at each of them and check
/// that the next open finds the registry and the packages in agreement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Failpoint {
    /// The package is staged, digested and scanned; nothing is locked yet.
    Staged,
    /// The write lock is held, nothing is written yet.
    Locked,
    /// The journal entry is durable; the depot is untouched.
    JournalOpened,
    /// The new package is in place, or the removed one is out; the old one still lies in staging.
    Swapped,
    /// The old package is among the kept versions; the database is untouched.
    Kept,
    /// The database transaction is committed; staging is not cleaned up.
    Committed,
}

impl Failpoint {
    /// Every failpoint, in the order a mutation passes them.
    pub const ALL: [Self; 6] = [
        Self::Staged,
        Self::Locked,
        Self::JournalOpened,
        Self::Swapped,
        Self::Kept,
        Self::Committed,
    ];

    /// Returns the name of this failpoint, e.g. `journal-opened`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Staged => "staged",
            Self::Locked => "locked",
            Self::JournalOpened => "journal-opened",
            Self::Swapped => "swapped",
            Self::Kept => "kept",
            Self::Committed => "committed",
        }
    }
}

/// Is told of each failpoint that a mutation passes.
pub trait Faults: Send + Sync {
    /// Called when `point` is reached. A test's implementation may not return.
    fn reach(&self, point: Failpoint);
}

/// Ignores every failpoint: what every program but a crash test uses.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoFaults;

impl Faults for NoFaults {
    fn reach(&self, _point: Failpoint) {}
}
