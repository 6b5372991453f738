//! One thing seen in a text, and the words for it.

use std::fmt::Write as _;

use kitbag_types::printable;

use super::{BIDI_CONTROL, BIDI_MARK, BOM, CONFUSABLE, CONTROL, INVISIBLE, INVISIBLE_RUN, TAGS};

/// How many letters of a word a message repeats: enough to find it.
const WORD_SHOWN: usize = 60;
/// How many characters of a hidden text a message repeats: a person should see what it is up to.
const HIDDEN_SHOWN: usize = 200;
/// How many invisible characters in a row hide something rather than slipped in: three are seen in
/// honest pages that went through a web editor, four were only ever seen where they carry data.
const HIDDEN_RUN: usize = 4;
/// How many code points an evidence lists.
const LISTED: usize = 8;

/// One thing seen in a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sight<'t> {
    BidiControl(char),
    BidiMark(char),
    /// A run of tag characters.
    Tags(&'t str),
    /// A run of invisible characters.
    Invisible(&'t str),
    /// A line or paragraph separator in a program.
    Separator(char),
    Bom,
    Control(char),
    /// A word, and the first letter of it that is not of its script.
    Confusable {
        word: &'t str,
        letter: char,
    },
}

impl Sight<'_> {
    /// The rule that it breaks.
    pub(crate) fn rule(&self) -> &'static str {
        match self {
            Self::BidiControl(_) => BIDI_CONTROL,
            Self::BidiMark(_) => BIDI_MARK,
            Self::Tags(_) => TAGS,
            Self::Invisible(run) if run.chars().count() >= HIDDEN_RUN => INVISIBLE_RUN,
            Self::Invisible(_) | Self::Separator(_) => INVISIBLE,
            Self::Bom => BOM,
            Self::Control(_) => CONTROL,
            Self::Confusable { .. } => CONFUSABLE,
        }
    }

    /// What was seen, one line, safe to show.
    pub(crate) fn message(&self) -> String {
        match self {
            Self::BidiControl(c) => {
                format!("{}: what follows is shown in another order", named(*c))
            }
            Self::BidiMark(c) => named(*c),
            Self::Tags(run) => {
                let hidden: String = run.chars().filter_map(untagged).take(HIDDEN_SHOWN).collect();
                match (run.chars().count(), hidden.is_empty()) {
                    (1, true) => "an invisible tag character".to_owned(),
                    (1, false) => format!("an invisible tag character: `{}`", printable(&hidden)),
                    (count, true) => format!("{count} invisible tag characters"),
                    (count, false) => {
                        let more = if count > HIDDEN_SHOWN { "…" } else { "" };
                        format!(
                            "{count} invisible tag characters spell `{}{more}`",
                            printable(&hidden)
                        )
                    }
                }
            }
            Self::Invisible(run) => {
                let mut chars = run.chars();
                match (chars.next(), chars.count()) {
                    (Some(c), 0) => named(c),
                    (_, more) => format!("{} invisible characters in a row", more + 1),
                }
            }
            Self::Separator(c) => {
                format!("{}: JavaScript takes it for a line end, editors do not", named(*c))
            }
            Self::Bom => "a byte order mark at the start".to_owned(),
            Self::Control('\u{1b}') => {
                "an escape character, which begins a command to the terminal".to_owned()
            }
            Self::Control(c) => format!("the control character {}", code_point(*c)),
            Self::Confusable { word, letter } => {
                let shown: String = word.chars().take(WORD_SHOWN).collect();
                let script = if u32::from(*letter) < 0x400 { "Greek" } else { "Cyrillic" };
                format!(
                    "`{}` reads as Latin, but {} is {script}",
                    printable(&shown),
                    code_point(*letter)
                )
            }
        }
    }

    /// The code points that were seen.
    pub(crate) fn evidence(&self) -> String {
        match self {
            Self::BidiControl(c) | Self::BidiMark(c) | Self::Separator(c) | Self::Control(c) => {
                code_point(*c)
            }
            Self::Bom => code_point('\u{feff}'),
            Self::Confusable { letter, .. } => code_point(*letter),
            Self::Tags(run) | Self::Invisible(run) => code_points(run),
        }
    }
}

/// The ASCII character that a tag character stands for.
fn untagged(tag: char) -> Option<char> {
    let ascii = u32::from(tag).checked_sub(0xe0000).and_then(char::from_u32)?;
    matches!(ascii, ' '..='~').then_some(ascii)
}

