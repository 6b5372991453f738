//! A mutation before it happens: a value one can print, test and approve.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{Action, CapabilityId, CapabilityRecord, Digest, Kind, PackagePath, Suppression};

/// What happens to one file of a package.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[expect(missing_docs, reason = "the words are their own explanation")]
pub enum FileChangeKind {
    Added,
    Removed,
    Changed,
    Mode,
}

impl fmt::Display for FileChangeKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Added => "added",
            Self::Removed => "removed",
            Self::Changed => "changed",
            Self::Mode => "mode",
        })
    }
}

/// One file that differs between two packages.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct FileChange {
    /// The path inside the package.
    pub path: PackagePath,
    /// What happens to it.
    pub change: FileChangeKind,
    /// A unified diff of the text, where both sides are text and it was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
}

/// One effect of a mutation, in the order it is applied.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "step", rename_all = "kebab-case", rename_all_fields = "camelCase")]
pub enum PlanStep {
    /// A package goes into place.
    Promote {
        /// Its digest.
        digest: Digest,
        /// How many files it has.
        files: u64,
        /// How many bytes they have together.
        bytes: u64,
    },
    /// The package in place becomes a kept version.
    Keep {
        /// Its digest.
        digest: Digest,
    },
    /// A kept version is dropped, since there are more than the settings keep.
    Forget {
        /// Its digest.
        digest: Digest,
    },
    /// The record is written.
    Record {
        /// What it will be.
        record: Box<CapabilityRecord>,
    },
    /// The record is deleted.
    Unrecord,
    /// A finding is accepted: it does not count any more.
    Accept {
        /// Which, why and for how long.
        suppression: Box<Suppression>,
    },
}

/// Everything a mutation will do, decided before anything is changed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct MutationPlan {
    /// The operation.
    pub action: Action,
    /// The kind it is about.
    pub kind: Kind,
    /// The id it is about.
    pub id: CapabilityId,
    /// The digest of the package in place before, where there is one.
    pub before: Option<Digest>,
    /// The digest of the package in place after, where there is one.
    pub after: Option<Digest>,
    /// What is applied, in order. Empty: nothing changes.
    pub steps: Vec<PlanStep>,
    /// The files that differ between before and after.
    pub files: Vec<FileChange>,
}
