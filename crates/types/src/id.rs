//! Capability ids: the Agent Skills name rule.

use std::fmt;
use std::str::FromStr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use unicode_normalization::{UnicodeNormalization, is_nfc};
use unicode_properties::{GeneralCategory, UnicodeGeneralCategory};

use crate::{Code, Coded, Kind, printable};

/// The id of a capability, unique over all kinds.
///
/// 1 to 64 Unicode lower-case letters, digits and hyphens, in normalisation form C, without a
/// leading, trailing or double hyphen (source: the Agent Skills specification, field `name`).
#[derive(
    Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(try_from = "String", into = "String")]
#[schemars(with = "String", extend("minLength" = 1, "maxLength" = 64))]
pub struct CapabilityId(String);

impl CapabilityId {
    /// The most characters an id may have: the Agent Skills limit.
    pub const MAX_CHARS: usize = 64;
    /// The most characters an MCP id may have, so that `mcp__<id>__<tool>` stays under the 64
    /// characters that model APIs allow for a tool name.
    pub const MAX_MCP_CHARS: usize = 32;

    /// Validates an id.
    ///
    /// # Errors
    /// [`InvalidId`] says which rule the text breaks.
    pub fn new(text: &str) -> Result<Self, InvalidId> {
        let invalid = |rule| Err(InvalidId { id: text.to_owned(), rule });
        if text.is_empty() {
            return invalid("it is empty");
        }
        if text.chars().count() > Self::MAX_CHARS {
            return invalid("it has more than 64 characters");
        }
        if !text.is_ascii() && !is_nfc(text) {
            return invalid("it is not in Unicode normalisation form C");
        }
        if text.chars().any(is_upper_case) {
            return invalid("it has an upper-case letter");
        }
        if !text.chars().all(is_id_char) {
            return invalid("only lower-case letters, digits and hyphens are allowed");
        }
        if text.starts_with('-') || text.ends_with('-') {
            return invalid("it starts or ends with a hyphen");
        }
        if text.contains("--") {
            return invalid("it has two hyphens in a row");
        }
        Ok(Self(text.to_owned()))
    }

    /// Validates an id for a kind: an `mcp` id is ASCII, at most 32 characters, and starts with a
    /// letter, so that the tool names built from it are unambiguous.
    ///
    /// # Errors
    /// [`InvalidId`] says which rule the text breaks.
    pub fn for_kind(text: &str, kind: Kind) -> Result<Self, InvalidId> {
        let id = Self::new(text)?;
        if kind == Kind::Mcp {
            let invalid = |rule| Err(InvalidId { id: text.to_owned(), rule });
            if !text.is_ascii() {
                return invalid("an mcp id is ASCII");
            }
            if text.len() > Self::MAX_MCP_CHARS {
                return invalid("an mcp id has at most 32 characters");
            }
            if !text.starts_with(|c: char| c.is_ascii_lowercase()) {
                return invalid("an mcp id starts with a letter");
            }
        }
        Ok(id)
    }

    /// Validates a name as a person wrote it in a manifest: white space around it is dropped and
    /// it is brought to normalisation form KC first, as the Agent Skills reference does.
    ///
    /// # Errors
    /// [`InvalidId`] says which rule the normalised text breaks.
    pub fn from_manifest_name(name: &str) -> Result<Self, InvalidId> {
        Self::new(&name.trim().nfkc().collect::<String>())
    }

    /// Returns the id as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// Tells whether a character is a letter that has a different lower-case form.
fn is_upper_case(c: char) -> bool {
    let mut lower = c.to_lowercase();
    lower.next() != Some(c) || lower.next().is_some()
}

/// Letters and numbers by general category. `char::is_alphanumeric` would also allow combining
/// vowel signs, which the Agent Skills reference refuses.
fn is_id_char(c: char) -> bool {
    use GeneralCategory as G;
    c == '-'
        || matches!(
            c.general_category(),
            G::LowercaseLetter
                | G::OtherLetter
                | G::ModifierLetter
                | G::UppercaseLetter
                | G::DecimalNumber
                | G::LetterNumber
                | G::OtherNumber
        )
}

impl fmt::Display for CapabilityId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl AsRef<str> for CapabilityId {
    fn as_ref(&self) -> &str {
        &self.0
    }
}

/// A text breaks the rule for ids.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{}` is not a capability id: {rule}", printable(.id))]
pub struct InvalidId {
    /// The text as it was given.
    pub id: String,
    /// The rule it breaks.
    pub rule: &'static str,
}

impl Coded for InvalidId {
    fn code(&self) -> Code {
        Code::IdInvalid
    }
}

impl FromStr for CapabilityId {
    type Err = InvalidId;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::new(text)
    }
}

impl TryFrom<String> for CapabilityId {
    type Error = InvalidId;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        Self::new(&text)
    }
}

impl From<CapabilityId> for String {
    fn from(id: CapabilityId) -> Self {
        id.0
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::CapabilityId;
    use crate::Kind;

    #[track_caller]
    fn check(text: &str, accepted: bool) {
        assert_eq!(CapabilityId::new(text).is_ok(), accepted, "{text:?}");
    }

    #[test]
    fn accepts_what_the_specification_accepts() {
        for text in ["a", "pdf-forms", "1", "技能", "мой-навык", "навык", "a1-b2", "ß"]
        {
            check(text, true);
        }
    }

    #[test]
    fn refuses_what_the_specification_refuses() {
        for text in [
            "",
            "-a",
            "a-",
            "a--b",
            "MySkill",
            "НАВЫК",
            "my_skill",
            "my skill",
            "a.b",
            "a/b",
            "..",
            ".hidden",
            "a\nb",
            "a\0b",
            "$(x)",
            "*",
            "é\u{301}",
            "cafe\u{301}",
            "\u{200b}a",
            "😀",
        ] {
            check(text, false);
        }
    }

    #[test]
    fn length_limit_holds_on_both_sides() {
        check(&"a".repeat(64), true);
        check(&"a".repeat(65), false);
        check(&"ж".repeat(64), true);
        assert!(CapabilityId::for_kind(&"a".repeat(32), Kind::Mcp).is_ok());
        assert!(CapabilityId::for_kind(&"a".repeat(33), Kind::Mcp).is_err());
        assert!(CapabilityId::for_kind("1a", Kind::Mcp).is_err());
        assert!(CapabilityId::for_kind("навык", Kind::Mcp).is_err());
    }

    #[test]
    fn manifest_names_are_normalised_first() {
        let id = CapabilityId::from_manifest_name(" cafe\u{301} ").expect("composes to café");
        assert_eq!(id.as_str(), "café");
    }

    proptest! {
        #[test]
        fn an_accepted_id_is_one_safe_path_part(text in "\\PC{0,70}") {
            if let Ok(id) = CapabilityId::new(&text) {
                prop_assert!(!id.as_str().contains(['/', '\\', '.', '\0', ' ']));
                prop_assert_eq!(crate::PackagePath::new(id.as_str()).map(|p| p.as_str().len()).ok(),
                    Some(text.len()).filter(|_| crate::PackagePath::new(&text).is_ok()));
            }
        }
    }
}
