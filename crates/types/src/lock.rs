//! `kitbag.lock`: what a root holds, so that another can be made to hold the same.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::{Action, CapabilityId, CapabilityRecord, Digest, Kind, StoredSource};

/// A lock file, as JSON. Checked in by teams, so equal roots give equal bytes: capabilities are
/// sorted by id, and times are left out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct LockFile {
    /// The version of the format.
    pub version: u32,
    /// Every capability that has a package, by id.
    pub capabilities: Vec<Locked>,
}

impl LockFile {
    /// The version of the format that this program writes, and the only one that it reads.
    pub const VERSION: u32 = 1;
}

/// One capability of a lock file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Locked {
    /// Its id.
    pub id: CapabilityId,
    /// Its kind.
    pub kind: Kind,
    /// The name people see.
    pub name: String,
    /// What it does.
    pub description: String,
    /// Where its bytes came from.
    pub source: StoredSource,
    /// The repository, or a path. One that begins with `./` starts from the lock file's folder.
    pub source_ref: String,
    /// The commit, for a repository.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub commit: Option<String>,
    /// The folder in the commit, where it is not its top.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub subpath: Option<String>,
    /// The branch or tag that was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub git_ref: Option<String>,
    /// The manifest's version, where it states one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// The digest of the package.
    pub digest: Digest,
    /// Whether a runtime may load it.
    pub enabled: bool,
    /// Settings of the capability, without secrets.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub config: Map<String, Value>,
}

/// One entry of the `capabilities` array of SIM-ONE's `gorombo.config.json`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct MirrorEntry {
    /// Its id.
    pub id: CapabilityId,
    /// Its kind.
    pub kind: Kind,
    /// The name people see.
    pub name: String,
    /// What it does.
    pub description: String,
    /// Where its bytes came from.
    pub source: StoredSource,
    /// The repository, or a path.
    pub source_ref: String,
    /// The manifest's version, where it states one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// Whether a runtime may load it.
    pub enabled: bool,
    /// Settings of the capability.
    pub config: Map<String, Value>,
}

impl From<CapabilityRecord> for MirrorEntry {
    fn from(record: CapabilityRecord) -> Self {
        let CapabilityRecord { id, kind, name, description, source, source_ref, version, .. } =
            record;
        let (enabled, config) = (record.enabled, record.config);
        Self { id, kind, name, description, source, source_ref, version, enabled, config }
    }
}

/// What became of one entry of a configuration's `capabilities` array.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct MirrorItem {
    /// Its place in the array, counted from 0.
    pub index: u64,
    /// Its id as it is written, where it has one.
    pub id: Option<String>,
    /// Whether it was inserted; an id that is recorded already is skipped.
    pub inserted: bool,
    /// What is wrong with it, with the field: it was left out.
    pub problem: Option<String>,
}

/// What became of a configuration's `capabilities` array.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct MirrorResult {
    /// Whether every entry was inserted or skipped.
    pub ok: bool,
    /// Always `reconcile`.
    pub action: Action,
    /// One item an entry, in the order of the array.
    pub results: Vec<MirrorItem>,
}
