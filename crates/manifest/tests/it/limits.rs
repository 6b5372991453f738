//! Each limit, at it and one past it.

use kitbag_manifest::yaml::{self, ErrorKind, MAX_DEPTH};
use kitbag_manifest::{MAX_COMPATIBILITY_CHARS, MAX_DESCRIPTION_CHARS, MAX_FRONT_MATTER_BYTES};

use crate::support::read;

fn rules(text: &str) -> Vec<&'static str> {
    read(text.as_bytes()).issues.iter().map(|issue| issue.rule).collect()
}

#[test]
fn a_description_is_counted_in_characters() {
    let with = |count: usize| format!("---\nname: x\ndescription: {}\n---\n", "é".repeat(count));
    assert!(rules(&with(MAX_DESCRIPTION_CHARS)).is_empty());
    assert_eq!(rules(&with(MAX_DESCRIPTION_CHARS + 1)), ["manifest/description-too-long"]);
}

#[test]
fn compatibility_is_counted_in_characters() {
    let with = |count: usize| {
        format!("---\nname: x\ndescription: y\ncompatibility: {}\n---\n", "技".repeat(count))
    };
    assert!(rules(&with(MAX_COMPATIBILITY_CHARS)).is_empty());
    assert_eq!(rules(&with(MAX_COMPATIBILITY_CHARS + 1)), ["manifest/compatibility-too-long"]);
}

#[test]
fn a_name_has_64_characters_at_most() {
    let with = |count: usize| format!("---\nname: {}\ndescription: y\n---\n", "a".repeat(count));
    assert!(rules(&with(64)).is_empty());
    assert_eq!(rules(&with(65)), ["manifest/name-invalid"]);
}

#[test]
fn front_matter_has_64_kib_at_most() {
    let with = |count: usize| {
        let start = "name: x\ndescription: y\n#";
        format!("---\n{start}{}\n---\nbody", "c".repeat(count - start.len() - 1))
    };
    assert!(rules(&with(MAX_FRONT_MATTER_BYTES)).is_empty());
    assert_eq!(rules(&with(MAX_FRONT_MATTER_BYTES + 1)), ["manifest/front-matter-too-large"]);
    // A file without an end is not read to its end.
    let endless = format!("---\n{}", "x: y\n".repeat(MAX_FRONT_MATTER_BYTES));
    assert_eq!(rules(&endless), ["manifest/front-matter-too-large"]);
}

#[test]
fn values_are_nested_64_deep_at_most() {
    let flow = |depth: usize| format!("{}{}", "[".repeat(depth), "]".repeat(depth));
    assert!(yaml::parse(&flow(MAX_DEPTH)).is_ok());
    let error = yaml::parse(&flow(MAX_DEPTH + 1)).expect_err("too deep");
    assert_eq!((error.kind, error.column), (ErrorKind::TooDeep, 65));
    let block = |depth: usize| -> String {
        (0..depth).map(|level| format!("{}a:\n", " ".repeat(level))).collect()
    };
    assert!(yaml::parse(&block(MAX_DEPTH)).is_ok());
    assert_eq!(yaml::parse(&block(MAX_DEPTH + 1)).map_err(|e| e.kind), Err(ErrorKind::TooDeep));
}

#[test]
fn blanks_at_the_ends_of_a_text_count() {
    let with =
        |count: usize| format!("---\nname: x\ndescription: |\n  {}\n---\n", "a".repeat(count));
    // The line feed is the last character.
    assert!(rules(&with(MAX_DESCRIPTION_CHARS - 1)).is_empty());
    assert_eq!(rules(&with(MAX_DESCRIPTION_CHARS)), ["manifest/description-too-long"]);
}

#[test]
fn sixteen_texts_may_go_on_at_the_margin() {
    let with = |count: usize| -> String {
        (0..count).map(|number| format!("k{number}: \"a\nb\"\n")).collect()
    };
    assert!(yaml::parse(&with(16)).is_ok());
    let error = yaml::parse(&with(17)).expect_err("too many");
    assert_eq!((error.kind, error.line), (ErrorKind::Syntax, 33));
}
