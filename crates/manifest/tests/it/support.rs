//! Fixtures, and what a reading looks like in a golden file.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use kitbag_manifest::{SkillContext, SkillReading, read_skill};
use kitbag_types::Printable;

pub(crate) fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/skill-md")
}

/// Every fixture by name, with its bytes. `SKILL.md.escaped` is text in which `\u{…}` is a character
/// and `\x…` a byte; its own line ends do not count.
pub(crate) fn fixtures() -> Vec<(String, Vec<u8>)> {
    let mut fixtures: Vec<_> = fs_err::read_dir(folder())
        .expect("the fixtures are there")
        .map(|entry| entry.expect("a readable entry").path())
        .filter(|path| path.is_dir())
        .map(|path| {
            let name = path.file_name().expect("a name").to_string_lossy().into_owned();
            let bytes = fs_err::read(path.join("SKILL.md")).unwrap_or_else(|_| {
                unescape(&fs_err::read_to_string(path.join("SKILL.md.escaped")).expect("a fixture"))
            });
            (name, bytes)
        })
        .collect();
    fixtures.sort();
    assert!(fixtures.len() >= 40, "fixtures were lost");
    fixtures
}

fn unescape(text: &str) -> Vec<u8> {
    let mut out = Vec::new();
    let mut rest = text.trim_end_matches('\n');
    while let Some(at) = rest.find('\\') {
        out.extend_from_slice(&rest.as_bytes()[..at]);
        let escape = &rest[at + 1..];
        if let Some(braced) = escape.strip_prefix("u{") {
            let (digits, after) = braced.split_once('}').expect("`\\u{` is closed");
            let number = u32::from_str_radix(digits, 16).expect("hexadecimal digits");
            let c = char::from_u32(number).expect("a character");
            out.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
            rest = after;
        } else {
            let digits = escape.strip_prefix('x').expect("an escape is `\\u{…}` or `\\x…`");
            out.push(u8::from_str_radix(&digits[..2], 16).expect("two hexadecimal digits"));
            rest = &digits[2..];
        }
    }
    out.extend_from_slice(rest.as_bytes());
    out
}

pub(crate) fn read(bytes: &[u8]) -> SkillReading {
    read_skill(bytes, &SkillContext { file_name: "SKILL.md", folder: None })
}

/// Shows a reading: the verdict, what was understood, and each issue.
pub(crate) fn show(reading: &SkillReading) -> String {
    let mut out = String::new();
    let verdict = match (&reading.manifest, reading.is_valid()) {
        (Some(_), true) => "valid",
        (Some(_), false) => "not valid, loaded",
        (None, _) => "refused",
    };
    writeln!(out, "{verdict}").expect("writing to a string cannot fail");
    if let Some(manifest) = &reading.manifest {
        writeln!(out, "{manifest:#?}").expect("writing to a string cannot fail");
    }
    for issue in &reading.issues {
        writeln!(
            out,
            "{}:{} {} [{}] {}\n    {}",
            issue.line.expect("every issue has a line"),
            issue.column.expect("every issue has a column"),
            issue.class.as_str(),
            issue.rule,
            issue.message,
            issue.remedy.as_deref().unwrap_or("-")
        )
        .expect("writing to a string cannot fail");
    }
    Printable::keep_lines(&out).to_string()
}
