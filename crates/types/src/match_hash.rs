//! How a finding is recognised again without what it matched.

use std::fmt;
use std::str::FromStr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::UnknownWord;

/// The keyed hash of what a finding matched: 16 lower-case hex digits, the first 64 bits of an
/// HMAC-SHA-256 (source: RFC 2104). Whoever lacks the key learns nothing of the match from it.
#[derive(
    Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(try_from = "String", into = "String")]
#[schemars(with = "String")]
pub struct MatchHash(String);

impl MatchHash {
    /// How many hex digits it has.
    pub const DIGITS: usize = 16;

    /// Shortens a keyed hash.
    pub fn of_mac(mac: &[u8; 32]) -> Self {
        Self(mac.iter().take(Self::DIGITS / 2).map(|byte| format!("{byte:02x}")).collect())
    }

    /// Returns the digits.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for MatchHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

impl FromStr for MatchHash {
    type Err = UnknownWord;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let is_digit = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
        if text.len() == Self::DIGITS && text.bytes().all(is_digit) {
            return Ok(Self(text.to_owned()));
        }
        Err(UnknownWord {
            word: text.to_owned(),
            set: "match hash",
            expected: "16 lower-case hex digits, as a finding shows them",
        })
    }
}

impl TryFrom<String> for MatchHash {
    type Error = UnknownWord;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        text.parse()
    }
}

impl From<MatchHash> for String {
    fn from(hash: MatchHash) -> Self {
        hash.0
    }
}

#[cfg(test)]
mod tests {
    use super::MatchHash;

    #[test]
    fn only_its_own_form_is_read() {
        let hash = MatchHash::of_mac(&[0xa5; 32]);
        assert_eq!(hash.as_str(), "a5a5a5a5a5a5a5a5");
        assert_eq!(hash.as_str().parse::<MatchHash>(), Ok(hash));
        for text in
            ["", "a5a5a5a5a5a5a5a", "a5a5a5a5a5a5a5a5a", "A5a5a5a5a5a5a5a5", "g5a5a5a5a5a5a5a5"]
        {
            assert!(text.parse::<MatchHash>().is_err(), "{text}");
        }
    }
}
