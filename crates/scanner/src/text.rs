//! The rules of text: encoding, and characters that hide or disguise.

mod chars;
mod confusable;
mod cursor;
mod sight;
mod walk;

use kitbag_types::Severity;

use crate::content::Encoding;
use crate::report::FileReport;
use crate::rules::{Family, RuleInfo};
use crate::source::{Identifiers, Role};

pub(crate) use cursor::{Place, column_of, place_of};
use sight::Sight;
use walk::{Separators, walk};

pub(crate) const NUL_IN_SOURCE: &str = "text/nul-in-source";
pub(crate) const INVALID_UTF8: &str = "text/invalid-utf8-in-source";
pub(crate) const BIDI_CONTROL: &str = "text/bidi-control";
pub(crate) const BIDI_MARK: &str = "text/bidi-mark";
pub(crate) const TAGS: &str = "text/tag-characters";
pub(crate) const INVISIBLE: &str = "text/invisible-character";
pub(crate) const INVISIBLE_RUN: &str = "text/invisible-run";
pub(crate) const BOM: &str = "text/bom";
pub(crate) const CONFUSABLE: &str = "text/confusable-identifier";
pub(crate) const CONTROL: &str = "text/control-character";

/// Returns the rules of this family.
pub(crate) fn rules() -> Vec<RuleInfo> {
    let rule = |id, severity, meaning, remedy| {
        RuleInfo::new(id, Family::Text, severity, meaning, Some(remedy))
    };
    vec![
        rule(
            NUL_IN_SOURCE,
            Severity::Critical,
            "a NUL byte in a program or in JSON: tools skip such a file as binary, interpreters run it",
            "remove the NUL bytes; a program is text",
        ),
        rule(
            INVALID_UTF8,
            Severity::Critical,
            "a program or JSON is not UTF-8, so that tools disagree on what it says",
            "save the file as UTF-8",
        ),
        rule(
            BIDI_CONTROL,
            Severity::Critical,
            "a bidirectional control character: the text is shown in another order than it is read",
            "remove it; a document that is about such characters writes the code point, as in `U+202E`",
        ),
        rule(
            BIDI_MARK,
            Severity::Info,
            "a left-to-right, right-to-left or Arabic letter mark, ordinary in text of two directions",
            "nothing, if the text is written from right to left",
        ),
        rule(
            TAGS,
            Severity::Critical,
            "tag characters outside the flag of a region: text that a model reads and no person sees",
            "remove them",
        ),
        rule(
            INVISIBLE,
            Severity::Low,
            "an invisible character where no script and no emoji needs it",
            "remove it",
        ),
        rule(
            INVISIBLE_RUN,
            Severity::High,
            "four or more invisible characters in a row: nothing a person writes has them",
            "remove them",
        ),
        rule(
            BOM,
            Severity::Info,
            "a byte order mark at the start, which hides a `#!` line and breaks some parsers",
            "save the file as UTF-8 without a byte order mark",
        ),
        rule(
            CONFUSABLE,
            Severity::Low,
            "a word of a program that reads as Latin and holds Cyrillic or Greek letters",
            "write the word in one script",
        ),
        rule(
            CONTROL,
            Severity::Low,
            "a control character, such as the start of a terminal escape sequence",
            "remove it, or write it as an escape of the language",
        ),
    ]
}

/// Judges the bytes of one file. `role` and `encoding` are those of the bytes.
pub(crate) fn inspect(role: Role, encoding: Encoding, bytes: &[u8], report: &mut FileReport<'_>) {
    if encoding == Encoding::Utf8 && is_plain(bytes) {
        return;
    }
    let source = matches!(role, Role::Source { .. });
    if source {
        inspect_encoding(encoding, bytes, report);
    }
    let separators = if source { Separators::EndLines } else { Separators::Ordinary };
    let text = encoding.decode(bytes);
    let mut nul = None;
    walk(&text, separators, &mut |place, sight| match sight {
        Sight::Control('\0') if source => {
            let (_, count) = nul.get_or_insert((place, 0_u64));
            *count += 1;
        }
        // Told already, as the encoding.
        Sight::Bom if matches!(encoding, Encoding::Wide(_)) => {}
        // What is not text is full of them, and it has a finding of its own.
        Sight::Control(_) if matches!(encoding, Encoding::Nul | Encoding::Invalid { .. }) => {}
        sight => see(Some(place), &sight, report),
    });
    if let Some((place, count)) = nul {
        report.see(NUL_IN_SOURCE, Some(place), || {
            let message = match count {
                1 => "a NUL byte".to_owned(),
                _ => format!("{count} NUL bytes, the first of them here"),
            };
            (message, Some("U+0000".to_owned()))
        });
    }
    if role == (Role::Source { identifiers: Identifiers::Yes }) {
        confusable::words(&text, &mut |place, sight| see(Some(place), &sight, report));
    }
}

/// Judges the path of a file: what disguises a text disguises a name as well.
pub(crate) fn inspect_name(path: &str, report: &mut FileReport<'_>) {
    if !is_plain(path.as_bytes()) {
        walk(path, Separators::EndLines, &mut |_, sight| see(None, &sight, report));
    }
}

fn inspect_encoding(encoding: Encoding, bytes: &[u8], report: &mut FileReport<'_>) {
    match encoding {
        Encoding::Utf8 | Encoding::Nul => {}
        Encoding::Wide(wide) => {
            let start = Some(Place { line: 1, column: 1 });
            report.see(INVALID_UTF8, start, || {
                (format!("the file is {}, told by its byte order mark", wide.as_str()), None)
            });
        }
        Encoding::Invalid { at } => report.see(INVALID_UTF8, Some(place_of(bytes, at)), || {
            (format!("byte 0x{:02x} at offset {at} is no part of UTF-8 here", bytes[at]), None)
        }),
    }
}

fn see(place: Option<Place>, sight: &Sight<'_>, report: &mut FileReport<'_>) {
    report.see(sight.rule(), place, || {
        let message = match place {
            Some(_) => sight.message(),
            None => format!("in the file's name: {}", sight.message()),
        };
        (message, Some(sight.evidence()))
    });
}

/// How many bytes are looked at before the answer can be no: enough for the compiler to use wide
/// registers, few enough to stop early.
const STRIDE: usize = 4096;

/// Tells whether bytes are printable ASCII, tabs and line ends: nothing here can fire on those,
/// and nearly every file is so.
fn is_plain(bytes: &[u8]) -> bool {
    let plain = |byte: u8| {
        (0x20..0x7f).contains(&byte)
            | (byte == b'\n')
            | (byte == b'\t')
            | (byte == b'\r')
            | (byte == 0x0c)
    };
    bytes.chunks(STRIDE).all(|chunk| chunk.iter().fold(true, |all, byte| all & plain(*byte)))
}

#[cfg(test)]
mod tests {
    use super::is_plain;

    #[test]
    fn plain_is_what_no_rule_fires_on() {
        for byte in 0..=u8::MAX {
            let expected = matches!(byte, b'\t' | b'\n' | b'\r' | 0x0c | 0x20..=0x7e);
            assert_eq!(is_plain(&[b'a', byte]), expected, "{byte:#x}");
            let mut far = vec![b'a'; 2 * super::STRIDE];
            *far.last_mut().expect("it has bytes") = byte;
            assert_eq!(is_plain(&far), expected, "{byte:#x}");
        }
    }
}
