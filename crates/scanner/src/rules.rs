//! The rules as values: what they are called, how much they weigh, what they mean.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use kitbag_types::{Digest, Severity};

use crate::pattern::{self, InvalidRules, Override, Pattern, Patterns};
use crate::{Mode, SyntaxChild, rule_table};

/// Counts up whenever a rule judges the same bytes differently although its line in the table is
/// the same, so that stored reports of older rules are told from current ones.
const RULES_VERSION: u32 = 2;

/// What a rule looks at. The first part of its id.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Family {
    /// The shape of the package: links, devices, paths, sizes, portability.
    Package,
    /// What the manifest says, and whether it can be read.
    Manifest,
    /// Encoding and characters of text.
    Text,
    /// What a file is, against what it poses as.
    Content,
    /// Values of credentials.
    Secret,
    /// What programs and commands do.
    Code,
    /// Instructions aimed at the model against its user.
    Prompt,
    /// Paths of one machine.
    Path,
}

impl Family {
    /// Every family, in the order of the documentation.
    pub const ALL: &'static [Self] = &[
        Self::Package,
        Self::Content,
        Self::Text,
        Self::Manifest,
        Self::Secret,
        Self::Path,
        Self::Code,
        Self::Prompt,
    ];

    /// Returns the word in front of the slash.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Package => "package",
            Self::Content => "content",
            Self::Secret => "secret",
            Self::Code => "code",
            Self::Prompt => "prompt",
            Self::Path => "path",
            Self::Text => "text",
            Self::Manifest => "manifest",
        }
    }
}

impl fmt::Display for Family {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// What a finding of a rule is worth.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Layer {
    /// An exact fact about bytes or shape: nothing around it makes it less of one.
    Contract,
    /// A sign: what is said around it counts, and a person may accept it.
    Indicator,
}

impl Layer {
    /// Returns the word.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Contract => "contract",
            Self::Indicator => "indicator",
        }
    }
}

/// One rule, as the documentation shows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RuleInfo {
    id: Cow<'static, str>,
    family: Family,
    layer: Layer,
    lenient: Severity,
    strict: Severity,
    meaning: Cow<'static, str>,
    remedy: Option<Cow<'static, str>>,
    fires_on: Vec<String>,
    silent_on: Vec<String>,
}

impl RuleInfo {
    /// Makes a rule that weighs the same in both modes.
    pub(crate) fn new(
        id: &'static str,
        family: Family,
        severity: Severity,
        meaning: &'static str,
        remedy: Option<&'static str>,
    ) -> Self {
        Self {
            id: id.into(),
            family,
            layer: Layer::Contract,
            lenient: severity,
            strict: severity,
            meaning: meaning.into(),
            remedy: remedy.map(Cow::from),
            fires_on: Vec::new(),
            silent_on: Vec::new(),
        }
    }

    /// Makes a rule that is data.
    pub(crate) fn data(
        id: String,
        family: Family,
        severity: Severity,
        meaning: String,
        remedy: String,
    ) -> Self {
        let (meaning, remedy) = (meaning.into(), Some(remedy.into()));
        Self { id: id.into(), meaning, remedy, ..Self::new("", family, severity, "", None) }
    }

    /// Returns the rule with texts that it fires on, and texts that it must not fire on.
    pub(crate) fn with_examples(self, fires_on: Vec<String>, silent_on: Vec<String>) -> Self {
        Self { fires_on, silent_on, ..self }
    }

    /// Returns the rule with another weight in [`Mode::Strict`].
    pub(crate) fn strictly(self, strict: Severity) -> Self {
        Self { strict, ..self }
    }

    /// Returns the rule in another layer than [`Layer::Contract`].
    pub(crate) fn of_layer(self, layer: Layer) -> Self {
        Self { layer, ..self }
    }

    /// Returns the id, e.g. `text/bidi-control`.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// Returns the family, the part of the id in front of the slash.
    pub fn family(&self) -> Family {
        self.family
    }

