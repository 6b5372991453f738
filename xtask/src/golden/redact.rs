//! What differs from run to run is replaced by a word before anything is compared.
//!
//! Only five shapes are looked for, and each is strict: a text that merely resembles one stays
//! as it is and shows up in the diff.

use std::path::Path;

/// Replaces the case's folder, times, ULIDs, match hashes and the name of the person.
pub(super) struct Redactor {
    case: String,
}

/// The shape of a time: `d` is a digit, all else stands for itself.
const TIME: &[u8] = b"dddd-dd-ddTdd:dd:dd.dddZ";

/// How many characters a ULID has.
const ULID: usize = 26;

/// How many hex digits a match hash has: every root has a key of its own, so none is like another.
const MATCH_HASH: usize = 16;

/// What stands before the name of the person who acts.
const PERSON: &str = "cli:";

impl Redactor {
    pub(super) fn new(case: &Path) -> Self {
        Self { case: case.display().to_string() }
    }

    pub(super) fn redact(&self, text: &str) -> String {
        let text = without_links(text.replace(&self.case, "[CASE]"));
        let mut clean = String::with_capacity(text.len());
        let mut rest = text.as_str();
        let mut before = None;
        while let Some(next) = rest.chars().next() {
            let (word, length) = match shape(before, rest) {
                Some((word, length)) => (word, length),
                None => ("", next.len_utf8()),
            };
            let taken = &rest[..length];
            clean.push_str(if word.is_empty() { taken } else { word });
            before = taken.chars().last();
            rest = &rest[length..];
            if !word.is_empty() && rest.starts_with("  ") {
                // A column is as wide as its widest cell: the blanks after a name are not stable.
                rest = rest.trim_start_matches(' ');
                clean.push_str("  ");
                before = Some(' ');
            }
        }
        clean
    }
}

/// What stands before the hash of a link of the history in JSON. It is over the time, among others.
const LINK: &str = "\"hash\": \"";

/// What stands before the hash of the history's last link for a person.
const HEAD: &str = "its head is ";

/// Replaces the hashes of the history's links, wherever each stands.
fn without_links(mut text: String) -> String {
    while let Some(at) = text.find(LINK) {
        let start = at + LINK.len();
        let Some(length) = text[start..].find('"') else { break };
        let hash = text[start..start + length].to_owned();
        // The key goes too, or it would be found for ever; it comes back below.
        text.replace_range(at..start, "\"hash\":\"");
        if !hash.is_empty() {
            text = text.replace(&hash, "[LINK]");
        }
    }
    let mut text = text.replace("\"hash\":\"", LINK);
    let mut from = 0;
    while let Some(at) = text[from..].find(HEAD) {
        from += at + HEAD.len();
        let length = text[from..].find(char::is_whitespace).unwrap_or(text.len() - from);
        text.replace_range(from..from + length, "[LINK]");
    }
    text
}

/// Returns what stands at the start of `text` and how long it is, where it is to be replaced.
fn shape(before: Option<char>, text: &str) -> Option<(&'static str, usize)> {
    if before.is_some_and(is_word) {
        return None;
    }
    if is_time(text) {
        return Some(("[TIME]", TIME.len()));
    }
    if is_ulid(text) {
        return Some(("[ULID]", ULID));
    }
    if let Some(length) = locks(text) {
        return Some(("[LOCKS]", length));
    }
    if is_match_hash(text) {
        return Some(("[HASH]", MATCH_HASH));
    }
    let name = text.strip_prefix(PERSON)?;
    let length = name.find(|c| !is_name(c)).unwrap_or(name.len());
    (length > 0).then_some(("cli:[USER]", PERSON.len() + length))
}

