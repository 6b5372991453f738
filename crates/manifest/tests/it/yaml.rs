//! The YAML door by itself.

use kitbag_manifest::yaml::{ErrorKind, Node, Value, parse};

#[track_caller]
fn check_refused(text: &str, kind: ErrorKind, line: u32, column: u32) {
    let error = parse(text).expect_err("refused");
    assert_eq!((error.kind, error.line, error.column), (kind, line, column), "{error}");
}

#[test]
fn what_is_dangerous_or_ambiguous_is_refused_with_its_place() {
    check_refused("a: 1\nb: 2\na: 3\n", ErrorKind::DuplicateKey, 3, 1);
    check_refused("a: {b: 1, b: 2}\n", ErrorKind::DuplicateKey, 1, 11);
    check_refused("a: &x 1\n", ErrorKind::Feature, 1, 4);
    check_refused("a: !!str 1\n", ErrorKind::Feature, 1, 4);
    check_refused("a: ! 1\n", ErrorKind::Feature, 1, 4);
    check_refused("<<: {a: 1}\n", ErrorKind::Feature, 1, 1);
    check_refused("? [a]\n: b\n", ErrorKind::Feature, 1, 3);
    check_refused("%YAML 1.2\n---\na: 1\n", ErrorKind::Feature, 1, 1);
    check_refused("a: 1\n---\nb: 2\n", ErrorKind::Feature, 2, 1);
    check_refused("a:\n\tb: 1\n", ErrorKind::Tab, 2, 1);
    check_refused("a: b: c\n", ErrorKind::Syntax, 1, 5);
    check_refused("é: \"x\n", ErrorKind::Syntax, 1, 4);
}

#[test]
fn an_alias_is_refused_even_where_its_anchor_is_not_there() {
    check_refused("a: *x\n", ErrorKind::Feature, 1, 4);
    check_refused("a: [b, {c: *x}]\n", ErrorKind::Feature, 1, 12);
    check_refused("a: &x 1\nb: *x\n", ErrorKind::Feature, 1, 4);
}

#[test]
fn control_characters_are_refused_however_they_are_written() {
    check_refused("a: \"b\\e\"\n", ErrorKind::ControlCharacter, 1, 4);
    check_refused("a: [\"\\0\"]\n", ErrorKind::ControlCharacter, 1, 5);
    check_refused("\"\\x9b\": a\n", ErrorKind::ControlCharacter, 1, 1);
    assert!(parse("a: \"\\t\\n\"\n").is_ok());
}

#[test]
fn tabs_are_for_quotes_block_texts_and_comments() {
    for text in [
        "a: 'b\tc'\n",
        "a: \"b\tc\"\n",
        "a: |\n  b\tc\n  \td\n",
        "a: >\n  b\tc\n",
        "a: b #\tc\n",
        "#\ta\nb: c\n",
    ] {
        assert!(parse(text).is_ok(), "{text:?}");
    }
    check_refused("a: b\tc\n", ErrorKind::Tab, 1, 5);
    check_refused("a: b\t\n", ErrorKind::Tab, 1, 5);
    check_refused("a:\tb\n", ErrorKind::Syntax, 1, 4);
    check_refused("a: 'b'\t\n", ErrorKind::Tab, 1, 7);
    check_refused("a: 'it''s' \t# c\n", ErrorKind::Tab, 1, 12);
    check_refused("a:\n  \tb: c\n", ErrorKind::Tab, 2, 3);
    check_refused("a: |\n  \"b\nc: \td\n", ErrorKind::Tab, 3, 4);
}

#[test]
fn text_in_quotes_may_go_on_at_the_margin() {
    #[track_caller]
    fn check(text: &str, expected: &str) {
        let node = parse(text).expect("YAML");
        let Value::Mapping(entries) = node.value else { panic!("a mapping") };
        assert_eq!(entries[0].value.text(), Some(expected), "{text:?}");
    }
    check("a: \"b\nc\"\n", "b c");
    check("a: 'b\n\nit''s'\nd: e\n", "b\nit's");
    check("a: \"b \\\" \\\nc\"\n", "b \" c");
    check("a: \"é\nb\nc\" # d\n", "é b c");
    // Places are those of what was written.
    check_refused("a: \"b\nc\" d\n", ErrorKind::Syntax, 2, 4);
    check_refused("a: \"b\nc\"\na: d\n", ErrorKind::DuplicateKey, 3, 1);
    check_refused("a: \"b\nc\n", ErrorKind::Syntax, 1, 4);
    let node = parse("[\"b\nc\", d]\n").expect("YAML");
    let Value::Sequence(items) = node.value else { panic!("a list") };
    assert_eq!((items[1].line, items[1].column), (2, 5));
}

#[test]
fn a_byte_order_mark_is_no_part_of_a_key() {
    check_refused("\u{feff}a: b\n", ErrorKind::Syntax, 1, 1);
}

#[test]
fn scalars_stay_what_was_written() {
    let Value::Mapping(entries) =
        parse("a: 010\nb: yes\nc:\nd: ~\ne: '1'\nf: 0x1F\n").expect("YAML").value
    else {
        panic!("a mapping")
    };
    let texts: Vec<_> = entries
        .iter()
        .map(|entry| match &entry.value {
            Node { value: Value::Scalar { text, plain }, .. } => (text.as_str(), *plain),
            other => panic!("a scalar, not {other:?}"),
        })
        .collect();
    assert_eq!(
        texts,
        [("010", true), ("yes", true), ("", true), ("~", true), ("1", false), ("0x1F", true)]
    );
}

#[test]
fn an_empty_document_is_an_empty_text() {
    for text in ["", "\n", "# only a comment\n"] {
        assert_eq!(parse(text).expect("YAML").text(), Some(""), "{text:?}");
    }
}
