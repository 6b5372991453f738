//! Lines and columns, and the languages of file names.

use kitbag_js_syntax::{Language, ModuleKind, Source, check_shape, check_shape_bytes};

/// Checks where the one `export let` of a text is told.
#[track_caller]
fn check(text: &str, expected: (u32, u32)) {
    let source = Source { text, language: Language::JavaScript };
    let shape = check_shape(source, ModuleKind::Tool);
    let [problem] = shape.problems.as_slice() else { panic!("one problem: {:?}", shape.problems) };
    assert_eq!((problem.code, (problem.line, problem.column)), ("shape/not-const", expected));
}

#[test]
fn places_are_what_an_editor_shows() {
    check("export let x = 1;", (1, 12));
    check("\u{feff}export let x = 1;", (1, 12));
    check("\n\nexport let x = 1;", (3, 12));
    check("\r\n\r\nexport let x = 1;", (3, 12));
    check("\r\rexport let x = 1;", (3, 12));
    check("\n\r\n\rexport let x = 1;", (4, 12));
    check("/* é */ export let x = 1;", (1, 20));
    check("/* 🦀 */ export let x = 1;", (1, 20));
    check("/* e\u{301} */ export let x = 1;", (1, 21));
    check("/* \u{2028} */ export let x = 1;", (1, 20));
    check("#!/bin/x\nexport let x = 1;", (2, 12));
    check("\u{feff}#!/bin/x\r\nexport let x = 1;", (2, 12));
}

#[test]
fn bytes_that_are_no_text_are_told_with_their_place() {
    #[track_caller]
    fn check(bytes: &[u8], expected: (&str, u32, u32)) {
        let shape = check_shape_bytes(bytes, Language::JavaScript, ModuleKind::Tool);
        let problem = &shape.problems[0];
        assert_eq!((problem.code, problem.line, problem.column), expected);
        assert_eq!(shape.problems.len(), 1);
    }
    check(b"\xff", ("shape/not-utf8", 1, 1));
    check(b"\xef\xbb\xbf// a\n// \xc3\xa9\xff", ("shape/not-utf8", 2, 5));
    check(b"// a\r\n \xe2\x82", ("shape/not-utf8", 2, 2));
    check(b"\xff\xfee\0x\0", ("shape/not-utf8", 1, 1));
    check(b"\xef\xbb\xbf// \0", ("shape/nul", 1, 4));
}

#[test]
fn file_names_tell_the_language() {
    #[track_caller]
    fn check(name: &str, expected: Option<Language>) {
        assert_eq!(Language::from_file_name(name), expected);
    }
    check("index.mjs", Some(Language::JavaScript));
    check("index.js", Some(Language::JavaScript));
    check("index.test.js", Some(Language::JavaScript));
    check("view.jsx", Some(Language::Jsx));
    check("index.ts", Some(Language::TypeScript));
    check("index.mts", Some(Language::TypeScript));
    check("view.tsx", Some(Language::Tsx));
    for name in [
        "index.cjs",
        "index.cts",
        "index.d.ts",
        "index.d.mts",
        "index.json",
        "index",
        "index.MJS",
        "",
    ] {
        check(name, None);
    }
}
