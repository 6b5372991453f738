//! The one check for paths inside a package.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use unicode_normalization::is_nfc;

use crate::{Code, Coded, printable};

/// A path inside a package: relative, `/`-separated, UTF-8 in normalisation form C, without `..`,
/// and writable on every system Kitbag's packages travel to.
///
/// Ordering is bytewise, which is the canonical order of a package's listing.
#[derive(
    Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(try_from = "String", into = "String")]
#[schemars(with = "String")]
pub struct PackagePath(String);

impl PackagePath {
    /// The most bytes one part may have: the limit of the common file systems.
    pub const MAX_PART_BYTES: usize = 255;
    /// The most bytes a path may have: below every system's limit with room for a root in front.
    pub const MAX_BYTES: usize = 1024;
    /// The most parts a path may have. Real skills stay under 8; 32 bounds recursion.
    pub const MAX_DEPTH: usize = 32;

    /// Validates a path.
    ///
    /// # Errors
    /// [`InvalidPath`] names the first rule that the path breaks.
    pub fn new(text: &str) -> Result<Self, InvalidPath> {
        let invalid = |code| Err(InvalidPath { path: text.to_owned(), code });
        if text.starts_with('/') || is_drive(text) {
            return invalid(Code::PackagePathAbsolute);
        }
        if text.is_empty() {
            return invalid(Code::PackagePathEmpty);
        }
        if text.len() > Self::MAX_BYTES {
            return invalid(Code::PackagePathTooLong);
        }
        if text.chars().any(char::is_control) {
            return invalid(Code::PackagePathControl);
        }
        if text.contains('\\') {
            return invalid(Code::PackagePathBackslash);
        }
        if !is_nfc(text) {
            return invalid(Code::PackagePathNotNfc);
        }
        for (index, part) in text.split('/').enumerate() {
            if index == Self::MAX_DEPTH {
                return invalid(Code::PackageTooDeep);
            }
            if let Err(code) = check_part(part) {
                return invalid(code);
            }
        }
        Ok(Self(text.to_owned()))
    }

    /// Returns the path as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns the last part.
    pub fn file_name(&self) -> &str {
        self.0.rsplit('/').next().unwrap_or(&self.0)
    }

    /// Returns the extension of the last part in lower case, without the dot; empty if none.
    pub fn extension(&self) -> String {
        match self.file_name().rsplit_once('.') {
            Some((stem, extension)) if !stem.is_empty() => extension.to_lowercase(),
            _ => String::new(),
        }
    }

    /// Returns the parts from the first to the last.
    pub fn parts(&self) -> impl Iterator<Item = &str> {
        self.0.split('/')
    }
}

fn check_part(part: &str) -> Result<(), Code> {
    if part.is_empty() || part == "." {
        return Err(Code::PackagePathEmpty);
    }
    if part == ".." {
        return Err(Code::PackagePathTraversal);
    }
    if part.len() > PackagePath::MAX_PART_BYTES {
        return Err(Code::PackageNameTooLong);
    }
    if part.ends_with(['.', ' ']) {
        return Err(Code::PackagePathTrailing);
    }
    if is_device_name(part) {
        return Err(Code::PackagePathWindows);
    }
    Ok(())
}

/// `C:` and the like, which Windows takes for the start of an absolute path.
fn is_drive(text: &str) -> bool {
    matches!(text.as_bytes(), [letter, b':', ..] if letter.is_ascii_alphabetic())
        && matches!(text.as_bytes().get(2), None | Some(b'/' | b'\\'))
}

/// Windows reserves these names with any extension (source: Win32 "Naming Files, Paths, and
/// Namespaces"), the superscript digits included.
fn is_device_name(part: &str) -> bool {
    let stem = part.split('.').next().unwrap_or(part).trim_end().to_uppercase();
    match stem.as_str() {
        "CON" | "PRN" | "AUX" | "NUL" | "CONIN$" | "CONOUT$" => true,
        _ => {
            let mut chars = stem.chars();
            let prefix: String = chars.by_ref().take(3).collect();
            (prefix == "COM" || prefix == "LPT")
                && matches!(chars.next(), Some('1'..='9' | '¹' | '²' | '³'))
                && chars.next().is_none()
        }
    }
}

impl fmt::Display for PackagePath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&printable(&self.0), f)
    }
}

/// A text breaks a rule for paths inside a package.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{}`: {}", printable(.path), .code.meaning())]
pub struct InvalidPath {
    /// The text as it was given.
    pub path: String,
    /// Which rule it breaks.
    pub code: Code,
}

impl Coded for InvalidPath {
    fn code(&self) -> Code {
        self.code
    }
}

impl TryFrom<String> for PackagePath {
    type Error = InvalidPath;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        Self::new(&text)
    }
}

impl From<PackagePath> for String {
    fn from(path: PackagePath) -> Self {
        path.0
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::PackagePath;
    use crate::Code;

    #[track_caller]
    fn refused(path: &str, code: Code) {
        assert_eq!(PackagePath::new(path).expect_err(path).code, code, "{path:?}");
    }

    #[test]
    fn each_rule_has_its_own_code() {
        refused("", Code::PackagePathEmpty);
        refused("a//b", Code::PackagePathEmpty);
        refused("a/", Code::PackagePathEmpty);
        refused("./a", Code::PackagePathEmpty);
        refused("/etc/passwd", Code::PackagePathAbsolute);
        refused("../e", Code::PackagePathTraversal);
        refused("a/../../e", Code::PackagePathTraversal);
        refused("a\\..\\e", Code::PackagePathBackslash);
        refused("C:/x", Code::PackagePathAbsolute);
        refused("aux.md", Code::PackagePathWindows);
        refused("COM1", Code::PackagePathWindows);
        refused("dir/lpt9.txt", Code::PackagePathWindows);
        refused("x. ", Code::PackagePathTrailing);
        refused("x.", Code::PackagePathTrailing);
        refused("a\0b", Code::PackagePathControl);
        refused("a\u{85}b", Code::PackagePathControl);
        refused("cafe\u{301}.md", Code::PackagePathNotNfc);
    }

    #[test]
    fn limits_hold_on_both_sides() {
        assert!(PackagePath::new(&"a".repeat(255)).is_ok());
        refused(&"a".repeat(256), Code::PackageNameTooLong);
        let long = |last: &str| format!("{0}/{0}/{0}/{1}/{last}", "a".repeat(255), "a".repeat(254));
        assert_eq!(long("b").len(), 1024);
        assert!(PackagePath::new(&long("b")).is_ok());
        refused(&long("bb"), Code::PackagePathTooLong);
        assert!(PackagePath::new(&["a"; 32].join("/")).is_ok());
        refused(&["a"; 33].join("/"), Code::PackageTooDeep);
    }

    #[test]
    fn ordinary_names_pass() {
        for path in [
            "SKILL.md",
            ".env.example",
            "_x.md",
            "a b.md",
            "a:b.md",
            "技能/说明.md",
            "community.md",
            "com.md",
        ] {
            assert!(PackagePath::new(path).is_ok(), "{path}");
        }
    }

    proptest! {
        #[test]
        fn an_accepted_path_stays_inside(text in "[a./\\\\: A-Zé-]{0,40}") {
            if let Ok(path) = PackagePath::new(&text) {
                prop_assert!(path.parts().all(|p| !p.is_empty() && p != ".." && p != "."));
                prop_assert!(!path.as_str().starts_with('/'));
            }
        }
    }
}
