//! Findings that a person accepted.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{Digest, Finding, MatchHash, Timestamp};

/// A person's yes to one finding. It is the approver's, never the package's: nothing that a package
/// holds can make one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Suppression {
    /// The rule, e.g. `code/download-and-run`.
    pub rule: String,
    /// The path inside the package; none for a finding about the package as a whole.
    pub file: Option<String>,
    /// What recognises the match.
    pub match_hash: MatchHash,
    /// The package it holds for; none: any, which is said aloud wherever it counts.
    pub package: Option<Digest>,
    /// Why, in the words of whoever accepted.
    pub reason: String,
    /// Who accepted.
    pub accepted_by: String,
    /// When.
    pub accepted_at: Timestamp,
    /// When it ends; none: with the package.
    pub expires_at: Option<Timestamp>,
}

/// A finding that does not count, and why.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Suppressed {
    /// What was seen.
    pub finding: Finding,
    /// Why it does not count.
    pub by: Suppression,
}
