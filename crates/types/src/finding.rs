//! What the scanner saw.

use std::fmt;
use std::str::FromStr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{Digest, Inventory, MatchHash, Suppressed, UnknownWord};

/// How much a finding weighs. Medium and high ask for review; critical blocks.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "lowercase")]
#[expect(missing_docs, reason = "the words are their own explanation")]
pub enum Severity {
    Info,
    Low,
    Medium,
    High,
    Critical,
}

impl Severity {
    /// Every severity, lightest first.
    pub const ALL: [Self; 5] = [Self::Info, Self::Low, Self::Medium, Self::High, Self::Critical];

    /// Returns the word.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Info => "info",
            Self::Low => "low",
            Self::Medium => "medium",
            Self::High => "high",
            Self::Critical => "critical",
        }
    }
}

impl fmt::Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl FromStr for Severity {
    type Err = UnknownWord;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::ALL.into_iter().find(|severity| severity.as_str() == text).ok_or_else(|| {
            UnknownWord {
                word: text.to_owned(),
                set: "severity",
                expected: "`info`, `low`, `medium`, `high`, `critical`",
            }
        })
    }
}

/// One thing the scanner saw.
///
/// `message`, `evidence` and `file` may hold text from the package: show them with
/// [`printable`](crate::printable).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Finding {
    /// The rule, e.g. `manifest/name-missing`.
    pub rule: String,
    /// How much it weighs.
    pub severity: Severity,
    /// What was seen, one line.
    pub message: String,
    /// The path inside the package, where the finding is about a file.
    pub file: Option<String>,
    /// The line, counted from 1.
    pub line: Option<u32>,
    /// The column in characters, counted from 1.
    pub column: Option<u32>,
    /// What to do about it.
    pub remedy: Option<String>,
    /// The text that was seen, redacted by type.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub evidence: Option<String>,
    /// What recognises the match again, where whoever scanned had a key.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub match_hash: Option<MatchHash>,
}

/// What follows from the findings of one package.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// Nothing at medium or above.
    Pass,
    /// A person should look: something at medium or high.
    Review,
    /// May not be promoted: something critical.
    Block,
    /// Could not be scanned, which blocks promotion without calling the package unsafe.
    Failed,
}

impl Verdict {
    /// Returns the verdict that findings of these severities call for.
    pub fn of(findings: &[Finding]) -> Self {
        match findings.iter().map(|finding| finding.severity).max() {
            Some(Severity::Critical) => Self::Block,
            Some(Severity::High | Severity::Medium) => Self::Review,
            _ => Self::Pass,
        }
    }

    /// Returns the word.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Pass => "pass",
            Self::Review => "review",
            Self::Block => "block",
            Self::Failed => "failed",
        }
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// What the scanner did with one file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum CoverageStatus {
    /// Every rule that applies has read it.
    Scanned,
    /// A program whose syntax was not read, or not to its end: the rules that read text have read
    /// it, those that read calls have not.
    Partly,
    /// Not text: only its kind and size were looked at.
    Binary,
}

/// One line of the coverage ledger.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Coverage {
    /// The path inside the package.
    pub file: String,
    /// How many bytes were read.
    pub bytes: u64,
    /// What was done with them.
    pub status: CoverageStatus,
    /// Why not all was done.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

/// What one scan of one package found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ScanReport {
    /// What follows from the findings.
    pub verdict: Verdict,
    /// The findings, by file, line, column and rule.
    pub findings: Vec<Finding>,
    /// Findings that a person accepted; the verdict does not count them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub suppressed: Vec<Suppressed>,
    /// What the package names. It is no part of the verdict.
    #[serde(default, skip_serializing_if = "Inventory::is_empty")]
    pub inventory: Inventory,
    /// Every file of the package, with what was read of it.
    pub coverage: Vec<Coverage>,
    /// The digest of the rules that judged, so that a stored report can be told from a stale one.
    pub rule_set: Digest,
}
