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
    assert!(parse("a: *x\n").is_err());
    assert!(parse("a: &x 1\nb: *x\n").is_err());
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