    /// Returns what a finding of this rule is worth.
    pub fn layer(&self) -> Layer {
        self.layer
    }

    /// Returns how much a finding of this rule weighs.
    pub fn severity(&self, mode: Mode) -> Severity {
        match mode {
            Mode::Strict => self.strict,
            Mode::Lenient => self.lenient,
        }
    }

    /// Returns what the rule fires on, one lower-case fragment.
    pub fn meaning(&self) -> &str {
        &self.meaning
    }

    /// Returns what to do about it in general, where there is one answer.
    pub fn remedy(&self) -> Option<&str> {
        self.remedy.as_deref()
    }

    /// Returns texts that it fires on, where it is a pattern. A test holds it to them.
    pub fn fires_on(&self) -> &[String] {
        &self.fires_on
    }

    /// Returns texts like them that it does not fire on.
    pub fn silent_on(&self) -> &[String] {
        &self.silent_on
    }
}

/// The rules that judge a package.
#[derive(Clone, Debug)]
pub struct RuleSet {
    /// Sorted by id, each id once.
    rules: Vec<RuleInfo>,
    digest: Digest,
    syntax: Option<SyntaxChild>,
    /// What the owner of a runtime root added.
    own: Option<Arc<Patterns>>,
}

impl RuleSet {
    /// Returns the rules that are part of this crate.
    pub fn builtin() -> Self {
        Self::of(rule_table::builtin(), &pattern::FILES.map(|(_, text)| text))
    }

    /// Makes a set of rules, and of the texts that say what some of them look for.
    fn of(mut rules: Vec<RuleInfo>, patterns: &[&str]) -> Self {
        rules.sort_by(|a, b| a.id.cmp(&b.id));
        rules.dedup_by(|a, b| a.id == b.id);
        let digest = digest_of(&rules, patterns);
        Self { rules, digest, syntax: None, own: None }
    }

    /// Makes a set of one rule.
    pub(crate) fn only(rule: RuleInfo) -> Self {
        Self::of(vec![rule], &[])
    }

    /// Returns the rules with those of an owner, and with the weights that the owner gives to
    /// others: the text of a `scanner.toml` (`docs/scanner.md`, "Rules of your own").
    ///
    /// # Errors
    /// [`InvalidRules`] if it is not such a text, or a rule does not do what it says of itself.
    pub fn with_own(self, text: &str) -> Result<Self, InvalidRules> {
        let own = pattern::read_own(text, &self)?;
        let mut rules = self.rules;
        for (id, Override { severity, enabled }) in &own.overrides {
            rules.retain(|rule| *enabled || rule.id() != id);
            for rule in rules.iter_mut().filter(|rule| rule.id() == id) {
                if let Some(severity) = *severity {
                    rule.lenient = severity;
                    rule.strict = rule.strict.max(severity);
                }
            }
        }
        rules.extend(own.patterns.rules.iter().map(Pattern::info));
        let mut texts: Vec<&str> = pattern::FILES.iter().map(|(_, text)| *text).collect();
        texts.push(text);
        let set = Self::of(rules, &texts);
        Ok(Self { syntax: self.syntax, own: Some(Arc::new(own.patterns)), ..set })
    }

    /// Returns the keywords by which rules are woken, lower case; one may be there more than once.
    pub fn keywords(&self) -> impl Iterator<Item = &str> {
        self.patterns()
            .flat_map(|patterns| &patterns.rules)
            .flat_map(|rule| rule.keywords.iter().map(String::as_str))
    }

    /// Returns the patterns that look at files: the built-in ones, and those of the owner.
    pub(crate) fn patterns(&self) -> impl Iterator<Item = &Patterns> {
        std::iter::once(pattern::builtin()).chain(self.own.as_deref())
    }

    /// Returns the rules with a child that parses programs for them. Without one, programs are read
    /// by pattern alone, and the coverage of a report says so.
    #[must_use]
    pub fn with_syntax(self, child: SyntaxChild) -> Self {
        Self { syntax: Some(child), ..self }
    }

