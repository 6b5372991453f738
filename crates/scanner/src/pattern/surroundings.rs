//! What recognises the match of a sign again: the lines it stands on, not what matched alone.

use std::collections::BTreeMap;
use std::ops::Range;

use sha2::{Digest as _, Sha256};

/// The hashes of lines that something was matched on, each made once.
///
/// What a sign matches is often the least of it: in `echo … | base64 -d | bash` it is all but what is
/// run. Whoever accepts it has accepted the line, and another line is another match. A credential,
/// in contrast, is the same one wherever it stands.
#[derive(Default)]
pub(super) struct Surroundings {
    /// The end and the hash of a line, by its start.
    lines: BTreeMap<usize, (usize, [u8; 32])>,
}

impl Surroundings {
    /// Returns bytes that stand for a match and the whole lines it is on.
    pub(super) fn of(&mut self, bytes: &[u8], whole: &Range<usize>, matched: &[u8]) -> Vec<u8> {
        let mut all = Vec::with_capacity(matched.len() + 32);
        let mut at = whole.start;
        loop {
            let (end, hash) = self.line(bytes, at);
            all.extend_from_slice(&hash);
            at = end + 1;
            if at >= whole.end || at >= bytes.len() {
                break;
            }
        }
        all.extend_from_slice(matched);
        all
    }

    /// Returns the end and the hash of the line that a place is on.
    fn line(&mut self, bytes: &[u8], at: usize) -> (usize, [u8; 32]) {
        if let Some((_, &line)) = self.lines.range(..=at).next_back()
            && at <= line.0
        {
            return line;
        }
        let start = memchr::memrchr(b'\n', &bytes[..at]).map_or(0, |found| found + 1);
        let end = memchr::memchr(b'\n', &bytes[at..]).map_or(bytes.len(), |found| at + found);
        let line = (end, Sha256::digest(&bytes[start..end]).into());
        self.lines.insert(start, line);
        line
    }
}

#[cfg(test)]
mod tests {
    use super::Surroundings;

    fn of(text: &str, matched: &str) -> Vec<u8> {
        let start = text.find(matched).expect("there");
        let whole = start..start + matched.len();
        Surroundings::default().of(text.as_bytes(), &whole, matched.as_bytes())
    }

    #[test]
    fn the_line_counts_and_the_other_lines_do_not() {
        let one = of("a\nrun x | sh\nb", "| sh");
        assert_eq!(one, of("run x | sh", "| sh"));
        assert_eq!(one, of("other\n\nrun x | sh\n", "| sh"));
        assert_ne!(one, of("a\nrun y | sh\nb", "| sh"));
        assert_ne!(one, of("a\nrun x | sh # more\nb", "| sh"));
        assert_ne!(one, of("a\nrun x | sh\nb", "x | sh"));
    }

    #[test]
    fn every_line_of_a_match_counts() {
        let one = of("a 1\nb 2\nc 3", "1\nb 2\nc");
        assert_ne!(one, of("z 1\nb 2\nc 3", "1\nb 2\nc"));
        assert_ne!(one, of("a 1\nb 2\nc 4", "1\nb 2\nc"));
        assert_eq!(one, of("x\na 1\nb 2\nc 3\ny", "1\nb 2\nc"));
        // What is known of a line already changes nothing.
        let text = b"a 1\nb 2\nc 3";
        let mut both = Surroundings::default();
        both.of(text, &(4..5), b"b");
        assert_eq!(both.of(text, &(2..9), b"1\nb 2\nc"), one);
    }
}
