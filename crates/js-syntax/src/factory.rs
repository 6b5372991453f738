//! The factories, and the authoring modules they come from.

use serde::{Deserialize, Serialize};

/// What a module is to be, which decides the factory whose results it exports.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ModuleKind {
    /// A tool: `defineTool`.
    Tool,
    /// A worker: `defineAgentProfile`, or `defineSubagent` as it is called later.
    Worker,
    /// A capability of the workforce: `defineCapability`, and exactly one, as the default export.
    Capability,
}

impl ModuleKind {
    /// Returns the word.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Tool => "tool",
            Self::Worker => "worker",
            Self::Capability => "capability",
        }
    }

    /// Returns the factory that is named in advice.
    pub(crate) fn factory(self) -> &'static Factory {
        FACTORIES.iter().find(|factory| factory.kind == self).expect("every kind has a factory")
    }
}

/// A function whose results a module may export.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Factory {
    pub(crate) name: &'static str,
    /// The modules that export it, the usual one first.
    pub(crate) modules: &'static [&'static str],
    pub(crate) kind: ModuleKind,
}

const RUNTIME: &str = "@flue/runtime";

/// Every factory; the first of a kind is the one to recommend.
pub(crate) static FACTORIES: &[Factory] = &[
    Factory {
        name: "defineTool",
        modules: &[RUNTIME, "@flue/runtime/tool"],
        kind: ModuleKind::Tool,
    },
    Factory { name: "defineAgentProfile", modules: &[RUNTIME], kind: ModuleKind::Worker },
    Factory { name: "defineSubagent", modules: &[RUNTIME], kind: ModuleKind::Worker },
    Factory {
        name: "defineCapability",
        modules: &["@flow-state-dev/core"],
        kind: ModuleKind::Capability,
    },
];

/// Returns the factory that `module` exports as `name`.
pub(crate) fn factory(module: &str, name: &str) -> Option<&'static Factory> {
    named(name).filter(|factory| factory.modules.contains(&module))
}

/// Returns the factory of that name, wherever it comes from.
pub(crate) fn named(name: &str) -> Option<&'static Factory> {
    FACTORIES.iter().find(|factory| factory.name == name)
}

/// Returns whether a factory comes from `module`.
pub(crate) fn is_authoring(module: &str) -> bool {
    FACTORIES.iter().any(|factory| factory.modules.contains(&module))
}
