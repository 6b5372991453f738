//! Which characters are which. Source of the sets: Unicode 16, UAX #9 (bidirectional controls),
//! UTS #51 (emoji sequences), UTS #37 (ideographic variation), UAX #31 section 2.3 (joiners).

/// Embeddings, overrides and isolates: they reorder what is shown.
pub(crate) fn is_bidi_control(c: char) -> bool {
    matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// Marks that give a neutral character a direction; they reorder nothing by themselves.
pub(crate) fn is_bidi_mark(c: char) -> bool {
    matches!(c, '\u{200e}' | '\u{200f}' | '\u{61c}')
}

/// ASCII again, invisible.
pub(crate) fn is_tag(c: char) -> bool {
    matches!(c, '\u{e0000}'..='\u{e007f}')
}

/// Controls other than tab, line feed, carriage return and form feed.
pub(crate) fn is_control(c: char) -> bool {
    c.is_control() && !matches!(c, '\t' | '\n' | '\r' | '\u{c}')
}

/// The separators that JavaScript takes for line ends and most editors do not.
pub(crate) fn is_separator(c: char) -> bool {
    matches!(c, '\u{2028}' | '\u{2029}')
}

pub(crate) fn is_variation_selector(c: char) -> bool {
    matches!(c, '\u{fe00}'..='\u{fe0f}')
}

pub(crate) fn is_supplementary_selector(c: char) -> bool {
    matches!(c, '\u{e0100}'..='\u{e01ef}')
}

pub(crate) fn is_joiner(c: char) -> bool {
    matches!(c, '\u{200c}' | '\u{200d}')
}

/// Characters without a shape of their own, the selectors and joiners included, which are often
/// where they belong.
pub(crate) fn is_invisible(c: char) -> bool {
    is_joiner(c)
        || is_variation_selector(c)
        || is_supplementary_selector(c)
        || is_filler(c)
        || matches!(c,
            '\u{ad}' | '\u{34f}' | '\u{180e}' | '\u{200b}' | '\u{2060}'..='\u{2065}'
            | '\u{206a}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}'
            | '\u{1d173}'..='\u{1d17a}' | '\u{e0080}'..='\u{e00ff}' | '\u{e01f0}'..='\u{e0fff}')
}

/// Hangul fillers: letters by their category, so a name may consist of them, and blank.
pub(crate) fn is_filler(c: char) -> bool {
    matches!(c, '\u{115f}' | '\u{1160}' | '\u{3164}' | '\u{ffa0}')
}

/// Conjoining jamo, beside which a filler has its place.
pub(crate) fn is_jamo(c: char) -> bool {
    matches!(c, '\u{1100}'..='\u{11ff}' | '\u{a960}'..='\u{a97f}' | '\u{d7b0}'..='\u{d7ff}')
}

pub(crate) fn is_mongolian(c: char) -> bool {
    matches!(c, '\u{1800}'..='\u{18af}')
}

/// Ideographs, whose glyph a supplementary selector chooses.
pub(crate) fn is_ideograph(c: char) -> bool {
    matches!(c, '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}' | '\u{f900}'..='\u{faff}'
        | '\u{20000}'..='\u{3ffff}')
}

/// Pictographs, their skin tones, and what may stand before a joiner in an emoji. Wider than the
/// list of recommended emoji: what is shown as a picture hides nothing.
pub(crate) fn is_pictograph(c: char) -> bool {
    matches!(c,
        '\u{a9}' | '\u{ae}' | '\u{203c}' | '\u{2049}' | '\u{20e3}' | '\u{2122}' | '\u{2139}'
        | '\u{2190}'..='\u{21ff}' | '\u{2300}'..='\u{23ff}' | '\u{2460}'..='\u{24ff}'
        | '\u{25a0}'..='\u{27bf}' | '\u{2900}'..='\u{297f}' | '\u{2b00}'..='\u{2bff}'
        | '\u{3030}' | '\u{303d}' | '\u{3297}' | '\u{3299}'
        | '\u{1f000}'..='\u{1faff}' | '\u{e007f}')
}

/// Scripts whose letters take another form beside a joiner: Arabic and its kin, the Brahmic
/// scripts from Devanagari to Balinese, Mongolian, Adlam and others.
pub(crate) fn uses_joiners(c: char) -> bool {
    matches!(c,
        '\u{600}'..='\u{109f}' | '\u{1700}'..='\u{18af}' | '\u{1900}'..='\u{1cff}'
        | '\u{a800}'..='\u{abff}' | '\u{fb50}'..='\u{fdff}' | '\u{fe70}'..='\u{fefe}'
        | '\u{10a00}'..='\u{10fff}' | '\u{11000}'..='\u{11fff}' | '\u{1e900}'..='\u{1e95f}'
        | '\u{1ee00}'..='\u{1eeff}')
}

/// Scripts without spaces between words, where a zero-width space allows a line break: Thai, Lao,
/// Tibetan, Myanmar, Khmer, and the Tai scripts.
pub(crate) fn breaks_without_space(c: char) -> bool {
    matches!(c,
        '\u{e00}'..='\u{fff}' | '\u{1000}'..='\u{109f}' | '\u{1780}'..='\u{17ff}'
        | '\u{1950}'..='\u{19ff}' | '\u{1a20}'..='\u{1aaf}' | '\u{a9e0}'..='\u{a9ff}'
        | '\u{aa60}'..='\u{aadf}')
}
