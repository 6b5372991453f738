//! Text from binary, and text out of bytes.

use std::borrow::Cow;

/// How far a NUL byte makes a file binary: what `git` and `grep` look at, too.
const BINARY_WINDOW: usize = 8 * 1024;

/// What the bytes of a file are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Encoding {
    /// Valid UTF-8 without a NUL byte near the start.
    Utf8,
    /// Valid UTF-8 with a NUL byte near the start.
    Nul,
    /// Starts with a byte order mark of UTF-16 or UTF-32.
    Wide(Wide),
    /// Not UTF-8, from this byte on.
    Invalid {
        /// The offset of the first byte that belongs to no character.
        at: usize,
    },
}

/// The encodings of two and four bytes, told by their byte order mark.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wide {
    Utf16Le,
    Utf16Be,
    Utf32Le,
    Utf32Be,
}

impl Wide {
    fn of(bytes: &[u8]) -> Option<Self> {
        match bytes {
            [0xff, 0xfe, 0, 0, ..] => Some(Self::Utf32Le),
            [0, 0, 0xfe, 0xff, ..] => Some(Self::Utf32Be),
            [0xff, 0xfe, ..] => Some(Self::Utf16Le),
            [0xfe, 0xff, ..] => Some(Self::Utf16Be),
            _ => None,
        }
    }

    /// Returns the name that people know.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Utf16Le | Self::Utf16Be => "UTF-16",
            Self::Utf32Le | Self::Utf32Be => "UTF-32",
        }
    }

    /// Decodes, the byte order mark included; what is no character becomes U+FFFD.
    fn decode(self, bytes: &[u8]) -> String {
        let replaced = char::REPLACEMENT_CHARACTER;
        let units = |read: fn([u8; 2]) -> u16| {
            let units = bytes.chunks_exact(2).map(move |pair| read([pair[0], pair[1]]));
            char::decode_utf16(units).map(|unit| unit.unwrap_or(replaced)).collect()
        };
        let scalars = |read: fn([u8; 4]) -> u32| {
            let scalars =
                bytes.chunks_exact(4).map(move |four| read([four[0], four[1], four[2], four[3]]));
            scalars.map(|scalar| char::from_u32(scalar).unwrap_or(replaced)).collect()
        };
        match self {
            Self::Utf16Le => units(u16::from_le_bytes),
            Self::Utf16Be => units(u16::from_be_bytes),
            Self::Utf32Le => scalars(u32::from_le_bytes),
            Self::Utf32Be => scalars(u32::from_be_bytes),
        }
    }
}

impl Encoding {
    /// Tells what the bytes are.
    pub(crate) fn of(bytes: &[u8]) -> Self {
        if let Some(wide) = Wide::of(bytes) {
            return Self::Wide(wide);
        }
        match std::str::from_utf8(bytes) {
            Err(error) => Self::Invalid { at: error.valid_up_to() },
            Ok(_) if bytes[..bytes.len().min(BINARY_WINDOW)].contains(&0) => Self::Nul,
            Ok(_) => Self::Utf8,
        }
    }

    /// Tells whether a file of no known role counts as binary.
    pub(crate) fn is_binary(self) -> bool {
        self != Self::Utf8
    }

    /// Says what is wrong with a file that should be text.
    pub(crate) fn described(self) -> String {
        match self {
            Self::Utf8 => "the content is text".to_owned(),
            Self::Nul => "named like a text, but the content has NUL bytes".to_owned(),
            Self::Wide(wide) => format!("named like a text, but the content is {}", wide.as_str()),
            Self::Invalid { at } => {
                format!("named like a text, but from offset {at} on the content is not UTF-8")
            }
        }
    }

    /// Returns the text, with U+FFFD for what is none. Borrowed, unless something is replaced.
    pub(crate) fn decode(self, bytes: &[u8]) -> Cow<'_, str> {
        match self {
            Self::Wide(wide) => Cow::Owned(wide.decode(bytes)),
            Self::Utf8 | Self::Nul | Self::Invalid { .. } => String::from_utf8_lossy(bytes),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{BINARY_WINDOW, Encoding, Wide};

    #[track_caller]
    fn check(bytes: &[u8], encoding: Encoding, text: &str) {
        assert_eq!(Encoding::of(bytes), encoding);
        assert_eq!(encoding.decode(bytes), text);
    }

    #[test]
    fn each_encoding_is_told_and_decoded() {
        check(b"", Encoding::Utf8, "");
        check("é".as_bytes(), Encoding::Utf8, "é");
        check(b"a\0b", Encoding::Nul, "a\0b");
        check(b"a\xffb", Encoding::Invalid { at: 1 }, "a\u{fffd}b");
        check(b"\xff\xfea\0\x3d\xd8\x00\xde", Encoding::Wide(Wide::Utf16Le), "\u{feff}a\u{1f600}");
        check(b"\xfe\xff\0a\xd8\x3d\0", Encoding::Wide(Wide::Utf16Be), "\u{feff}a\u{fffd}");
        check(b"\xff\xfe\0\0a\0\0\0", Encoding::Wide(Wide::Utf32Le), "\u{feff}a");
        check(b"\0\0\xfe\xff\0\0\0a", Encoding::Wide(Wide::Utf32Be), "\u{feff}a");
    }

    #[test]
    fn a_nul_makes_a_file_binary_within_the_window_only() {
        let mut bytes = vec![b'a'; BINARY_WINDOW];
        bytes[BINARY_WINDOW - 1] = 0;
        assert_eq!(Encoding::of(&bytes), Encoding::Nul);
        bytes[BINARY_WINDOW - 1] = b'a';
        bytes.push(0);
        assert_eq!(Encoding::of(&bytes), Encoding::Utf8);
    }
}