fn code_point(c: char) -> String {
    format!("U+{:04X}", u32::from(c))
}

fn code_points(run: &str) -> String {
    let mut list = String::new();
    let mut chars = run.chars().peekable();
    for _ in 0..LISTED {
        let Some(c) = chars.next() else { break };
        let mut times = 1_usize;
        while chars.next_if_eq(&c).is_some() {
            times += 1;
        }
        let gap = if list.is_empty() { "" } else { " " };
        write!(list, "{gap}{}", code_point(c)).expect("writing to a string cannot fail");
        if times > 1 {
            write!(list, "×{times}").expect("writing to a string cannot fail");
        }
    }
    if chars.next().is_some() {
        list.push_str(" …");
    }
    list
}

/// The code point with its name, for those that people may have heard of.
fn named(c: char) -> String {
    let name = match c {
        '\u{ad}' => "soft hyphen",
        '\u{61c}' => "Arabic letter mark",
        '\u{180e}' => "Mongolian vowel separator",
        '\u{200b}' => "zero-width space",
        '\u{200c}' => "zero-width non-joiner",
        '\u{200d}' => "zero-width joiner",
        '\u{200e}' => "left-to-right mark",
        '\u{200f}' => "right-to-left mark",
        '\u{2028}' => "line separator",
        '\u{2029}' => "paragraph separator",
        '\u{202a}' => "left-to-right embedding",
        '\u{202b}' => "right-to-left embedding",
        '\u{202c}' => "pop directional formatting",
        '\u{202d}' => "left-to-right override",
        '\u{202e}' => "right-to-left override",
        '\u{2060}' => "word joiner",
        '\u{2066}' => "left-to-right isolate",
        '\u{2067}' => "right-to-left isolate",
        '\u{2068}' => "first strong isolate",
        '\u{2069}' => "pop directional isolate",
        '\u{115f}' | '\u{1160}' | '\u{3164}' | '\u{ffa0}' => "Hangul filler",
        '\u{feff}' => "zero-width no-break space",
        '\u{e0100}'..='\u{e01ef}' => "variation selector",
        _ => "invisible character",
    };
    format!("{} ({name})", code_point(c))
}

#[cfg(test)]
mod tests {
    use super::Sight;

    #[track_caller]
    fn check(sight: Sight<'_>, message: &str, evidence: &str) {
        assert_eq!(sight.message(), message);
        assert_eq!(sight.evidence(), evidence);
    }

    #[test]
    fn nothing_raw_is_shown() {
        check(
            Sight::BidiControl('\u{202e}'),
            "U+202E (right-to-left override): what follows is shown in another order",
            "U+202E",
        );
        check(
            Sight::Tags("\u{e0048}\u{e0069}\u{e0021}\u{e0001}"),
            "4 invisible tag characters spell `Hi!`",
            "U+E0048 U+E0069 U+E0021 U+E0001",
        );
        check(Sight::Tags("\u{e0001}"), "an invisible tag character", "U+E0001");
        check(
            Sight::Invisible(&"\u{200b}".repeat(79)),
            "79 invisible characters in a row",
            "U+200B×79",
        );
        check(
            Sight::Invisible(&"\u{200b}\u{200c}".repeat(9)),
            "18 invisible characters in a row",
            "U+200B U+200C U+200B U+200C U+200B U+200C U+200B U+200C …",
        );
        check(
            Sight::Confusable { word: "p\u{430}yload", letter: '\u{430}' },
            "`p\u{430}yload` reads as Latin, but U+0430 is Cyrillic",
            "U+0430",
        );
    }

    #[test]
    fn a_run_hides_something_from_four_on() {
        let rule = |count: usize| Sight::Invisible(&"\u{200b}".repeat(count)).rule();
        assert_eq!(rule(super::HIDDEN_RUN - 1), super::INVISIBLE);
        assert_eq!(rule(super::HIDDEN_RUN), super::INVISIBLE_RUN);
    }

    #[test]
    fn a_long_hidden_text_is_cut() {
        let run: String = "abc"
            .repeat(100)
            .chars()
            .map(|c| char::from_u32(0xe0000 + u32::from(c)).expect("a tag"))
            .collect();
        let message = Sight::Tags(&run).message();
        assert_eq!(
            message,
            format!("300 invisible tag characters spell `{}…`", "abc".repeat(66) + "ab")
        );
    }
}
