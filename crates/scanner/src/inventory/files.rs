//! Files that nobody can read: what their first bytes say they are.

/// What a file is that is no text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Blob {
    /// A program of a machine.
    Program,
    /// Code of a virtual machine.
    ByteCode,
    /// Files in a file.
    Archive,
}

/// How files begin (sources: the ELF, PE, Mach-O, WebAssembly, Java class file, Dalvik, ZIP, gzip,
/// XZ, bzip2, zstd, 7z and RAR formats).
const HEADS: &[(&[u8], Blob)] = &[
    (b"\x7fELF", Blob::Program),
    (b"MZ", Blob::Program),
    (b"\xcf\xfa\xed\xfe", Blob::Program),
    (b"\xce\xfa\xed\xfe", Blob::Program),
    (b"\xca\xfe\xba\xbe", Blob::ByteCode),
    (b"\0asm", Blob::ByteCode),
    (b"dex\n", Blob::ByteCode),
    (b"PK\x03\x04", Blob::Archive),
    (b"\x1f\x8b", Blob::Archive),
    (b"\xfd7zXZ\0", Blob::Archive),
    (b"BZh", Blob::Archive),
    (b"\x28\xb5\x2f\xfd", Blob::Archive),
    (b"7z\xbc\xaf\x27\x1c", Blob::Archive),
    (b"Rar!\x1a\x07", Blob::Archive),
];

/// Where a tar file says what it is (source: POSIX, ustar).
const TAR_MARK: std::ops::Range<usize> = 257..262;

/// Documents that are ZIP files, and are no archives to whoever opens them.
const DOCUMENTS: &[&str] = &["docx", "xlsx", "pptx", "odt", "ods", "odp", "epub"];

impl Blob {
    /// Tells what a file is by its first bytes.
    pub(crate) fn of(extension: &str, bytes: &[u8]) -> Option<Self> {
        let head = HEADS.iter().find(|(head, _)| bytes.starts_with(head)).map(|(_, blob)| *blob);
        match head {
            Some(Self::Archive) if DOCUMENTS.contains(&extension) => None,
            // Two letters are a weak mark: a text may begin so.
            Some(Self::Program) if bytes.starts_with(b"MZ") && !bytes.contains(&0) => None,
            Some(blob) => Some(blob),
            None if bytes.get(TAR_MARK) == Some(b"ustar") => Some(Self::Archive),
            None if extension == "pyc" => Some(Self::ByteCode),
            None => None,
        }
    }

    /// Returns the words for it.
    pub(crate) fn described(self) -> &'static str {
        match self {
            Self::Program => "a program of a machine",
            Self::ByteCode => "code of a virtual machine",
            Self::Archive => "an archive, which is not looked into",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Blob;

    #[test]
    fn first_bytes_tell_what_it_is() {
        assert_eq!(Blob::of("", b"\x7fELF\x02"), Some(Blob::Program));
        assert_eq!(Blob::of("exe", b"MZ\x90\0"), Some(Blob::Program));
        assert_eq!(Blob::of("txt", b"MZ is a text"), None);
        assert_eq!(Blob::of("jar", b"PK\x03\x04"), Some(Blob::Archive));
        assert_eq!(Blob::of("docx", b"PK\x03\x04"), None);
        assert_eq!(Blob::of("wasm", b"\0asm\x01"), Some(Blob::ByteCode));
        assert_eq!(Blob::of("pyc", b"\xa7\r\r\n"), Some(Blob::ByteCode));
        assert_eq!(Blob::of("png", b"\x89PNG"), None);
        let mut tar = vec![0; 512];
        tar[257..262].copy_from_slice(b"ustar");
        assert_eq!(Blob::of("bin", &tar), Some(Blob::Archive));
    }
}