    pub(crate) fn syntax(&self) -> Option<&SyntaxChild> {
        self.syntax.as_ref()
    }

    /// Returns the digest over the ids and severities of the rules, what those that are data look
    /// for, and the version of the code of the others: two reports are comparable where it is equal.
    pub fn digest(&self) -> Digest {
        self.digest
    }

    /// Returns the rules, by id.
    pub fn rules(&self) -> impl Iterator<Item = &RuleInfo> {
        self.rules.iter()
    }

    /// Returns the rule of this id, where there is one.
    pub fn get(&self, id: &str) -> Option<&RuleInfo> {
        self.rules.binary_search_by(|rule| rule.id().cmp(id)).ok().map(|at| &self.rules[at])
    }
}

fn digest_of(rules: &[RuleInfo], patterns: &[&str]) -> Digest {
    use std::fmt::Write as _;
    let mut text = format!("kitbag-scanner-rules {RULES_VERSION}\n");
    for rule in rules {
        writeln!(text, "{} {} {}", rule.id, rule.lenient, rule.strict)
            .expect("writing to a string cannot fail");
    }
    for pattern in patterns {
        writeln!(text, "{}", Digest::of_bytes(pattern.as_bytes()))
            .expect("writing to a string cannot fail");
    }
    Digest::of_bytes(text.as_bytes())
}

#[cfg(test)]
mod tests {
    use kitbag_types::Severity;

    use super::{Family, RuleInfo, RuleSet};
    use crate::Mode;

    #[test]
    fn every_rule_is_complete_and_in_its_family() {
        let set = RuleSet::builtin();
        assert!(set.rules().count() > 30);
        for rule in set.rules() {
            let (family, name) = rule.id().split_once('/').expect("an id has a family");
            assert_eq!(family, rule.family().as_str(), "{}", rule.id());
            assert!(
                name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-'),
                "{}",
                rule.id()
            );
            assert!(!rule.meaning().is_empty() && !rule.meaning().ends_with('.'), "{}", rule.id());
            assert!(rule.severity(Mode::Strict) >= rule.severity(Mode::Lenient), "{}", rule.id());
            assert_eq!(set.get(rule.id()), Some(rule));
        }
        assert_eq!(set.get("text/no-such-rule"), None);
    }

    #[test]
    fn every_family_has_rules() {
        let set = RuleSet::builtin();
        for family in Family::ALL {
            assert!(set.rules().any(|rule| rule.family() == *family), "{family}");
        }
    }

    #[test]
    fn the_digest_follows_ids_severities_and_patterns_and_nothing_else() {
        let rule = |id, severity, meaning| RuleInfo::new(id, Family::Text, severity, meaning, None);
        let digest = |rules| RuleSet::of(rules, &["a pattern"]).digest();
        let base =
            digest(vec![rule("text/a", Severity::Low, "x"), rule("text/b", Severity::Low, "x")]);
        let same = [
            vec![rule("text/b", Severity::Low, "x"), rule("text/a", Severity::Low, "x")],
            vec![rule("text/a", Severity::Low, "y"), rule("text/b", Severity::Low, "z")],
        ];
        for rules in same {
            assert_eq!(digest(rules), base);
        }
        let rules = || vec![rule("text/a", Severity::Low, "x"), rule("text/b", Severity::Low, "x")];
        assert_ne!(RuleSet::of(rules(), &["another"]).digest(), base);
        let other = [
            vec![rule("text/a", Severity::Low, "x")],
            vec![rule("text/a", Severity::Info, "x"), rule("text/b", Severity::Low, "x")],
            vec![
                rule("text/a", Severity::Low, "x").strictly(Severity::High),
                rule("text/b", Severity::Low, "x"),
            ],
        ];
        for rules in other {
            assert_ne!(digest(rules), base);
        }
    }
}
