//! Untrusted text made safe to show.
//!
//! A package's name, description, path or content may hold control characters (terminal escape
//! sequences), bidirectional controls (Trojan Source) or invisible characters. Whatever leaves
//! Kitbag for a person's eyes goes through [`printable`]; JSON goes through [`escape_json`].

use std::fmt;

/// Wraps text so that `Display` shows every control, bidirectional and invisible character as
/// `\u{…}`. Line feeds and tabs are escaped too: one value stays on one line.
pub fn printable(text: &str) -> Printable<'_> {
    Printable { text, keep_lines: false }
}

/// Text that is safe to show, see [`printable`].
#[derive(Clone, Copy, Debug)]
pub struct Printable<'a> {
    text: &'a str,
    keep_lines: bool,
}

impl<'a> Printable<'a> {
    /// Returns the same text with line feeds and tabs kept, for output of several lines.
    pub fn keep_lines(text: &'a str) -> Self {
        Self { text, keep_lines: true }
    }
}

impl fmt::Display for Printable<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // What needs no escape is written in runs: nearly all text is one.
        let mut run = 0;
        for (at, c) in self.text.char_indices() {
            if !is_hazardous(c) || (self.keep_lines && matches!(c, '\n' | '\t')) {
                continue;
            }
            f.write_str(&self.text[run..at])?;
            run = at + c.len_utf8();
            match c {
                '\n' => f.write_str("\\n")?,
                '\r' => f.write_str("\\r")?,
                '\t' => f.write_str("\\t")?,
                c => write!(f, "\\u{{{:x}}}", u32::from(c))?,
            }
        }
        f.write_str(&self.text[run..])
    }
}

/// Escapes, inside an already serialised JSON document, the characters that JSON allows but a
/// terminal or a reader's eye does not survive. The document's meaning does not change.
pub fn escape_json(document: &str) -> String {
    use std::fmt::Write as _;
    let mut out = String::with_capacity(document.len());
    for c in document.chars() {
        // Raw control characters can only be the line feeds of pretty printing.
        if c != '\n' && is_hazardous(c) {
            let mut units = [0_u16; 2];
            for unit in c.encode_utf16(&mut units) {
                write!(out, "\\u{unit:04x}").expect("writing to a string cannot fail");
            }
        } else {
            out.push(c);
        }
    }
    out
}

/// Tells whether a character may not be shown raw: C0 and C1 controls, bidirectional controls,
/// zero-width and other invisible format characters, tags and variation-selector supplements,
/// and the line and paragraph separators.
#[inline]
fn is_hazardous(c: char) -> bool {
    !matches!(c, ' '..='~') && is_listed_hazard(c)
}

fn is_listed_hazard(c: char) -> bool {
    matches!(u32::from(c),
        0x00..=0x1f | 0x7f..=0x9f | 0xad | 0x61c | 0x180e
        | 0x200b..=0x200f | 0x2028..=0x202e | 0x2060..=0x206f
        | 0xfeff | 0xfff9..=0xfffb | 0xe0000..=0xe0fff)
}

#[cfg(test)]
mod tests {
    use super::{Printable, escape_json, printable};

    #[test]
    fn terminal_escapes_and_hidden_text_become_visible() {
        let hostile = "a\u{1b}[2Jb\u{202e}c\u{200b}d\u{e0041}e\nf";
        assert_eq!(
            printable(hostile).to_string(),
            "a\\u{1b}[2Jb\\u{202e}c\\u{200b}d\\u{e0041}e\\nf"
        );
        assert_eq!(Printable::keep_lines("x\ty\nz\r").to_string(), "x\ty\nz\\r");
    }

    #[test]
    fn ordinary_text_of_any_script_is_left_alone() {
        let text = "naïve 技能 навык — “quoted” ✅";
        assert_eq!(printable(text).to_string(), text);
    }

    #[test]
    fn escaped_json_means_the_same() {
        let value = serde_json::json!({"a": "x\u{202e}y\u{e0041}\u{7f}", "b": "plain"});
        let document = serde_json::to_string_pretty(&value).expect("a value serialises");
        let escaped = escape_json(&document);
        assert!(!escaped.contains('\u{202e}') && !escaped.contains('\u{e0041}'));
        let back: serde_json::Value = serde_json::from_str(&escaped).expect("still JSON");
        assert_eq!(back, value);
    }
}
