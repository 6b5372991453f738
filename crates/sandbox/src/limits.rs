//! What a child may use up, and which locks it cannot do without.

use std::fmt;
use std::time::Duration;

use crate::frame::MAX_FRAME;

/// A lock that a child puts on itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Lock {
    /// Limits of memory, processor time, files, processes and core dumps.
    Resources,
    /// No new privileges, not to be traced, and an end that follows its parent's.
    Privileges,
    /// Landlock: the file system, TCP, and signals and abstract sockets to others.
    Files,
    /// Seccomp: an allow list of system calls; any other ends the process.
    Calls,
}

impl Lock {
    pub(crate) const ALL: [Self; 4] = [Self::Privileges, Self::Files, Self::Resources, Self::Calls];

    /// Returns the word.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Resources => "resources",
            Self::Privileges => "privileges",
            Self::Files => "files",
            Self::Calls => "calls",
        }
    }
}

impl fmt::Display for Lock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// How much a lock is needed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Need {
    /// Without it nothing runs.
    #[default]
    Required,
    /// The child goes on where the system does not have it; [`crate::Lockdown`] says so.
    IfAvailable,
    /// It is not even tried. For measuring and testing what the other locks hold alone.
    LeftOut,
}

/// What a child may use up, and which locks it cannot do without.
///
/// ```
/// use std::time::Duration;
/// use kitbag_sandbox::Limits;
///
/// let limits = Limits { wall: Duration::from_secs(1), ..Limits::default() };
/// assert_eq!(limits.memory, 512 << 20);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The time from start to answer.
    pub wall: Duration,
    /// Processor time; the system counts in whole seconds, so it is rounded up. It holds even
    /// where the host is stopped or killed.
    pub cpu: Duration,
    /// Address space in bytes, the program itself included, and the stack that
    /// [`serve_on_stack`](crate::serve_on_stack) sets aside.
    pub memory: u64,
    /// The most bytes of an answer; never more than [`MAX_FRAME`].
    pub answer: usize,
    /// How much [`Lock::Files`] is needed.
    pub files: Need,
    /// How much [`Lock::Calls`] is needed.
    pub calls: Need,
}

impl Limits {
    /// Returns how much a lock is needed. Resources and privileges always are.
    pub fn need(&self, lock: Lock) -> Need {
        match lock {
            Lock::Resources | Lock::Privileges => Need::Required,
            Lock::Files => self.files,
            Lock::Calls => self.calls,
        }
    }
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            wall: Duration::from_secs(10),
            cpu: Duration::from_secs(10),
            // An engine with its program takes some 30 MiB; address space is dearer than memory.
            memory: 512 << 20,
            answer: MAX_FRAME,
            files: Need::Required,
            calls: Need::Required,
        }
    }
}
