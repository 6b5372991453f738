//! A row of table `capabilities`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::{CapabilityId, Code, Kind, StoredSource, Timestamp};

/// What is installed and enabled: the authority on one capability.
///
/// Columns and JSON names are the registry seed's.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct CapabilityRecord {
    /// Unique over all kinds.
    pub id: CapabilityId,
    /// How it enters a runtime.
    pub kind: Kind,
    /// The name people see: 1 to 128 characters, one line.
    pub name: String,
    /// What it does: 1 to 1024 characters.
    pub description: String,
    /// Where its bytes came from.
    pub source: StoredSource,
    /// The normalised URL, a path relative to the workspace, or an absolute path that a person gave.
    pub source_ref: String,
    /// The manifest's version, where it states one.
    pub version: Option<String>,
    /// Whether a runtime may load it.
    pub enabled: bool,
    /// Settings of the capability, a JSON object.
    pub config: Map<String, Value>,
    /// When it was first recorded.
    pub installed_at: Timestamp,
    /// When the record last changed.
    pub updated_at: Timestamp,
    /// `cli`, `agent`, `seed`, or what an older writer stored.
    pub installed_by: String,
}

impl CapabilityRecord {
    /// The most characters of a name: one line of a table.
    pub const MAX_NAME_CHARS: usize = 128;
    /// The most characters of a description: the Agent Skills limit.
    pub const MAX_DESCRIPTION_CHARS: usize = 1024;
}

/// One rule that a stored row breaks.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RecordProblem {
    /// The stable code, `record/…`.
    pub code: String,
    /// The column it is about.
    pub column: String,
    /// What is wrong with it.
    pub message: String,
}

impl RecordProblem {
    /// Makes a problem of a column.
    pub fn new(code: Code, column: &str, message: String) -> Self {
        Self { code: code.as_str().to_owned(), column: column.to_owned(), message }
    }
}

/// A row of table `capabilities` that breaks a rule. It is listed, stays out of every kit, and is
/// never rewritten.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct BrokenRecord {
    /// The id as it is stored, lossily decoded where it is not text.
    pub id: String,
    /// The kind as it is stored.
    pub kind: String,
    /// The name as it is stored.
    pub name: String,
    /// Every rule that it breaks; never empty.
    pub problems: Vec<RecordProblem>,
}
