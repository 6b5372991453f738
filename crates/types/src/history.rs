//! The append-only, hash-chained history.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::canonical::{self, NotCanonical};
use crate::{Action, Digest, Principal, Timestamp};

/// What happened, before it has a place in the chain.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct HistoryEvent {
    /// When.
    pub at: Timestamp,
    /// Who.
    pub principal: Principal,
    /// What.
    pub action: Action,
    /// The kind it was done to.
    pub kind: String,
    /// The id it was done to.
    pub id: String,
    /// The operation's id.
    pub operation: String,
    /// The package digest before, where there was one.
    pub before: Option<Digest>,
    /// The package digest after, where there is one.
    pub after: Option<Digest>,
    /// Whether the capability is enabled afterwards.
    pub enabled: bool,
    /// What else a reader needs to know, one line.
    pub note: Option<String>,
}

/// One link of the chain.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct HistoryEntry {
    /// The place in the chain, counted from 1.
    pub seq: u64,
    /// What happened.
    pub event: HistoryEvent,
    /// The hash of the entry before; of nothing for the first.
    pub previous: Option<Digest>,
    /// The SHA-256 over the canonical JSON (RFC 8785) of `{event, previous, seq}`.
    pub hash: Digest,
}

impl HistoryEntry {
    /// Makes the link that follows `previous`.
    ///
    /// # Errors
    /// [`NotCanonical`] if the event has no canonical form.
    pub fn chain(
        seq: u64,
        previous: Option<Digest>,
        event: HistoryEvent,
    ) -> Result<Self, NotCanonical> {
        let hash = Self::expected_hash(seq, previous, &event)?;
        Ok(Self { seq, event, previous, hash })
    }

    /// Returns the hash that an entry of this content must carry.
    ///
    /// # Errors
    /// [`NotCanonical`] if the event has no canonical form.
    pub fn expected_hash(
        seq: u64,
        previous: Option<Digest>,
        event: &HistoryEvent,
    ) -> Result<Digest, NotCanonical> {
        let value = serde_json::json!({ "seq": seq, "previous": previous, "event": event });
        canonical::digest(&value)
    }
}
