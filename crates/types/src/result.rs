//! The result contracts: the same in Rust, on the command line and over REST.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{
    Action, BrokenRecord, CapabilityId, CapabilityRecord, Digest, ErrorReport, FileChange, Finding,
    HistoryEntry, Inventory, InventoryChange, Kind, MutationPlan, Severity, Suppressed, Timestamp,
    Verdict,
};

/// Something that went well enough, but that the person should know.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Warning {
    /// The stable code, e.g. `registry/look-alike`.
    pub code: String,
    /// What to know, one line.
    pub message: String,
}

/// What is known of a promoted package.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct PackageSummary {
    /// The digest of its canonical listing.
    pub digest: Digest,
    /// How many files it has.
    pub files: u64,
    /// How many bytes they have together.
    pub bytes: u64,
    /// The commit it was taken from, for a GitHub source.
    pub commit: Option<String>,
    /// The folder inside the source, where it is not the source's root.
    pub subpath: Option<String>,
    /// When it was promoted.
    pub promoted_at: Timestamp,
    /// The digest of the version before it, where one is kept.
    pub previous: Option<Digest>,
}

/// What a mutation did, or, with `plan`, what it would do.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct MutationResult {
    /// Always true: what went wrong is an [`ErrorReport`].
    pub ok: bool,
    /// The operation.
    pub action: Action,
    /// The record afterwards; null once it is removed.
    pub capability: Option<CapabilityRecord>,
    /// The promoted package afterwards, where there is one.
    pub package: Option<PackageSummary>,
    /// What the scanner found in the staged bytes.
    pub findings: Vec<Finding>,
    /// Findings that a person accepted, which do not count, with who said so and why.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub suppressed: Vec<Suppressed>,
    /// What the package names: no verdict, but worth a look before a yes.
    #[serde(default, skip_serializing_if = "Inventory::is_empty")]
    pub inventory: Inventory,
    /// What of it the version before did not name, and the other way round.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub inventory_change: Option<InventoryChange>,
    /// The approval that allowed it, for an agent.
    pub approval: Option<Value>,
    /// The protocol context it ran under, redacted.
    pub protocol: Option<Value>,
    /// What the person should know.
    pub warnings: Vec<Warning>,
    /// Whether anything is different now.
    pub changed: bool,
    /// With `--dry-run`: everything that would happen. Nothing has.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub plan: Option<MutationPlan>,
}

/// One capability of a mutation over several: done, or refused.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct BatchItem {
    /// The id, or the folder inside the source where no id could be read.
    pub id: String,
    /// Whether it went in.
    pub ok: bool,
    /// What was done, where it went in.
    pub result: Option<MutationResult>,
    /// Why it was refused, where it was.
    pub error: Option<ErrorReport>,
    /// What the scanner found, where it was refused.
    pub findings: Vec<Finding>,
}

/// A mutation over several capabilities, each in its own transaction.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct BatchResult {
    /// Whether all of them went in.
    pub ok: bool,
    /// The operation.
    pub action: Action,
    /// One item a capability, in the order of their ids or paths.
    pub results: Vec<BatchItem>,
}

/// An error on stdout with `--json`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ErrorEnvelope {
    /// Always false.
    pub ok: bool,
    /// What went wrong.
    pub error: ErrorReport,
    /// What the scanner found, where findings are the reason.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub findings: Vec<Finding>,
    /// Findings that a person accepted, which do not count, with who said so and why.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub suppressed: Vec<Suppressed>,
    /// What the refused bytes name.
    #[serde(default, skip_serializing_if = "Inventory::is_empty")]
    pub inventory: Inventory,
    /// What of it the bytes in place do not name, and the other way round.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub inventory_change: Option<InventoryChange>,
}

impl ErrorEnvelope {
    /// Wraps an error that has nothing to do with what a package holds.
    pub fn of(error: ErrorReport) -> Self {
        Self {
            ok: false,
            error,
            findings: Vec::new(),
            suppressed: Vec::new(),
            inventory: Inventory::default(),
            inventory_change: None,
        }
    }
}

/// What is recorded.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ListResult {
    /// Always true.
    pub ok: bool,
    /// Always `list`.
    pub action: Action,
    /// The records, by kind and id.
    pub capabilities: Vec<CapabilityRecord>,
    /// Rows that break a rule and stay out of every kit.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub broken: Vec<BrokenRecord>,
}

/// Everything known of one capability.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct InspectResult {
    /// Always true.
    pub ok: bool,
    /// Always `inspect`.
    pub action: Action,
    /// The record.
    pub capability: CapabilityRecord,
    /// The promoted package, where there is one.
    pub package: Option<PackageSummary>,
    /// Whether the promoted bytes are the recorded ones.
    pub status: VerifyStatus,
    /// The files of the promoted package: path, bytes, executable.
    pub files: Vec<String>,
    /// The versions that `revert` can go back to, newest first.
    pub kept: Vec<Digest>,
    /// The findings of the last scan of these bytes.
    pub findings: Vec<Finding>,
    /// Findings that a person accepted, which do not count, with who said so and why.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub suppressed: Vec<Suppressed>,
    /// What these bytes name.
    #[serde(default, skip_serializing_if = "Inventory::is_empty")]
    pub inventory: Inventory,
}

