//! Words of a program that read as Latin and are not.

use super::cursor::{Cursor, Place};
use super::sight::Sight;

/// Cyrillic and Greek letters that most fonts draw like a Latin one (source: the letters' own
/// shapes; the same pairs stand in the confusables of UTS #39). Letters that merely resemble one
/// are left out: α, μ, σ and the like are ordinary in mathematics.
fn looks_latin(c: char) -> bool {
    matches!(
        c,
        // Cyrillic: small a, e, o, r, s, u, kh, i, yi, j, s, h, komi d, q, w, v.
        'а' | 'е' | 'о' | 'р' | 'с' | 'у' | 'х' | 'і' | 'ї' | 'ј' | 'ѕ' | 'һ' | 'ԁ' | 'ԛ' | 'ԝ' | 'ѵ'
        | 'ё' | 'ѐ' | 'ӏ'
        // Cyrillic capitals.
        | 'А' | 'В' | 'Е' | 'К' | 'М' | 'Н' | 'О' | 'Р' | 'С' | 'Т' | 'У' | 'Х' | 'І' | 'Ї' | 'Ј'
        | 'Ѕ' | 'Ԛ' | 'Ԝ' | 'Ү' | 'Ӏ' | 'Ё'
        // Greek.
        | 'ο' | 'ν' | 'ϲ' | 'ϳ' | 'Α' | 'Β' | 'Ε' | 'Ζ' | 'Η' | 'Ι' | 'Κ' | 'Μ' | 'Ν' | 'Ο' | 'Ρ'
        | 'Τ' | 'Υ' | 'Χ' | 'Ϲ' | 'Ϳ'
    )
}

/// Reports the words of letters that mix Latin with letters that look Latin, and hold no other:
/// those read as Latin. Linear in the text.
pub(crate) fn words<'t>(text: &'t str, see: &mut dyn FnMut(Place, Sight<'t>)) {
    // The first bytes of Greek and Cyrillic in UTF-8; most texts have none of them.
    if !text.bytes().any(|byte| (0xcd..=0xd4).contains(&byte)) {
        return;
    }
    let mut cursor = Cursor::new(text);
    loop {
        let (start, place) = (cursor.offset(), cursor.place());
        let Some(c) = cursor.take() else { return };
        if !c.is_alphabetic() {
            continue;
        }
        let word = cursor.take_while(start, char::is_alphabetic);
        if let Some(letter) = disguised(word) {
            see(place, Sight::Confusable { word, letter });
        }
    }
}

/// Returns the first letter that only looks Latin, where the word reads as Latin.
fn disguised(word: &str) -> Option<char> {
    let latin = |c: char| c.is_ascii_alphabetic() || matches!(c, '\u{c0}'..='\u{24f}');
    let mixed = word.chars().any(latin) && word.chars().all(|c| latin(c) || looks_latin(c));
    if mixed { word.chars().find(|c| looks_latin(*c)) } else { None }
}

#[cfg(test)]
mod tests {
    use super::{Sight, words};

    #[track_caller]
    fn check(text: &str, expected: &[(u32, u32, char)]) {
        let mut seen = Vec::new();
        words(text, &mut |place, sight| match sight {
            Sight::Confusable { letter, .. } => seen.push((place.line, place.column, letter)),
            other => panic!("{other:?}"),
        });
        assert_eq!(seen, expected, "{text}");
    }

    #[test]
    fn look_alikes_inside_latin_words_are_seen() {
        check("x = 1\ngetT\u{43e}ken()", &[(2, 1, '\u{43e}')]);
        check("get_t\u{3bf}ken", &[(1, 5, '\u{3bf}')]);
        check("\u{405}ecret + S\u{435}cret", &[(1, 1, '\u{405}'), (1, 10, '\u{435}')]);
    }

    #[test]
    fn other_scripts_and_mathematics_are_left_alone() {
        check("# проверка токена, 技能 skill, naïve", &[]);
        check("Δx = σ_x * λmax + μs; ν_max = 2", &[]);
        check("# функция для APIшки", &[]);
        check("plain ascii", &[]);
    }
}
