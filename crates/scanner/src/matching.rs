//! What recognises a match again, without the match.

use std::fmt;

use hmac::{Hmac, KeyInit as _, Mac as _};
use kitbag_types::MatchHash;
use sha2::Sha256;

/// The key of match hashes. It belongs to whoever accepts findings: a runtime root has its own, and
/// so has a baseline file. Under different keys, equal matches have unrelated hashes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct MatchKey([u8; Self::LENGTH]);

impl MatchKey {
    /// How many bytes a key has.
    pub const LENGTH: usize = 32;

    /// Takes the bytes of a key. They are to come from the system's source of chance.
    pub fn from_bytes(bytes: [u8; Self::LENGTH]) -> Self {
        Self(bytes)
    }

    /// Returns the hash of what a rule matched.
    pub(crate) fn hash(&self, rule: &str, matched: &[u8]) -> MatchHash {
        let mut mac = Hmac::<Sha256>::new_from_slice(&self.0)
            .unwrap_or_else(|_| unreachable!("a MAC takes keys of any length"));
        mac.update(rule.as_bytes());
        // No rule has a NUL in its id, so no two pairs run together.
        mac.update(&[0]);
        mac.update(matched);
        MatchHash::of_mac(&mac.finalize().into_bytes().into())
    }
}

impl fmt::Debug for MatchKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("MatchKey(\u{2026})")
    }
}

#[cfg(test)]
mod tests {
    use super::MatchKey;

    #[test]
    fn key_rule_and_match_all_count() {
        let key = MatchKey::from_bytes([1; 32]);
        let hash = key.hash("secret/a", b"value");
        assert_eq!(hash, key.hash("secret/a", b"value"));
        assert_ne!(hash, key.hash("secret/b", b"value"));
        assert_ne!(hash, key.hash("secret/a", b"other"));
        assert_ne!(hash, MatchKey::from_bytes([2; 32]).hash("secret/a", b"value"));
    }

    #[test]
    fn a_key_is_not_shown() {
        assert_eq!(format!("{:?}", MatchKey::from_bytes([7; 32])), "MatchKey(\u{2026})");
    }
}
