//! Rules that are data: patterns in TOML files, compiled in.
//!
//! A file is looked through once for the keywords of all rules; only a rule of which a keyword is
//! there compiles its expression and looks itself. Expressions are linear in the text, whatever the
//! text is.

mod check;
mod context;
mod decode;
mod own;
mod redact;
mod run;
mod spans;
mod surroundings;

use std::fmt;
use std::sync::OnceLock;

use aho_corasick::{AhoCorasick, AhoCorasickBuilder, AhoCorasickKind};
use kitbag_types::Severity;
use regex::bytes::{Regex, RegexBuilder};
use serde::Deserialize;

pub use own::{InvalidRules, MAX_OWN_RULES, MAX_RULES_BYTES};
pub(crate) use own::{Override, read as read_own};
pub use redact::redact;
pub(crate) use run::{inspect, inspect_calls};
pub(crate) use spans::Spans;

use crate::rules::{Family, Layer, RuleInfo};

/// The files of built-in rules.
pub(crate) const FILES: [(&str, &str); 4] = [
    ("secret.toml", include_str!("../rules/secret.toml")),
    ("code.toml", include_str!("../rules/code.toml")),
    ("prompt.toml", include_str!("../rules/prompt.toml")),
    ("path.toml", include_str!("../rules/path.toml")),
];

/// The most bytes that a compiled expression may take: far above what any rule needs, far below
/// what a counted repetition by mistake would.
const MAX_COMPILED: usize = 4 << 20;

/// A file of rules.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    rule: Vec<Pattern>,
}

/// Where in a package a rule looks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Where {
    /// The front matter of a Markdown file.
    FrontMatter,
    /// Prose of a Markdown or text file, tables and links among it.
    Prose,
    /// A fenced or indented code block.
    Fenced,
    /// Code in a line of prose.
    Inline,
    /// An HTML comment: a model reads it, a person does not.
    Comment,
    /// A file that an interpreter runs.
    Script,
    /// Data that programs load, and anything else.
    Data,
}

/// One rule.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Pattern {
    pub(crate) id: String,
    family: Word,
    severity: Severity,
    /// The severity in a package that is run, a tool or a worker, where it is another.
    #[serde(default)]
    executable: Option<Severity>,
    pub(crate) layer: Layer,
    /// What it fires on, one lower-case fragment; also the message of a finding.
    meaning: String,
    remedy: String,
    /// At least one is in every text that it fires on; lower case, compared without case.
    pub(crate) keywords: Vec<String>,
    /// What it fires on. The group `s`, or else `x`, where there is one, is the secret.
    pattern: String,
    /// How far from a keyword a match may begin or end, in bytes. A match that is longer is seen as
    /// far as this.
    #[serde(default = "Pattern::default_reach")]
    reach: usize,
    /// Looked for near the match, where there is one.
    #[serde(default)]
    near: Option<Near>,
    /// Where it looks; everywhere if empty.
    #[serde(default)]
    roles: Vec<Where>,
    /// The least entropy of the secret, in bits a character.
    #[serde(default)]
    entropy: f64,
    /// A secret that any of these fits is none.
    #[serde(default)]
    allow: Vec<String>,
    /// A match on a line that any of these fits is none.
    #[serde(default, rename = "allow-line")]
    allow_line: Vec<String>,
    /// Whether what people write in the place of a secret is looked out for.
    #[serde(default)]
    placeholders: Placeholders,
    /// How many characters of the secret are the same in every one, and may be shown.
    #[serde(default)]
    prefix: usize,
    /// Texts that it fires on, and texts that it must not fire on.
    positive: Vec<String>,
    negative: Vec<String>,
    #[serde(skip)]
    compiled: OnceLock<Regex>,
    #[serde(skip)]
    allowed: OnceLock<Vec<Regex>>,
    #[serde(skip)]
    allowed_lines: OnceLock<Vec<Regex>>,
}

/// Something that has to stand near a match.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Near {
    pattern: String,
    /// How many bytes before and behind the match are looked at.
    bytes: usize,
    #[serde(skip)]
    compiled: OnceLock<Regex>,
}

