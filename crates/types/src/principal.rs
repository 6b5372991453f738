//! Who acts.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Who acts. The surface a request came in by decides it, never the request.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type", rename_all = "lowercase", rename_all_fields = "camelCase")]
pub enum Principal {
    /// An authenticated person: the owner of the runtime root at a terminal.
    Cli {
        /// The name of the operating system's user.
        user: String,
    },
    /// A model-driven caller. It may list, inspect, validate and ask.
    Agent {
        /// The agent's name, given by the surface it came in by.
        agent: String,
        /// The persisted message event that its request belongs to.
        event_id: Option<String>,
    },
}

impl Principal {
    /// Returns what is stored in a record's `installedBy`: `cli` or `agent`.
    pub fn installed_by(&self) -> &'static str {
        match self {
            Self::Cli { .. } => "cli",
            Self::Agent { .. } => "agent",
        }
    }

    /// Tells whether this is a model-driven caller.
    pub fn is_agent(&self) -> bool {
        matches!(self, Self::Agent { .. })
    }
}

impl fmt::Display for Principal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Cli { user } => write!(f, "cli:{user}"),
            Self::Agent { agent, .. } => write!(f, "agent:{agent}"),
        }
    }
}
