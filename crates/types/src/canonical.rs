//! The one canonical JSON: RFC 8785, over values that have exactly one.

use serde_json::Value;

use crate::Digest;

/// A value that has no single canonical form.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the value has no canonical form: {0}")]
pub struct NotCanonical(pub String);

/// The largest integer that every JSON reader keeps exactly (RFC 8785, appendix B).
const MAX_SAFE_INTEGER: i64 = (1 << 53) - 1;

/// Returns the canonical form of a value: keys by UTF-16 code units, no white space.
///
/// # Errors
/// [`NotCanonical`] for an integer beyond ±(2^53 - 1), which readers would round differently.
pub fn to_string(value: &Value) -> Result<String, NotCanonical> {
    check(value)?;
    serde_json_canonicalizer::to_string(value).map_err(|error| NotCanonical(error.to_string()))
}

/// Returns the SHA-256 of the canonical form.
///
/// # Errors
/// As [`to_string`].
pub fn digest(value: &Value) -> Result<Digest, NotCanonical> {
    to_string(value).map(|text| Digest::of_bytes(text.as_bytes()))
}

fn check(value: &Value) -> Result<(), NotCanonical> {
    match value {
        Value::Number(number) => {
            let safe = match (number.as_i64(), number.as_u64()) {
                (Some(signed), _) => (-MAX_SAFE_INTEGER..=MAX_SAFE_INTEGER).contains(&signed),
                (None, Some(_)) => false,
                (None, None) => true,
            };
            if safe {
                Ok(())
            } else {
                Err(NotCanonical(format!("the integer {number} is not exact in every reader")))
            }
        }
        Value::Array(items) => items.iter().try_for_each(check),
        Value::Object(members) => members.values().try_for_each(check),
        Value::Null | Value::Bool(_) | Value::String(_) => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::{Value, json};

    use super::to_string;

    #[test]
    fn keys_are_sorted_by_utf16_code_units() {
        // U+1F600 is a surrogate pair and sorts before U+FF5E (RFC 8785, section 3.2.3).
        let value =
            json!({"\u{ff5e}": 1, "\u{1f600}": 2, "b": 3, "a": {"z": [1.5, null], "y": "\u{8}"}});
        assert_eq!(
            to_string(&value).expect("canonical"),
            "{\"a\":{\"y\":\"\\b\",\"z\":[1.5,null]},\"b\":3,\"😀\":2,\"～\":1}"
        );
    }

    #[test]
    fn inexact_integers_are_refused() {
        assert!(to_string(&json!(9_007_199_254_740_991_i64)).is_ok());
        assert!(to_string(&json!(9_007_199_254_740_992_i64)).is_err());
        assert!(to_string(&json!([u64::MAX])).is_err());
    }

    fn value() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            (-1000_i64..1000).prop_map(Value::from),
            "\\PC{0,8}".prop_map(Value::from),
        ];
        leaf.prop_recursive(4, 32, 4, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
                prop::collection::btree_map("\\PC{0,6}", inner, 0..4)
                    .prop_map(|map| Value::Object(map.into_iter().collect())),
            ]
        })
    }

    proptest! {
        #[test]
        fn the_canonical_form_is_a_fixed_point(value in value()) {
            let once = to_string(&value).expect("canonical");
            let back: Value = serde_json::from_str(&once).expect("canonical JSON is JSON");
            prop_assert_eq!(&back, &value);
            prop_assert_eq!(to_string(&back).expect("canonical"), once);
        }
    }
}
