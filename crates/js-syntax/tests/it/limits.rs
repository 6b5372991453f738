//! The limits, at the limit and one past it, and what would overflow a stack.

use kitbag_js_syntax::{
    Language, MAX_BRACKET_DEPTH, MAX_SOURCE_BYTES, MAX_SYNTAX_PROBLEMS, MAX_TREE_DEPTH, ModuleKind,
    Shape, Source, check_shape,
};

const TOOL: &str = "import { defineTool } from '@flue/runtime';\nexport default defineTool({});\n";

/// Checks from a thread with a small stack, so that the check has to look after its own.
fn shape_of(text: &str, language: Language) -> Shape {
    std::thread::scope(|scope| {
        std::thread::Builder::new()
            .stack_size(128 * 1024)
            .spawn_scoped(scope, || check_shape(Source { text, language }, ModuleKind::Tool))
            .expect("a thread can be had")
            .join()
            .expect("the check does not panic")
    })
}

#[track_caller]
fn check(text: &str, expected: &[&str]) {
    let shape = shape_of(text, Language::TypeScript);
    let codes: Vec<&str> = shape.problems.iter().map(|problem| problem.code).collect();
    assert_eq!(codes, expected);
}

#[test]
fn bytes() {
    let fill = |length: usize| format!("{TOOL}//{}", "x".repeat(length - TOOL.len() - 2));
    check(&fill(MAX_SOURCE_BYTES), &[]);
    check(&fill(MAX_SOURCE_BYTES + 1), &["shape/too-large"]);
    check(&fill(5 * MAX_SOURCE_BYTES), &["shape/too-large"]);
}

#[test]
fn brackets() {
    let nest =
        |depth: usize| format!("{TOOL}const x = {}{};", "[".repeat(depth), "]".repeat(depth));
    check(&nest(MAX_BRACKET_DEPTH), &[]);
    check(&nest(MAX_BRACKET_DEPTH + 1), &["shape/too-deep"]);
}

#[test]
fn type_arguments_nest_too() {
    let nest =
        |depth: usize| format!("{TOOL}type X = {}B{};", "A<".repeat(depth), ">".repeat(depth));
    check(&nest(MAX_BRACKET_DEPTH / 8), &[]);
    check(&nest(MAX_BRACKET_DEPTH + 1), &["shape/too-deep"]);
}

#[test]
fn comparisons_are_no_brackets() {
    let one = "const f = (a, b) => a < b && a <= b || a << 2 < b\nfor (let i = 0; i < 9; i++) {}\n";
    check(&format!("{TOOL}{{\n{}}}", format!("{{ {one} }}").repeat(2000)), &[]);
    let bare = "const x$ = a < 1\n";
    let lines: String = (0..2000).map(|n| bare.replace('$', &n.to_string())).collect();
    check(&format!("{TOOL}const a = 1\n{lines}"), &[]);
}

#[test]
fn templates_nest_too() {
    let nest =
        |depth: usize| format!("{TOOL}const x = {}1{};", "`${".repeat(depth), "}`".repeat(depth));
    check(&nest(MAX_BRACKET_DEPTH), &[]);
    check(&nest(MAX_BRACKET_DEPTH + 1), &["shape/too-deep"]);
}

#[test]
fn tree() {
    // Program, declaration, declarator and the number stand round and under the operators.
    let nest = |depth: usize| format!("{TOOL}const x = {}1;", "!".repeat(depth));
    check(&nest(MAX_TREE_DEPTH - 4), &[]);
    check(&nest(MAX_TREE_DEPTH - 3), &["shape/too-deep"]);
}

#[test]
fn long_chains_that_people_write_are_fine() {
    let sum = vec!["'a line of a text'"; 1500].join(" +\n");
    let list = vec!["{ a: [1, (2)] }"; 20_000].join(",\n");
    check(&format!("{TOOL}const x = {sum};"), &[]);
    check(&format!("{TOOL}const x = [{list}];"), &[]);
}

#[test]
fn nothing_overflows_the_stack() {
    let dense = [
        ("(", ")"),
        ("[", "]"),
        ("{a:", "}"),
        ("`${", "}`"),
        ("x=>", ""),
        ("a?b:", ""),
        ("a=", ""),
        ("if(a)", ""),
        ("new ", ""),
        ("!", ""),
        ("- ", ""),
        ("typeof ", ""),
        ("a=>{", "}"),
        ("a**", ""),
        ("/'/,(", ")"),
        ("/*'*/(", ")"),
        ("'(',[", "]"),
        ("<a>", ""),
        ("f(", ")"),
        ("a[", "]"),
        ("{", "}"),
        ("else if(a);", ""),
        ("class{[", "]}"),
        ("async()=>await ", ""),
        ("a:", ""),
    ];
    for (open, close) in dense {
        let depth = 200_000 / (open.len() + close.len());
        for text in [
            format!("{TOOL}const x = {}1{};", open.repeat(depth), close.repeat(depth)),
            format!("{TOOL}{}1{};", open.repeat(depth), close.repeat(depth)),
            format!("{TOOL}{}", open.repeat(depth)),
        ] {
            let shape = shape_of(&text, Language::TypeScript);
            let codes: Vec<&str> = shape.problems.iter().map(|problem| problem.code).collect();
            let told = codes.iter().all(|code| matches!(*code, "shape/too-deep" | "shape/syntax"));
            assert!(!shape.is_accepted() && told, "`{open}`: {codes:?}");
        }
    }
    for kind in
        ["A <", "?", "?[", "keyof ", "readonly ", "a extends b?c:", "[", "{a:", "(a:b)=>", "A<"]
    {
        let text = format!("{TOOL}type X = {}1;", kind.repeat(200_000 / kind.len()));
        assert!(!shape_of(&text, Language::TypeScript).is_accepted(), "`{kind}`");
    }
    // The quote is text in JSX, and hides the brackets behind it from the count.
    for hidden in ["<a>", "(", "[", "{", "/*'*/["] {
        let text = format!("{TOOL}const x = <a>'{{{};", hidden.repeat(200_000 / hidden.len()));
        assert!(!shape_of(&text, Language::Tsx).is_accepted(), "`{hidden}`");
    }
}

#[test]
fn few_of_many_syntax_errors_are_told() {
    let doubles = "let a; let a;\n".repeat(200);
    let shape = shape_of(&format!("{TOOL}{doubles}"), Language::JavaScript);
    assert!((1..=MAX_SYNTAX_PROBLEMS).contains(&shape.problems.len()));
}
