//! What is checked, and how much of it.

use serde::{Deserialize, Serialize};

/// A module has at most this many bytes: the stack that the parser gets grows with the text, and a
/// bundle of a large library stays below.
pub const MAX_SOURCE_BYTES: usize = 1024 * 1024;

/// Brackets are nested at most this deep. People write 20; minified bundles reach 60.
pub const MAX_BRACKET_DEPTH: usize = 256;

/// The syntax tree is at most this deep. Chains such as `a + b + …` and `else if` count too, and the
/// analysis after the parse takes time that is quadratic in the depth.
pub const MAX_TREE_DEPTH: usize = 2048;

/// At most this many syntax errors are told of one module.
pub const MAX_SYNTAX_PROBLEMS: usize = 20;

/// The language of a module, as its file name tells it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Language {
    /// `.mjs` and `.js`: an ES module.
    JavaScript,
    /// `.jsx`: an ES module with JSX.
    Jsx,
    /// `.ts` and `.mts`: a TypeScript module.
    TypeScript,
    /// `.tsx`: a TypeScript module with JSX.
    Tsx,
}

impl Language {
    /// Returns the language of a program, module or not, or `None` when it is none: other
    /// extensions, and declaration files.
    pub fn of_program(name: &str) -> Option<Self> {
        let (stem, extension) = name.rsplit_once('.')?;
        match extension {
            "cjs" => Some(Self::JavaScript),
            "cts" if !stem.ends_with(".d") => Some(Self::TypeScript),
            _ => Self::from_file_name(name),
        }
    }

    /// Returns the language of a file, or `None` when it is no module: other extensions, `.cjs`,
    /// `.cts`, and declaration files (`.d.ts`).
    pub fn from_file_name(name: &str) -> Option<Self> {
        let (stem, extension) = name.rsplit_once('.')?;
        match extension {
            "mjs" | "js" => Some(Self::JavaScript),
            "jsx" => Some(Self::Jsx),
            "ts" | "mts" if stem.ends_with(".d") => None,
            "ts" | "mts" => Some(Self::TypeScript),
            "tsx" => Some(Self::Tsx),
            _ => None,
        }
    }
}

/// A module: its text, and how to read it.
#[derive(Clone, Copy, Debug)]
pub struct Source<'a> {
    /// The whole text. A byte-order mark at its beginning is not part of the module.
    pub text: &'a str,
    /// The language.
    pub language: Language,
}
