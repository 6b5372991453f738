//! What holds a child that locked itself down.

use std::fmt;

use crate::limits::{Limits, Lock, Need};

/// How much of a lock holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Held {
    /// All that this version asks for.
    Full,
    /// As much as the kernel knows: an older Landlock holds files, but not TCP or signals.
    Partial,
    /// Nothing of it.
    No,
}

impl Held {
    const ALL: [Self; 3] = [Self::Full, Self::Partial, Self::No];

    fn as_str(self) -> &'static str {
        match self {
            Self::Full => "full",
            Self::Partial => "partial",
            Self::No => "no",
        }
    }
}

/// What holds a child that locked itself down.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use = "a lock may be allowed to be missing: this says whether it is"]
pub struct Lockdown {
    pub(crate) files: Held,
    pub(crate) calls: Held,
}

impl Lockdown {
    /// Returns how much of a lock holds.
    pub fn held(self, lock: Lock) -> Held {
        match lock {
            // Without these no child goes on.
            Lock::Resources | Lock::Privileges => Held::Full,
            Lock::Files => self.files,
            Lock::Calls => self.calls,
        }
    }

    /// Tells whether every lock holds in full.
    pub fn is_full(self) -> bool {
        Lock::ALL.into_iter().all(|lock| self.held(lock) == Held::Full)
    }

    /// Returns the first lock that is needed and does not hold.
    pub(crate) fn lacks(self, limits: &Limits) -> Option<Lock> {
        Lock::ALL
            .into_iter()
            .find(|lock| limits.need(*lock) == Need::Required && self.held(*lock) == Held::No)
    }

    pub(crate) fn to_bytes(self) -> [u8; 2] {
        [self.files as u8, self.calls as u8]
    }

    pub(crate) fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let &[files, calls] = bytes else { return None };
        let held = |byte: u8| Held::ALL.into_iter().find(|held| *held as u8 == byte);
        Some(Self { files: held(files)?, calls: held(calls)? })
    }
}

impl fmt::Display for Lockdown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, lock) in Lock::ALL.into_iter().enumerate() {
            let comma = if index == 0 { "" } else { ", " };
            write!(f, "{comma}{lock}: {}", self.held(lock).as_str())?;
        }
        Ok(())
    }
}