/// How the bytes in place compare with the record.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum VerifyStatus {
    /// The bytes are the recorded ones.
    Ok,
    /// The bytes were edited since.
    Modified,
    /// The record names a package, and it is not there.
    Missing,
    /// No digest was ever recorded: a root of another writer.
    NoBaseline,
    /// The record has no package and needs none, or was never promoted.
    Unpromoted,
    /// The package cannot be read as one any more.
    Unreadable,
    /// A folder lies where packages lie, and no record names it.
    Stranger,
    /// The row itself breaks a rule.
    BrokenRecord,
}

impl VerifyStatus {
    /// Returns the word.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Modified => "modified",
            Self::Missing => "missing",
            Self::NoBaseline => "no-baseline",
            Self::Unpromoted => "unpromoted",
            Self::Unreadable => "unreadable",
            Self::Stranger => "stranger",
            Self::BrokenRecord => "broken-record",
        }
    }
}

/// What `verify` says of one capability.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct VerifyItem {
    /// The kind, as stored.
    pub kind: String,
    /// The id, as stored.
    pub id: String,
    /// How the bytes compare.
    pub status: VerifyStatus,
    /// The recorded digest.
    pub recorded: Option<Digest>,
    /// The digest of the bytes in place.
    pub actual: Option<Digest>,
    /// The files that differ from the recorded listing.
    pub files: Vec<FileChange>,
    /// Why, where the status alone does not say it.
    pub note: Option<String>,
}

/// What `verify` says.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct VerifyResult {
    /// Whether every item is `ok` or needs no package.
    pub ok: bool,
    /// Always `verify`.
    pub action: Action,
    /// One item a capability, by kind and id.
    pub results: Vec<VerifyItem>,
}

/// One line of `validate` and `scan` over many paths (JSON Lines).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ValidationLine {
    /// The path as it was given, or the folder found below it.
    pub path: String,
    /// Whether the package is valid, or for `scan` below the level to fail on.
    pub ok: bool,
    /// What follows from the findings, for `scan`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub verdict: Option<Verdict>,
    /// The kind it was judged as, where it could be told.
    pub kind: Option<Kind>,
    /// The id it would have.
    pub id: Option<CapabilityId>,
    /// What was found.
    pub findings: Vec<Finding>,
    /// Findings that a person accepted, which do not count, with who said so and why.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub suppressed: Vec<Suppressed>,
    /// What the package names.
    #[serde(default, skip_serializing_if = "Inventory::is_empty")]
    pub inventory: Inventory,
    /// How many findings are left out because the baseline has them, where there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub known: Option<u64>,
}

/// What a rule of the scanner is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RuleExplanation {
    /// Always true.
    pub ok: bool,
    /// The id, e.g. `text/bidi-control`.
    pub rule: String,
    /// The part of the id in front of the slash.
    pub family: String,
    /// What a finding is worth: `contract`, an exact fact; or `indicator`, a sign.
    pub layer: String,
    /// How much a finding weighs where a package is added or scanned.
    pub severity: Severity,
    /// How much it weighs where a package is validated.
    pub strict_severity: Severity,
    /// What it fires on.
    pub meaning: String,
    /// What to do about it, where there is one answer.
    pub remedy: Option<String>,
    /// Texts that it fires on, where the rule is a pattern.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub fires_on: Vec<String>,
    /// Texts like them that it lets pass.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub silent_on: Vec<String>,
}

/// What happened, newest last.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct HistoryResult {
    /// Whether the chain holds, where it was asked for; else true.
    pub ok: bool,
    /// Always `history`.
    pub action: Action,
    /// The entries, oldest first.
    pub entries: Vec<HistoryEntry>,
    /// The place of the first broken link, where the chain was verified and does not hold.
    pub first_broken: Option<u64>,
    /// The hash of the last entry of all, where the chain was verified: noted somewhere else, it
    /// proves later that nothing before it was rewritten.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub head: Option<Digest>,
}

/// How a promoted package differs from its record and from its source.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct DiffResult {
    /// Always true.
    pub ok: bool,
    /// Always `diff`.
    pub action: Action,
    /// The id.
    pub id: CapabilityId,
    /// The digest of the bytes in place.
    pub promoted: Option<Digest>,
    /// The digest of the other side: the source, or the kept version that was asked for.
    pub other: Option<Digest>,
    /// Edits made by hand since the package was promoted.
    pub local: Vec<FileChange>,
    /// What changes when the other side goes into place.
    pub files: Vec<FileChange>,
}

/// One thing that `doctor` looked at.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct DoctorCheck {
    /// What was looked at, e.g. `database`.
    pub name: String,
    /// Whether it is as it should be.
    pub ok: bool,
    /// What was seen, one line.
    pub message: String,
    /// What to do, where it is not.
    pub hint: Option<String>,
}

/// What `doctor` says.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct DoctorResult {
    /// Whether nothing needs attention.
    pub ok: bool,
    /// What was looked at, in order.
    pub checks: Vec<DoctorCheck>,
}

/// What `gc` let go of, or would.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct GcResult {
    /// Always true: what went wrong is an [`ErrorReport`].
    pub ok: bool,
    /// Always `gc`.
    pub action: Action,
    /// Versions that `revert` cannot bring back any more.
    pub forgotten: Vec<ForgottenVersion>,
    /// Bytes that nothing named any more.
    pub swept: Vec<Digest>,
    /// Whether anything is different now.
    pub changed: bool,
}

/// A version that is not kept any more.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ForgottenVersion {
    /// The kind.
    pub kind: Kind,
    /// The id, which may have been removed.
    pub id: CapabilityId,
    /// The digest of the version.
    pub digest: Digest,
    /// When it was put away.
    pub kept_at: Timestamp,
    /// How many bytes its files have.
    pub bytes: u64,
}
