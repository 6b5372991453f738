//! How what is installed compares with something else: its sources, or a lock file.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{Action, CapabilityId, Finding, Kind, Suppressed};

/// How one capability compares.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum CompareStatus {
    /// Both sides have the same bytes and settings.
    Same,
    /// The other side has other bytes.
    Differs,
    /// The bytes are the same, and something recorded with them is not, such as whether it is
    /// enabled.
    Settings,
    /// The other side has it, and it is not installed.
    Missing,
    /// It is installed, and the other side does not have it.
    Extra,
    /// It was edited by hand.
    Modified,
    /// A tag names another commit than it did.
    TagMoved,
    /// The source is not there any more.
    Gone,
    /// The source could not be asked.
    Unreachable,
    /// It has no source that can be asked.
    NoSource,
    /// A rule refuses what the other side has.
    Refused,
}

impl CompareStatus {
    /// Returns the word.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Same => "same",
            Self::Differs => "differs",
            Self::Settings => "settings",
            Self::Missing => "missing",
            Self::Extra => "extra",
            Self::Modified => "modified",
            Self::TagMoved => "tag-moved",
            Self::Gone => "gone",
            Self::Unreachable => "unreachable",
            Self::NoSource => "no-source",
            Self::Refused => "refused",
        }
    }
}

/// How one capability compares, with what each side has.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct CompareItem {
    /// The kind.
    pub kind: Kind,
    /// The id.
    pub id: CapabilityId,
    /// How it compares.
    pub status: CompareStatus,
    /// What is installed: a commit, or a digest.
    pub installed: Option<String>,
    /// What the other side has: a commit, or a digest.
    pub other: Option<String>,
    /// Whether it was changed to what the other side has.
    pub changed: bool,
    /// What else a person needs to know, one line.
    pub note: Option<String>,
    /// What the scanner found, where that is why it was refused.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub findings: Vec<Finding>,
    /// Findings that a person accepted, which do not count, with who said so and why.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub suppressed: Vec<Suppressed>,
}

/// How everything compares.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct CompareResult {
    /// Whether both sides are the same, afterwards.
    pub ok: bool,
    /// The operation: `outdated`, or `sync`.
    pub action: Action,
    /// One item a capability, by id.
    pub results: Vec<CompareItem>,
}
