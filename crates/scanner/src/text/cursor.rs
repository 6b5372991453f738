//! Where in a text.

/// A byte order mark: no character of the text, so it takes no column (source: SARIF 2.1.0, 3.30.2,
/// and what editors do).
const BOM: &str = "\u{feff}";

/// A place in a text: line and column from 1, the column in characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Place {
    pub(crate) line: u32,
    pub(crate) column: u32,
}

/// Walks over the characters of a text and knows the place of each. Lines end at a line feed.
pub(crate) struct Cursor<'t> {
    text: &'t str,
    offset: usize,
    place: Place,
    previous: Option<char>,
}

impl<'t> Cursor<'t> {
    pub(crate) fn new(text: &'t str) -> Self {
        Self { text, offset: 0, place: Place { line: 1, column: 1 }, previous: None }
    }

    /// The byte offset of the next character.
    pub(crate) fn offset(&self) -> usize {
        self.offset
    }

    /// The place of the next character.
    pub(crate) fn place(&self) -> Place {
        self.place
    }

    /// The character that was taken last.
    pub(crate) fn previous(&self) -> Option<char> {
        self.previous
    }

    /// The next character, which stays the next.
    pub(crate) fn peek(&self) -> Option<char> {
        self.text[self.offset..].chars().next()
    }

    /// Takes the next character.
    pub(crate) fn take(&mut self) -> Option<char> {
        let c = self.peek()?;
        let is_mark = self.offset == 0 && self.text.starts_with(BOM);
        self.offset += c.len_utf8();
        if c == '\n' {
            self.place = Place { line: self.place.line.saturating_add(1), column: 1 };
        } else if !is_mark {
            self.place.column = self.place.column.saturating_add(1);
        }
        self.previous = Some(c);
        Some(c)
    }

    /// Takes the characters that follow and belong to a run, and returns the run from `start` on.
    pub(crate) fn take_while(&mut self, start: usize, belongs: fn(char) -> bool) -> &'t str {
        while self.peek().is_some_and(belongs) {
            self.take();
        }
        &self.text[start..self.offset]
    }
}

/// Returns the place of the byte at an offset, where everything before it is UTF-8.
pub(crate) fn place_of(bytes: &[u8], offset: usize) -> Place {
    let before = &bytes[..offset];
    let line_start = before.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
    let lines = before.iter().filter(|byte| **byte == b'\n').count();
    let line = u32::try_from(lines).unwrap_or(u32::MAX).saturating_add(1);
    Place { line, column: column_of(bytes, line_start, offset) }
}

/// Returns the column of the byte at an offset, in the line that starts at another.
pub(crate) fn column_of(bytes: &[u8], line_start: usize, offset: usize) -> u32 {
    let is_marked = line_start == 0 && bytes.starts_with(BOM.as_bytes());
    let start = if is_marked { BOM.len().min(offset) } else { line_start };
    // Continuation bytes of UTF-8 begin with `10`.
    let columns = bytes[start..offset].iter().filter(|byte| **byte & 0xc0 != 0x80).count();
    u32::try_from(columns).unwrap_or(u32::MAX).saturating_add(1)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{Cursor, Place, place_of};

    #[test]
    fn columns_count_characters_and_lines_end_at_line_feeds() {
        let text = "é\r\n\tx";
        let mut cursor = Cursor::new(text);
        let mut places = Vec::new();
        loop {
            let place = cursor.place();
            let Some(c) = cursor.take() else { break };
            places.push((c, place.line, place.column));
        }
        assert_eq!(places, [('é', 1, 1), ('\r', 1, 2), ('\n', 1, 3), ('\t', 2, 1), ('x', 2, 2)]);
    }

    #[test]
    fn a_byte_order_mark_takes_no_column_where_it_is_one() {
        let at = |text: &str| place_of(text.as_bytes(), text.find('x').expect("an x")).column;
        assert_eq!(at("\u{feff}x"), 1);
        assert_eq!(at("\u{feff}\nx"), 1);
        assert_eq!(at("a\u{feff}x"), 3);
        assert_eq!(at("\n\u{feff}x"), 2);
    }

    proptest! {
        #[test]
        fn both_ways_to_a_place_agree(text in "\u{feff}?[aé漢😀\n\r\u{feff}]{0,24}") {
            let mut cursor = Cursor::new(&text);
            loop {
                prop_assert_eq!(place_of(text.as_bytes(), cursor.offset()), cursor.place());
                if cursor.take().is_none() { break }
            }
        }
    }

    #[test]
    fn the_first_byte_is_at_one_one() {
        assert_eq!(place_of(b"\xff", 0), Place { line: 1, column: 1 });
    }
}