/// What locks a child down is another on every kernel.
fn locks(text: &str) -> Option<usize> {
    let mut length = 0;
    for lock in ["privileges: ", ", files: ", ", resources: ", ", calls: "] {
        let rest = text[length..].strip_prefix(lock)?;
        let held = rest.find(|c: char| !c.is_ascii_lowercase()).unwrap_or(rest.len());
        length += lock.len() + held;
    }
    Some(length)
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

fn is_name(c: char) -> bool {
    is_word(c) || c == '-' || c == '.'
}

fn is_time(text: &str) -> bool {
    let bytes = text.as_bytes();
    bytes.len() >= TIME.len()
        && TIME.iter().zip(bytes).all(|(want, is)| match want {
            b'd' => is.is_ascii_digit(),
            want => want == is,
        })
}

fn is_ulid(text: &str) -> bool {
    let Some(word) = text.get(..ULID) else { return false };
    // The first of 26 characters of five bits holds only the last three of 128.
    word.starts_with(|c: char| ('0'..='7').contains(&c))
        && word.bytes().all(|c| {
            c.is_ascii_digit()
                || (c.is_ascii_uppercase() && !matches!(c, b'I' | b'L' | b'O' | b'U'))
        })
        && !text[ULID..].starts_with(is_word)
}

fn is_match_hash(text: &str) -> bool {
    let Some(word) = text.get(..MATCH_HASH) else { return false };
    word.bytes().all(|c| c.is_ascii_digit() || (b'a'..=b'f').contains(&c))
        && !text[MATCH_HASH..].starts_with(is_word)
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::Redactor;

    #[track_caller]
    fn check(text: &str, expected: &str) {
        assert_eq!(Redactor::new(Path::new("/tmp/.tmpA1")).redact(text), expected);
    }

    #[test]
    fn the_folder_of_the_case_is_replaced_wherever_it_stands() {
        check("read `/tmp/.tmpA1/root/x`", "read `[CASE]/root/x`");
        check("/tmp/.tmpA1:/tmp/.tmpA1", "[CASE]:[CASE]");
        check("/tmp/.tmpB2/root", "/tmp/.tmpB2/root");
    }

    #[test]
    fn times_with_milliseconds_are_replaced() {
        check("at 2026-12-01T04:05:06.789Z.", "at [TIME].");
        check("2026-12-01T04:05:06Z", "2026-12-01T04:05:06Z");
        check("2026-12-01T04:05:06.789", "2026-12-01T04:05:06.789");
        check("x2026-12-01T04:05:06.789Z", "x2026-12-01T04:05:06.789Z");
    }

    #[test]
    fn ulids_are_replaced() {
        check(".staging/01JDZ7N0Q4M8V5T2R9X6K3H1CB/tree", ".staging/[ULID]/tree");
        check("01JDZ7N0Q4M8V5T2R9X6K3H1CBX", "01JDZ7N0Q4M8V5T2R9X6K3H1CBX");
        check("01JDZ7N0Q4M8V5T2R9X6K3H1C", "01JDZ7N0Q4M8V5T2R9X6K3H1C");
        check("81JDZ7N0Q4M8V5T2R9X6K3H1CB", "81JDZ7N0Q4M8V5T2R9X6K3H1CB");
        check("01JDZ7N0Q4M8V5T2R9X6K3H1CU", "01JDZ7N0Q4M8V5T2R9X6K3H1CU");
        check("01jdz7n0q4m8v5t2r9x6k3h1cb", "01jdz7n0q4m8v5t2r9x6k3h1cb");
    }

    #[test]
    fn match_hashes_are_replaced() {
        check("--accept 3f2a00ff1234abcd --reason", "--accept [HASH] --reason");
        check("\"matchHash\": \"3f2a00ff1234abcd\"", "\"matchHash\": \"[HASH]\"");
        check("3f2a00ff1234abcd9", "3f2a00ff1234abcd9");
        check("3f2a00ff1234abc", "3f2a00ff1234abc");
        check("3F2A00FF1234ABCD", "3F2A00FF1234ABCD");
        check("x3f2a00ff1234abcd", "x3f2a00ff1234abcd");
    }

    #[test]
    fn links_of_the_history_are_replaced_wherever_they_stand() {
        check(
            "\"hash\": \"sha256:aa\", \"previous\": \"sha256:aa\", \"hash\": \"sha256:bb\"",
            "\"hash\": \"[LINK]\", \"previous\": \"[LINK]\", \"hash\": \"[LINK]\"",
        );
        check("its head is sha256:aa\nits head is ", "its head is [LINK]\nits head is [LINK]");
        check("\"hash\": \"open", "\"hash\": \"open");
        check("\"previous\": \"sha256:aa\"", "\"previous\": \"sha256:aa\"");
    }

    #[test]
    fn the_name_of_the_person_is_replaced_and_its_column_closed() {
        check("by cli:ada-1", "by cli:[USER]");
        check("\"principal\":\"cli:ada\"", "\"principal\":\"cli:[USER]\"");
        check("cli:ada      added", "cli:[USER]  added");
        check("cli: nobody, ecli:ada", "cli: nobody, ecli:ada");
    }

    #[test]
    fn all_else_stays() {
        let digest = "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
        check(digest, digest);
        check("naïve ☂ text", "naïve ☂ text");
        check("", "");
    }
}
