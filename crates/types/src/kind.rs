//! The closed sets: kinds of capabilities and where their bytes come from.

use std::fmt;
use std::str::FromStr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::printable;

/// A text is not one of the words of a closed set.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{}` is not a {set}: expected one of {expected}", printable(.word))]
pub struct UnknownWord {
    /// The text as it was given.
    pub word: String,
    /// What the set is called.
    pub set: &'static str,
    /// The words of the set, for the message.
    pub expected: &'static str,
}

macro_rules! words {
    ($(#[$doc:meta])* $name:ident, $set:literal, $expected:literal {
        $($(#[$vdoc:meta])* $variant:ident = $word:literal,)+
    }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
        #[serde(rename_all = "lowercase")]
        pub enum $name { $($(#[$vdoc])* $variant,)+ }

        impl $name {
            /// Every word of the set, in the order they are listed.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)+];

            /// Returns the word as it is written.
            pub fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $word,)+ }
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.pad(self.as_str())
            }
        }

        impl FromStr for $name {
            type Err = UnknownWord;

            fn from_str(text: &str) -> Result<Self, Self::Err> {
                match text {
                    $($word => Ok(Self::$variant),)+
                    _ => Err(UnknownWord { word: text.to_owned(), set: $set, expected: $expected }),
                }
            }
        }
    };
}

words! {
    /// How a managed capability enters a runtime. A closed set (source: the registry's seed).
    Kind, "kind", "`skill`, `tool`, `worker`, `mcp`" {
        /// Instructions with supporting files: a `SKILL.md`.
        Skill = "skill",
        /// A module that exports `defineTool(…)` results.
        Tool = "tool",
        /// A module that exports `defineAgentProfile(…)` results: a subagent.
        Worker = "worker",
        /// A connection to an MCP server.
        Mcp = "mcp",
    }
}

impl Kind {
    /// Returns the name of the folder that holds packages of this kind: `skills`, `tools`,
    /// `workers`, `mcps`.
    pub fn folder(self) -> &'static str {
        match self {
            Self::Skill => "skills",
            Self::Tool => "tools",
            Self::Worker => "workers",
            Self::Mcp => "mcps",
        }
    }

    /// Tells whether capabilities of this kind have a package of files.
    pub fn has_package(self) -> bool {
        self != Self::Mcp
    }

    /// Tells whether capabilities of this kind run code or reach out, and so are enabled by a
    /// separate step.
    pub fn is_executable(self) -> bool {
        self != Self::Skill
    }
}

words! {
    /// Where the bytes of a recorded capability came from.
    StoredSource, "source", "`github`, `local`, `npm`, `builtin`" {
        /// A GitHub repository.
        Github = "github",
        /// A folder on this machine.
        Local = "local",
        /// Stored by older writers only; never requested anew.
        Npm = "npm",
        /// Part of a host; never requested anew.
        Builtin = "builtin",
    }
}

words! {
    /// The sources a new request may name.
    RequestSource, "source that can be requested", "`github`, `local`" {
        /// A GitHub repository.
        Github = "github",
        /// A folder on this machine.
        Local = "local",
    }
}

impl From<RequestSource> for StoredSource {
    fn from(source: RequestSource) -> Self {
        match source {
            RequestSource::Github => Self::Github,
            RequestSource::Local => Self::Local,
        }
    }
}
