//! `sha256:<hex>`.

use std::fmt;
use std::str::FromStr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

/// A SHA-256 digest, written `sha256:` and 64 lower-case hexadecimal digits.
///
/// Over a package's canonical listing it is the package digest: equal digests mean equal
/// packages. The listing's format is documented in `docs/digest.md`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "String", into = "String")]
#[schemars(with = "String", extend("pattern" = "^sha256:[0-9a-f]{64}$"))]
pub struct Digest([u8; 32]);

impl Digest {
    /// The algorithm prefix of the written form.
    pub const PREFIX: &'static str = "sha256:";

    /// Wraps 32 raw bytes.
    pub fn from_raw(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    /// Returns the SHA-256 of some bytes.
    pub fn of_bytes(bytes: &[u8]) -> Self {
        Self(Sha256::digest(bytes).into())
    }

    /// Returns the 32 raw bytes.
    pub fn as_raw(&self) -> &[u8; 32] {
        &self.0
    }

    /// Returns the 64 hexadecimal digits, without the prefix.
    pub fn hex(&self) -> String {
        use fmt::Write as _;
        let mut hex = String::with_capacity(64);
        for byte in self.0 {
            write!(hex, "{byte:02x}").expect("writing to a string cannot fail");
        }
        hex
    }

    /// Returns the prefix and the first 12 digits: enough for a person to tell versions apart.
    pub fn short(&self) -> String {
        format!("{}{}", Self::PREFIX, &self.hex()[..12])
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", Self::PREFIX, self.hex())
    }
}

impl fmt::Debug for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// A text is not `sha256:` and 64 lower-case hexadecimal digits.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{}` is not a digest: expected `sha256:` and 64 lower-case hexadecimal digits", crate::printable(.0))]
pub struct InvalidDigest(pub String);

impl FromStr for Digest {
    type Err = InvalidDigest;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let invalid = || InvalidDigest(text.to_owned());
        let hex = text.strip_prefix(Self::PREFIX).ok_or_else(invalid)?.as_bytes();
        if hex.len() != 64 {
            return Err(invalid());
        }
        let nibble = |digit: u8| match digit {
            b'0'..=b'9' => Some(digit - b'0'),
            b'a'..=b'f' => Some(digit - b'a' + 10),
            _ => None,
        };
        let mut raw = [0_u8; 32];
        for (byte, pair) in raw.iter_mut().zip(hex.chunks_exact(2)) {
            let (high, low) = (nibble(pair[0]), nibble(pair[1]));
            *byte = (high.ok_or_else(invalid)? << 4) | low.ok_or_else(invalid)?;
        }
        Ok(Self(raw))
    }
}

impl TryFrom<String> for Digest {
    type Error = InvalidDigest;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        text.parse()
    }
}

impl From<Digest> for String {
    fn from(digest: Digest) -> Self {
        digest.to_string()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::Digest;

    proptest! {
        #[test]
        fn written_form_round_trips(raw in any::<[u8; 32]>()) {
            let digest = Digest::from_raw(raw);
            prop_assert_eq!(digest.to_string().parse::<Digest>().expect("own form parses"), digest);
        }

        #[test]
        fn parsing_never_panics_and_accepts_one_spelling(text in "\\PC{0,80}") {
            if let Ok(digest) = text.parse::<Digest>() {
                prop_assert_eq!(digest.to_string(), text);
            }
        }
    }

    #[test]
    fn other_spellings_are_refused() {
        let hex = "0".repeat(64);
        for text in [
            "",
            "sha256:",
            &hex,
            &format!("SHA256:{hex}"),
            &format!("sha256:{}", "A".repeat(64)),
            &format!("sha256:{}", "0".repeat(63)),
            &format!("sha256:{}", "0".repeat(65)),
        ] {
            assert!(text.parse::<Digest>().is_err(), "{text}");
        }
    }
}
