//! One pass over a text.

use super::chars::{
    breaks_without_space, is_bidi_control, is_bidi_mark, is_control, is_filler, is_ideograph,
    is_invisible, is_jamo, is_joiner, is_mongolian, is_pictograph, is_separator,
    is_supplementary_selector, is_tag, is_variation_selector, uses_joiners,
};
use super::cursor::{Cursor, Place};
use super::sight::Sight;

/// What the separators U+2028 and U+2029 do in a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Separators {
    /// Nothing worth a word.
    Ordinary,
    /// End a line where no editor shows one: a comment may end unseen.
    EndLines,
}

/// Reports every character of a text that hides or disguises, in order. Linear in the text.
pub(crate) fn walk<'t>(
    text: &'t str,
    separators: Separators,
    see: &mut dyn FnMut(Place, Sight<'t>),
) {
    let mut cursor = Cursor::new(text);
    loop {
        let (start, place, before) = (cursor.offset(), cursor.place(), cursor.previous());
        let Some(c) = cursor.take() else { return };
        if matches!(c, ' '..='~' | '\n') {
            continue;
        }
        if is_control(c) {
            see(place, Sight::Control(c));
        } else if is_bidi_control(c) {
            see(place, Sight::BidiControl(c));
        } else if is_bidi_mark(c) {
            see(place, Sight::BidiMark(c));
        } else if is_tag(c) {
            let run = cursor.take_while(start, is_tag);
            if !(before == Some(BLACK_FLAG) && is_region(run)) {
                see(place, Sight::Tags(run));
            }
        } else if start == 0 && c == '\u{feff}' {
            see(place, Sight::Bom);
        } else if is_invisible(c) {
            let run = cursor.take_while(start, is_invisible);
            if !belongs(before, run, cursor.peek()) {
                see(place, Sight::Invisible(run));
            }
        } else if is_separator(c) && separators == Separators::EndLines {
            see(place, Sight::Separator(c));
        }
    }
}

const BLACK_FLAG: char = '\u{1f3f4}';
const CANCEL_TAG: char = '\u{e007f}';
const ZERO_WIDTH_JOINER: char = '\u{200d}';
/// The longest code of a region's subdivision (Unicode CLDR: two letters or three digits, then up
/// to four characters). Anything longer is not a flag.
const MAX_REGION: usize = 7;

/// Tells whether the tags after a black flag name a region, as in the flag of Scotland.
fn is_region(run: &str) -> bool {
    let Some(code) = run.strip_suffix(CANCEL_TAG) else { return false };
    let alphanumeric = |c| matches!(c, '\u{e0030}'..='\u{e0039}' | '\u{e0061}'..='\u{e007a}');
    (3..=MAX_REGION).contains(&code.chars().count()) && code.chars().all(alphanumeric)
}

