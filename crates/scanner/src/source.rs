//! What a file's name and first bytes say it is for.

use kitbag_types::PackagePath;

/// What the rules of text take a file for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    /// A program or the data a program loads: read by an interpreter, so it has to be text.
    Source {
        /// Whether its identifiers are written without quotes, so that look-alikes in them matter.
        identifiers: Identifiers,
    },
    /// Named like a text that a model or a person reads.
    Prose,
    /// Anything else.
    Other,
}

/// Whether a language has identifiers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Identifiers {
    Yes,
    No,
}

/// Extensions of what an interpreter runs.
const PROGRAM: &[&str] = &[
    "js", "mjs", "cjs", "jsx", "ts", "mts", "cts", "tsx", "sh", "bash", "dash", "ksh", "zsh",
    "fish", "py", "pyw", "rb", "pl", "pm", "php", "lua", "ps1", "psm1", "bat", "cmd",
];

/// Extensions of what programs load as it is.
const DATA: &[&str] = &["json", "jsonc", "json5", "jsonl"];

/// Extensions of what is read as text, by a model above all.
const PROSE: &[&str] = &["md", "markdown", "mdx", "txt", "rst", "adoc", "yaml", "yml", "toml"];

impl Role {
    /// Tells the role of a file.
    pub(crate) fn of(path: &PackagePath, bytes: &[u8]) -> Self {
        let extension = path.extension();
        let among = |set: &[&str]| set.contains(&extension.as_str());
        if among(PROGRAM) || has_shebang(bytes) {
            Self::Source { identifiers: Identifiers::Yes }
        } else if among(DATA) {
            Self::Source { identifiers: Identifiers::No }
        } else if among(PROSE) {
            Self::Prose
        } else {
            Self::Other
        }
    }
}

/// Tells whether a file begins with `#!`, be it behind a byte order mark: the kernel would not run
/// that, but it is a program all the same. `#![` begins an attribute of Rust, no interpreter line.
pub(crate) fn has_shebang(bytes: &[u8]) -> bool {
    let text = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    text.starts_with(b"#!") && !text.starts_with(b"#![")
}

#[cfg(test)]
mod tests {
    use kitbag_types::PackagePath;

    use super::{Identifiers, Role};

    #[track_caller]
    fn check(path: &str, bytes: &[u8], expected: Role) {
        let path = PackagePath::new(path).expect("a good path");
        assert_eq!(Role::of(&path, bytes), expected, "{path}");
    }

    #[test]
    fn name_and_first_bytes_decide() {
        let program = Role::Source { identifiers: Identifiers::Yes };
        check("a/run.PY", b"", program);
        check("index.d.mts", b"", program);
        check("run", b"#!/bin/sh\n", program);
        check("run", b"#! /usr/bin/env node\n", program);
        check("run", b"\xef\xbb\xbf#!/bin/sh\n", program);
        check("notes.md", b"#!/bin/sh\n", program);
        check("lib.rs", b"#![deny(warnings)]\n", Role::Other);
        check("package.json", b"{}", Role::Source { identifiers: Identifiers::No });
        check("notes.md", b"# Notes\n", Role::Prose);
        check("logo.png", b"\x89PNG", Role::Other);
        check(".json", b"", Role::Other);
    }
}
