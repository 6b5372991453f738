//! The key by which findings are recognised again, as the database keeps it.

use std::fmt;

use crate::StoreError;

/// The key of a root's match hashes: whoever has it can try out what a finding may have matched, so
/// it is in the database alone. It can be handed on as bytes, and neither be shown nor serialised.
#[derive(Clone, PartialEq, Eq)]
pub struct StoredKey([u8; Self::LENGTH]);

impl StoredKey {
    /// How many bytes it has.
    pub const LENGTH: usize = 32;

    /// Makes a key from the system's source of chance.
    pub(crate) fn generate() -> Result<Self, StoreError> {
        let mut bytes = [0; Self::LENGTH];
        getrandom::fill(&mut bytes)
            .map_err(|error| StoreError::NoChance { why: error.to_string() })?;
        Ok(Self(bytes))
    }

    pub(crate) fn of(bytes: [u8; Self::LENGTH]) -> Self {
        Self(bytes)
    }

    /// Returns the bytes, for whoever makes hashes.
    pub fn bytes(&self) -> &[u8; Self::LENGTH] {
        &self.0
    }
}

impl fmt::Debug for StoredKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("StoredKey(\u{2026})")
    }
}

#[cfg(test)]
mod tests {
    use super::StoredKey;

    #[test]
    fn two_keys_differ_and_none_is_shown() {
        let (one, other) =
            (StoredKey::generate().expect("chance"), StoredKey::generate().expect("chance"));
        assert_ne!(one, other);
        assert_eq!(format!("{one:?}"), "StoredKey(\u{2026})");
        assert_eq!(format!("{:#?}", Some(&one)), "Some(\n    StoredKey(\u{2026}),\n)");
    }
}