/// What is taken for the place of a secret instead of one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Placeholders {
    /// Nothing.
    None,
    /// Only what nobody could take for a secret: one character over and over, `xxx`, `EXAMPLE`.
    #[default]
    Plain,
    /// Also words, sequences, UUIDs and digests.
    Broad,
}

#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Word {
    Secret,
    Code,
    Prompt,
    Path,
}

impl Pattern {
    /// Far enough for what is written on a few lines.
    fn default_reach() -> usize {
        1024
    }

    /// Returns the rule as the documentation and the reports know it.
    pub(crate) fn info(&self) -> RuleInfo {
        let family = match self.family {
            Word::Secret => Family::Secret,
            Word::Code => Family::Code,
            Word::Prompt => Family::Prompt,
            Word::Path => Family::Path,
        };
        RuleInfo::data(
            self.id.clone(),
            family,
            self.severity,
            self.meaning.clone(),
            self.remedy.clone(),
        )
        .of_layer(self.layer)
        .with_examples(self.positive.clone(), self.negative.clone())
    }

    fn is_prompt(&self) -> bool {
        matches!(self.family, Word::Prompt)
    }

    fn is_secret(&self) -> bool {
        matches!(self.family, Word::Secret)
    }

    fn is_path(&self) -> bool {
        matches!(self.family, Word::Path)
    }

    fn regex(&self) -> &Regex {
        self.compiled.get_or_init(|| compile(&self.pattern))
    }

    fn allows(&self, secret: &[u8], line: &[u8]) -> bool {
        let all = |patterns: &[String]| patterns.iter().map(|pattern| compile(pattern)).collect();
        let allowed: &Vec<Regex> = self.allowed.get_or_init(|| all(&self.allow));
        let lines: &Vec<Regex> = self.allowed_lines.get_or_init(|| all(&self.allow_line));
        allowed.iter().any(|allow| allow.is_match(secret))
            || lines.iter().any(|allow| allow.is_match(line))
    }
}

impl Near {
    fn regex(&self) -> &Regex {
        self.compiled.get_or_init(|| compile(&self.pattern))
    }
}

fn compile(pattern: &str) -> Regex {
    try_compile(pattern)
        .expect("a test compiles every built-in pattern, and its reading every other")
}

fn try_compile(pattern: &str) -> Result<Regex, regex::Error> {
    RegexBuilder::new(pattern)
        // Of bytes, with the ASCII sense of `\w`, `\d` and `\b`: a hundred times faster to compile.
        .unicode(false)
        .size_limit(MAX_COMPILED)
        .build()
}

/// The built-in rules with what finds their keywords.
pub(crate) struct Patterns {
    pub(crate) rules: Vec<Pattern>,
    keywords: AhoCorasick,
    /// The rule of each keyword.
    owner: Vec<usize>,
}

impl Patterns {
    /// Puts rules together.
    fn of(rules: Vec<Pattern>) -> Result<Self, aho_corasick::BuildError> {
        let mut keywords = Vec::new();
        let mut owner = Vec::new();
        for (at, rule) in rules.iter().enumerate() {
            for keyword in &rule.keywords {
                keywords.push(keyword.clone());
                owner.push(at);
            }
        }
        let keywords = AhoCorasickBuilder::new()
            .ascii_case_insensitive(true)
            // A table of some hundred kilobytes, which is read twice as fast as what it is made of.
            .kind(Some(AhoCorasickKind::DFA))
            .build(&keywords)?;
        Ok(Self { rules, keywords, owner })
    }
}

impl fmt::Debug for Patterns {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Patterns({} rules)", self.rules.len())
    }
}

/// Returns the built-in rules, read once for the process.
pub(crate) fn builtin() -> &'static Patterns {
    static PATTERNS: OnceLock<Patterns> = OnceLock::new();
    PATTERNS.get_or_init(|| {
        let mut rules = Vec::new();
        for (name, text) in FILES {
            let file: File = toml::from_str(text)
                .unwrap_or_else(|error| unreachable!("a test reads {name}: {error}"));
            // A rule that does not prove itself is none.
            let proven = |rule: &Pattern| !rule.positive.is_empty() && rule.negative.len() >= 2;
            rules.extend(file.rule.into_iter().filter(proven));
        }
        Patterns::of(rules).expect("a few hundred short keywords")
    })
}

#[cfg(test)]
mod tests;
