//! Rules and choices of whoever owns a runtime root: `scanner.toml`.

use std::collections::BTreeMap;
use std::fmt;

use kitbag_types::{PackagePath, Severity, printable};
use serde::Deserialize;
use thiserror::Error;

use super::{MAX_COMPILED, Near, Pattern, Patterns, Spans, Where};
use crate::report::FileReport;
use crate::rules::Layer;
use crate::{Options, RuleSet};

/// The most bytes of such a file: far above what a person writes, and read at once.
pub const MAX_RULES_BYTES: usize = 1 << 20;

/// The most rules in it: the built-in ones are not half as many, and each looks at every file.
pub const MAX_OWN_RULES: usize = 500;

/// Why a file of rules is not taken. Then nothing is scanned: fewer rules than the owner meant are
/// worse than none.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{}{}", Line(*line), printable(message))]
pub struct InvalidRules {
    /// The line, counted from 1, where it is known.
    pub line: Option<usize>,
    /// What is wrong.
    pub message: String,
}

impl InvalidRules {
    fn new(message: impl Into<String>) -> Self {
        Self { line: None, message: message.into() }
    }

    fn of(text: &str, error: &toml::de::Error) -> Self {
        let line = error.span().map(|span| text[..span.start].matches('\n').count() + 1);
        Self { line, message: error.message().to_owned() }
    }
}

struct Line(Option<usize>);

impl fmt::Display for Line {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.map_or(Ok(()), |line| write!(f, "line {line}: "))
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct OwnFile {
    #[serde(default)]
    rule: Vec<Pattern>,
    #[serde(default, rename = "override")]
    overrides: BTreeMap<String, Override>,
}

/// Another weight for a rule, or none.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Override {
    pub(crate) severity: Option<Severity>,
    #[serde(default = "yes")]
    pub(crate) enabled: bool,
}

fn yes() -> bool {
    true
}

/// What such a file holds, proven.
pub(crate) struct Own {
    pub(crate) patterns: Patterns,
    pub(crate) overrides: BTreeMap<String, Override>,
}

/// Reads a file of rules. `known` are the built-in ones.
pub(crate) fn read(text: &str, known: &RuleSet) -> Result<Own, InvalidRules> {
    if text.len() > MAX_RULES_BYTES {
        return Err(InvalidRules::new(format!("it has more than {MAX_RULES_BYTES} bytes")));
    }
    let file: OwnFile = toml::from_str(text).map_err(|error| InvalidRules::of(text, &error))?;
    if file.rule.len() > MAX_OWN_RULES {
        return Err(InvalidRules::new(format!("it has more than {MAX_OWN_RULES} rules")));
    }
    for (at, rule) in file.rule.iter().enumerate() {
        let twice = file.rule[..at].iter().any(|other| other.id == rule.id);
        check(rule, twice || known.get(&rule.id).is_some())
            .map_err(|why| InvalidRules::new(format!("rule `{}`: {why}", rule.id)))?;
    }
    for (id, choice) in &file.overrides {
        check_override(id, *choice, known)
            .map_err(|why| InvalidRules::new(format!("override of `{id}`: {why}")))?;
    }
    let patterns = Patterns::of(file.rule)
        .map_err(|error| InvalidRules::new(format!("the keywords: {error}")))?;
    Ok(Own { patterns, overrides: file.overrides })
}

/// A fact is not argued away by a line in a file; it may be taken more seriously.
fn check_override(id: &str, choice: Override, known: &RuleSet) -> Result<(), String> {
    let Some(rule) = known.get(id) else { return Err("there is no such rule".to_owned()) };
    let lightest = rule.severity(crate::Mode::Lenient);
    let lighter = !choice.enabled || choice.severity.is_some_and(|severity| severity < lightest);
    if rule.layer() == Layer::Contract && lighter {
        return Err("it tells a fact, which can only be given more weight".to_owned());
    }
    Ok(())
}

/// A rule is taken only if it does what it says of itself.
fn check(rule: &Pattern, is_taken: bool) -> Result<(), String> {
    let family = rule.info().family();
    let name = rule.id.strip_prefix(family.as_str()).and_then(|rest| rest.strip_prefix('/'));
    let is_name = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    if !name.is_some_and(|name| !name.is_empty() && name.chars().all(is_name)) {
        return Err(format!(
            "its id has to be `{family}/` and lower-case letters, digits, hyphens"
        ));
    }
    if is_taken {
        return Err("there is a rule of this id already".to_owned());
    }
    let bad = |word: &String| word.len() < 2 || *word != word.to_lowercase();
    if rule.keywords.is_empty() || rule.keywords.iter().any(bad) {
        return Err("it needs keywords, in lower case, of two letters at least".to_owned());
    }
    if rule.positive.is_empty() || rule.negative.len() < 2 {
        return Err(
            "it needs one text at least that it fires on, and two that it does not".to_owned()
        );
    }
    let near = rule.near.iter().map(|near: &Near| &near.pattern);
    let all = [&rule.pattern].into_iter().chain(near).chain(&rule.allow).chain(&rule.allow_line);
    for pattern in all {
        super::try_compile(pattern).map_err(|error| match error {
            regex::Error::CompiledTooBig(_) => {
                format!("a pattern takes more than {MAX_COMPILED} bytes once it is compiled")
            }
            error => error.to_string().lines().last().unwrap_or_default().to_owned(),
        })?;
    }
    if let Some(text) = rule.positive.iter().find(|text| !fires(rule, text)) {
        return Err(format!("it does not fire on its own example {text:?}"));
    }
    if let Some(text) = rule.negative.iter().find(|text| fires(rule, text)) {
        return Err(format!("it fires on {text:?}, which it says it does not"));
    }
    Ok(())
}

/// Tells whether a rule fires on a text, in the first place where it looks.
pub(super) fn fires(rule: &Pattern, text: &str) -> bool {
    let role = rule.roles.first().copied().unwrap_or(Where::Prose);
    let rules = RuleSet::only(rule.info());
    let path = PackagePath::new("SKILL.md").expect("a path that packages may hold");
    let mut report = FileReport::new(&rules, Options::default(), &path);
    super::run::inspect_by(rule, text.as_bytes(), &Spans::whole(role), &mut report);
    !report.finish().is_empty()
}
