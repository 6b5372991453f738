//! What is done, and the id of one doing of it.

use std::fmt;
use std::str::FromStr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{Timestamp, UnknownWord};

/// The operations on the registry, as they are named in results, history and the journal.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
#[expect(missing_docs, reason = "each word is the name of the command that does it")]
pub enum Action {
    List,
    Inspect,
    Validate,
    Scan,
    Diff,
    Verify,
    History,
    Add,
    Update,
    Enable,
    Disable,
    Remove,
    Revert,
    Baseline,
    Repair,
    Outdated,
    Export,
    Sync,
    Gc,
    Reconcile,
    Accept,
    Accepted,
    Unaccept,
}

impl Action {
    /// Every action.
    pub const ALL: &'static [Self] = &[
        Self::List,
        Self::Inspect,
        Self::Validate,
        Self::Scan,
        Self::Diff,
        Self::Verify,
        Self::History,
        Self::Add,
        Self::Update,
        Self::Enable,
        Self::Disable,
        Self::Remove,
        Self::Revert,
        Self::Baseline,
        Self::Repair,
        Self::Outdated,
        Self::Export,
        Self::Sync,
        Self::Gc,
        Self::Reconcile,
        Self::Accept,
        Self::Accepted,
        Self::Unaccept,
    ];

    /// Returns the action's name.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::List => "list",
            Self::Inspect => "inspect",
            Self::Validate => "validate",
            Self::Scan => "scan",
            Self::Diff => "diff",
            Self::Verify => "verify",
            Self::History => "history",
            Self::Add => "add",
            Self::Update => "update",
            Self::Enable => "enable",
            Self::Disable => "disable",
            Self::Remove => "remove",
            Self::Revert => "revert",
            Self::Baseline => "baseline",
            Self::Repair => "repair",
            Self::Outdated => "outdated",
            Self::Export => "export",
            Self::Sync => "sync",
            Self::Gc => "gc",
            Self::Reconcile => "reconcile",
            Self::Accept => "accept",
            Self::Accepted => "accepted",
            Self::Unaccept => "unaccept",
        }
    }
}

impl fmt::Display for Action {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl FromStr for Action {
    type Err = UnknownWord;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::ALL.iter().copied().find(|action| action.as_str() == text).ok_or_else(|| {
            UnknownWord {
                word: text.to_owned(),
                set: "action",
                expected: "the names of the registry's operations",
            }
        })
    }
}

/// The id of one operation: a ULID, so ids sort by the time they were made.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct OperationId(ulid::Ulid);

impl OperationId {
    /// Makes an id from a time and 80 random bits.
    pub fn new(at: Timestamp, random: u128) -> Self {
        Self(ulid::Ulid::from_parts(at.as_millis().max(0).unsigned_abs(), random))
    }
}

impl fmt::Display for OperationId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0, f)
    }
}

impl fmt::Debug for OperationId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0, f)
    }
}

impl FromStr for OperationId {
    type Err = UnknownWord;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        ulid::Ulid::from_string(text).map(Self).map_err(|_| UnknownWord {
            word: text.to_owned(),
            set: "operation id",
            expected: "26 characters of Crockford base 32",
        })
    }
}
