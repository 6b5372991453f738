//! Findings that are known already, as a file beside the packages.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::MatchHash;

/// A baseline file, as JSON. Checked in by teams, so equal findings give equal bytes: they are
/// sorted, and lines and times are left out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct BaselineFile {
    /// The version of the format.
    pub version: u32,
    /// The key of the match hashes in it, 64 lower-case hex digits.
    #[schemars(extend("pattern" = "^[0-9a-f]{64}$"))]
    pub key: String,
    /// The findings, each once, by package, file, rule and hash.
    pub findings: Vec<KnownFinding>,
}

impl BaselineFile {
    /// The version of the format that this program writes, and the only one that it reads.
    pub const VERSION: u32 = 1;
}

/// A finding that is known already. It is the same one wherever it moves to in its file.
#[derive(
    Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct KnownFinding {
    /// The package: its path from the folder of the baseline file, or how it was named.
    pub package: String,
    /// The path inside the package, where the finding is about a file.
    pub file: Option<String>,
    /// The rule.
    pub rule: String,
    /// What recognises the match, or else the message.
    pub match_hash: MatchHash,
    /// How often it is there. One more is a new one.
    pub times: u32,
}
