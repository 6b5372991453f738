//! No text makes the check panic, and what it says is about the text.

use std::sync::LazyLock;

use kitbag_js_syntax::{
    Language, ModuleKind, RULES, Shape, Source, check_shape, check_shape_bytes,
};
use proptest::prelude::*;
use proptest::sample::select;

use crate::support::fixtures;

static MODULES: LazyLock<Vec<String>> = LazyLock::new(|| {
    let texts = fixtures().into_iter().filter_map(|fixture| String::from_utf8(fixture.bytes).ok());
    texts.filter(|text| text.len() < 1000).collect()
});

const LANGUAGES: &[Language] =
    &[Language::JavaScript, Language::Jsx, Language::TypeScript, Language::Tsx];
const KINDS: &[ModuleKind] = &[ModuleKind::Tool, ModuleKind::Worker, ModuleKind::Capability];

const PIECES: &[&str] = &[
    "import",
    "export",
    "default",
    "const",
    "let",
    "function",
    "class",
    "await",
    "async",
    "defineTool",
    "{",
    "}",
    "(",
    ")",
    "[",
    "]",
    "=>",
    "=",
    ",",
    ";",
    ":",
    "?.",
    "?",
    "...",
    "`",
    "${",
    "'",
    "\"",
    "/",
    "/*",
    "*/",
    "//",
    "\n",
    "\r\n",
    "\u{2028}",
    "\u{feff}",
    "\0",
    "🦀",
    "é",
    "as",
    "from",
    "'@flue/runtime'",
    "type",
    "enum",
    "namespace",
    "declare",
    "<",
    ">",
    "@",
    "#",
    "!",
    "\\u{54}",
    "\\",
    "1n",
    "eval",
    "new",
];

fn sound(text: &str, shape: &Shape) {
    let count =
        u32::try_from(text.lines().count() + text.matches('\r').count()).expect("it is short");
    for problem in shape.problems.iter().chain(&shape.warnings) {
        assert!(RULES.iter().any(|rule| rule.code == problem.code), "{}", problem.code);
        assert_ne!(problem.code, "shape/not-checked", "the parser panicked");
        assert!(
            problem.line >= 1 && problem.column >= 1 && problem.line <= count + 1,
            "{problem:?}"
        );
        assert!(!problem.message.chars().any(char::is_control), "{problem:?}");
    }
    assert_eq!(shape.is_accepted(), shape.problems.is_empty());
    assert!(!shape.is_accepted() || !shape.exports.is_empty());
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 512, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn arbitrary_bytes(bytes in prop::collection::vec(any::<u8>(), 0..200), language in select(LANGUAGES)) {
        let shape = check_shape_bytes(&bytes, language, ModuleKind::Tool);
        sound(&String::from_utf8_lossy(&bytes), &shape);
    }

    #[test]
    fn arbitrary_text(text in "\\PC{0,100}", language in select(LANGUAGES), kind in select(KINDS)) {
        sound(&text, &check_shape(Source { text: &text, language }, kind));
    }

    #[test]
    fn pieces_of_the_language(
        pieces in prop::collection::vec(select(PIECES), 0..60),
        language in select(LANGUAGES),
        blank in select(&["", " "][..]),
    ) {
        let text = pieces.join(blank);
        sound(&text, &check_shape(Source { text: &text, language }, ModuleKind::Tool));
    }

    #[test]
    fn mutated_modules(
        index in any::<prop::sample::Index>(),
        edits in prop::collection::vec((any::<prop::sample::Index>(), 0_usize..8, select(PIECES)), 1..5),
        language in select(LANGUAGES),
        kind in select(KINDS),
    ) {
        let mut chars: Vec<char> = index.get(&MODULES).chars().collect();
        for (place, removed, piece) in edits {
            let from = place.index(chars.len() + 1);
            let to = (from + removed).min(chars.len());
            chars.splice(from..to, piece.chars());
        }
        let text: String = chars.into_iter().collect();
        sound(&text, &check_shape(Source { text: &text, language }, kind));
    }

    #[test]
    fn blanks_and_comments_change_no_verdict(index in any::<prop::sample::Index>()) {
        let text = index.get(&MODULES);
        prop_assume!(!text.starts_with("#!") && !text.starts_with('\u{feff}'));
        let longer = format!("\n/* ( */ {text}");
        let codes = |text: &str| -> Vec<&str> {
            let source = Source { text, language: Language::TypeScript };
            check_shape(source, ModuleKind::Tool).problems.iter().map(|problem| problem.code).collect()
        };
        prop_assert_eq!(codes(text), codes(&longer));
    }
}
