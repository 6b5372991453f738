//! Whether a text that looks like a secret is one.

use super::Placeholders;

/// Returns the entropy of a text in bits a byte (source: Shannon, 1948).
pub(super) fn entropy(bytes: &[u8]) -> f64 {
    let mut counts = [0_u32; 256];
    for &byte in bytes {
        counts[usize::from(byte)] += 1;
    }
    let all = bytes.len() as f64;
    counts
        .iter()
        .filter(|&&count| count > 0)
        .map(|&count| {
            let share = f64::from(count) / all;
            -share * share.log2()
        })
        .sum()
}

/// Words that people write in the place of a secret.
const WORDS: [&str; 26] = [
    "your",
    "example",
    "sample",
    "dummy",
    "placeholder",
    "changeme",
    "change-me",
    "change_me",
    "replace",
    "redacted",
    "secret",
    "password",
    "passwd",
    "token",
    "apikey",
    "api_key",
    "api-key",
    "insert",
    "fixme",
    "todo",
    "here",
    "foobar",
    "hunter2",
    "fake",
    "mock",
    "test",
];

/// Tells whether a text stands in the place of a secret.
pub(super) fn is_placeholder(secret: &[u8], how: Placeholders) -> bool {
    let lower = secret.to_ascii_lowercase();
    let text = String::from_utf8_lossy(&lower);
    let plain = text.contains("xxxx")
        || text.contains("....")
        || text.contains("****")
        || text.ends_with("example")
        || text.contains("${")
        || text.contains("{{")
        || text.contains('<')
        || longest_run(&lower) >= 10.max(lower.len() / 2);
    match how {
        Placeholders::None => false,
        Placeholders::Plain => plain,
        Placeholders::Broad => {
            plain
                || WORDS.iter().any(|word| text.contains(word))
                || text.starts_with('$')
                || text.starts_with('%')
                || is_sequence(&lower)
                || is_uuid(&lower)
                || is_hex_digest(&lower)
        }
    }
}

fn longest_run(bytes: &[u8]) -> usize {
    let (mut longest, mut run) = (0, 0);
    let mut last = None;
    for &byte in bytes {
        run = if last == Some(byte) { run + 1 } else { 1 };
        last = Some(byte);
        longest = longest.max(run);
    }
    longest
}

/// Tells whether most of a text counts up: `123456`, `abcdef`.
fn is_sequence(bytes: &[u8]) -> bool {
    let ups = bytes.windows(2).filter(|pair| pair[0].wrapping_add(1) == pair[1]).count();
    ups * 10 >= bytes.len() * 6
}

fn is_uuid(bytes: &[u8]) -> bool {
    bytes.len() == 36
        && bytes.iter().enumerate().all(|(at, byte)| match at {
            8 | 13 | 18 | 23 => *byte == b'-',
            _ => byte.is_ascii_hexdigit(),
        })
}

fn is_hex_digest(bytes: &[u8]) -> bool {
    [32, 40, 56, 64, 96, 128].contains(&bytes.len()) && bytes.iter().all(u8::is_ascii_hexdigit)
}

#[cfg(test)]
mod tests {
    use super::{Placeholders, entropy, is_placeholder};

    #[test]
    fn entropy_of_known_texts() {
        assert!(entropy(b"aaaa").abs() < 1e-9);
        assert!((entropy(b"ab") - 1.0).abs() < 1e-9);
        assert!((entropy(b"abcdefgh") - 3.0).abs() < 1e-9);
    }

    #[test]
    fn what_stands_for_a_secret_is_none() {
        let check = |text: &str, plain, broad| {
            assert_eq!(is_placeholder(text.as_bytes(), Placeholders::Plain), plain, "{text}");
            assert_eq!(is_placeholder(text.as_bytes(), Placeholders::Broad), broad, "{text}");
        };
        check("ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx", true, true);
        check("AKIAIOSFODNN7EXAMPLE", true, true);
        check("<YOUR_API_KEY>", true, true);
        check("${OPENAI_API_KEY}", true, true);
        check("aaaaaaaaaaaaaaaaaaaaaaaa", true, true);
        check("your-api-key-goes-here", false, true);
        check("123456789012345678", false, true);
        check("550e8400-e29b-41d4-a716-446655440000", false, true);
        check("d41d8cd98f00b204e9800998ecf8427e", false, true);
        check("pK3s9QzT7vLmX2wR8nYb", false, false);
    }
}