/// Tells whether a run of invisible characters is where a script or an emoji needs it. Two of a
/// kind never are.
fn belongs(before: Option<char>, run: &str, after: Option<char>) -> bool {
    let is = |c: Option<char>, test: fn(char) -> bool| c.is_some_and(test);
    let beside = |test: fn(char) -> bool| is(before, test) || is(after, test);
    let mut chars = run.chars();
    match (chars.next(), chars.next(), chars.next()) {
        (Some(c), None, None) if is_variation_selector(c) => true,
        (Some(c), None, None) if is_supplementary_selector(c) => is(before, is_ideograph),
        (Some(c), None, None) if is_joiner(c) => {
            beside(uses_joiners)
                || (c == ZERO_WIDTH_JOINER && is(before, is_pictograph) && is(after, is_pictograph))
        }
        (Some('\u{200b}'), None, None) => beside(breaks_without_space),
        (Some('\u{180e}'), None, None) => beside(is_mongolian),
        (Some(c), None, None) if is_filler(c) => beside(is_jamo),
        (Some(selector), Some(ZERO_WIDTH_JOINER), None) if is_variation_selector(selector) => {
            is(before, is_pictograph) && is(after, is_pictograph)
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{Separators, Sight, walk};

    fn seen(text: &str, separators: Separators) -> Vec<(u32, u32, Sight<'_>)> {
        let mut seen = Vec::new();
        walk(text, separators, &mut |place, sight| seen.push((place.line, place.column, sight)));
        seen
    }

    #[track_caller]
    fn clean(text: &str) {
        assert_eq!(seen(text, Separators::EndLines), [], "{}", text.escape_unicode());
    }

    #[track_caller]
    fn check(text: &str, line: u32, column: u32, sight: Sight<'_>) {
        let seen = seen(text, Separators::EndLines);
        assert_eq!(seen, [(line, column, sight)], "{}", text.escape_unicode());
    }

    #[test]
    fn emoji_of_every_make_are_clean() {
        clean("👨\u{200d}👩\u{200d}👧\u{200d}👦 👩🏽\u{200d}💻 🐦\u{200d}⬛ 🧑\u{200d}🏫");
        clean(
            "❤\u{fe0f}\u{200d}🔥 🏳\u{fe0f}\u{200d}🌈 🤷🏻\u{200d}♂\u{fe0f} 👁\u{fe0f}\u{200d}🗨\u{fe0f}",
        );
        clean("1\u{fe0f}\u{20e3} ☎\u{fe0e} ©\u{fe0f} 🇩🇪");
        clean("🏴\u{e0067}\u{e0062}\u{e0073}\u{e0063}\u{e0074}\u{e007f} 🏴\u{200d}☠\u{fe0f}");
    }

    #[test]
    fn scripts_that_need_joiners_are_clean() {
        clean("می\u{200c}خواهم کتاب\u{200c}ها API\u{200c}ها");
        clean("क्\u{200d}ष क्\u{200c}ष ශ්\u{200d}රී");
        clean("ភាសា\u{200b}ខ្មែរ ภาษา\u{200b}ไทย");
        clean("葛\u{e0100}城 \u{1820}\u{180e}\u{1820} \u{1100}\u{1160}");
    }

    #[test]
    fn what_reorders_is_seen() {
        check("a\n  \u{202e}b", 2, 3, Sight::BidiControl('\u{202e}'));
        check("é\u{2066}b", 1, 2, Sight::BidiControl('\u{2066}'));
        check("שלום\u{200f}!", 1, 5, Sight::BidiMark('\u{200f}'));
    }

    #[test]
    fn tags_are_seen_in_runs() {
        check("x\u{e0049}\u{e0067}y", 1, 2, Sight::Tags("\u{e0049}\u{e0067}"));
        // Behind a flag too, when they name no region.
        for run in [
            "\u{e0067}\u{e0062}",
            "\u{e007f}",
            "\u{e0049}\u{e0067}\u{e006e}\u{e007f}",
            "\u{e0061}\u{e0061}\u{e0061}\u{e0061}\u{e0061}\u{e0061}\u{e0061}\u{e0061}\u{e007f}",
            "\u{e0067}\u{e0062}\u{e0065}\u{e007f}\u{e0067}",
        ] {
            check(&format!("🏴{run}"), 1, 2, Sight::Tags(run));
        }
        clean("🏴\u{e0061}\u{e0061}\u{e0061}\u{e0061}\u{e0061}\u{e0061}\u{e0061}\u{e007f}");
    }

    #[test]
    fn what_is_invisible_is_seen_in_runs() {
        for (text, run) in [
            ("a\u{200b}b", "\u{200b}"),
            ("a\u{200d}b", "\u{200d}"),
            ("ab\u{200c}", "\u{200c}"),
            ("a\u{2060}\u{2061}\u{200b}b", "\u{2060}\u{2061}\u{200b}"),
            ("a\u{ad}b", "\u{ad}"),
            ("a\u{feff}b", "\u{feff}"),
            ("a\u{e0100}b", "\u{e0100}"),
            ("a\u{3164}b", "\u{3164}"),
            // A message hidden behind an emoji.
            ("😀\u{fe01}\u{e0120}\u{e0121}", "\u{fe01}\u{e0120}\u{e0121}"),
            ("می\u{200c}\u{200c}\u{200d}", "\u{200c}\u{200c}\u{200d}"),
            ("🧑\u{200d}\u{200d}💻", "\u{200d}\u{200d}"),
        ] {
            let at = u32::try_from(text.find(run).map_or(0, |at| text[..at].chars().count()))
                .expect("a short text");
            check(text, 1, at + 1, Sight::Invisible(run));
        }
    }

    #[test]
    fn a_byte_order_mark_is_one_at_the_start_only() {
        check("\u{feff}a", 1, 1, Sight::Bom);
    }

    #[test]
    fn controls_are_seen_and_white_space_is_not() {
        clean("a\tb\r\nc\u{c}");
        check("a\u{1b}[2J", 1, 2, Sight::Control('\u{1b}'));
        check("a\u{85}", 1, 2, Sight::Control('\u{85}'));
        check("\u{7f}", 1, 1, Sight::Control('\u{7f}'));
    }

    #[test]
    fn separators_matter_in_programs() {
        check("// a\u{2028}b()", 1, 5, Sight::Separator('\u{2028}'));
        assert_eq!(seen("a\u{2028}b", Separators::Ordinary), []);
    }

    proptest! {
        #[test]
        fn any_text_is_walked_in_order(text in any::<String>()) {
            let seen = seen(&text, Separators::EndLines);
            prop_assert!(seen.windows(2).all(|pair| (pair[0].0, pair[0].1) < (pair[1].0, pair[1].1)));
        }
    }
}
