//! Tabs: text in quotes, block texts and comments may hold them. Elsewhere readers do not agree on
//! what they mean, and many refuse them.

use super::{Error, ErrorKind, quoted};

/// A text that may hold tabs, in characters of the document.
pub(super) struct Text {
    /// Where it starts.
    pub(super) start: usize,
    /// Where a block ends. A text in quotes ends with its quote.
    pub(super) end: Option<usize>,
}

/// Finds the first tab outside the texts, which are given in order.
pub(super) fn check(document: &str, texts: &[Text]) -> Result<(), Error> {
    let mut texts = texts.iter().peekable();
    let mut text_end = 0;
    let (mut line, mut column) = (1, 1);
    let (mut in_comment, mut before) = (false, '\n');
    for (at, (offset, c)) in document.char_indices().enumerate() {
        if let Some(text) = texts.next_if(|text| text.start == at) {
            text_end = text.end.unwrap_or_else(|| {
                let length = quoted::length(&document[offset..]).unwrap_or_default();
                at + document[offset..offset + length].chars().count()
            });
        }
        let in_text = at < text_end;
        match c {
            '#' if matches!(before, ' ' | '\n') && !in_text => in_comment = true,
            '\n' => in_comment = false,
            '\t' if !in_comment && !in_text => {
                let message = "a tab is only allowed in quotes, block texts and comments";
                let kind = ErrorKind::Tab;
                return Err(Error { kind, message: message.to_owned(), line, column });
            }
            _ => {}
        }
        before = c;
        (line, column) = if c == '\n' { (line + 1, 1) } else { (line, column + 1) };
    }
    Ok(())
}
