//! The page names every rule, with its class.

use std::path::Path;

use kitbag_js_syntax::{
    MAX_BRACKET_DEPTH, MAX_SOURCE_BYTES, MAX_SYNTAX_PROBLEMS, MAX_TREE_DEPTH, RULES,
};

fn page() -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/js-shape.md");
    fs_err::read_to_string(path).expect("the page is there")
}

#[test]
fn the_page_has_the_table_of_rules() {
    let table: String = RULES
        .iter()
        .map(|rule| {
            let remedy =
                rule.remedy.replace("FACTORY", "defineTool").replace("MODULE", "@flue/runtime");
            format!("| `{}` | {} | {} | {remedy} |\n", rule.code, rule.class.as_str(), rule.meaning)
        })
        .collect();
    assert!(page().contains(&table), "the table in docs/js-shape.md should be:\n{table}");
    assert!(RULES.windows(2).all(|pair| pair[0].code < pair[1].code), "sorted, no name twice");
}

#[test]
fn the_page_has_the_limits() {
    let page = page();
    assert_eq!(MAX_SOURCE_BYTES, 1024 * 1024);
    assert!(page.contains("1 MiB"));
    for limit in [MAX_BRACKET_DEPTH, MAX_TREE_DEPTH, MAX_SYNTAX_PROBLEMS] {
        let shown = if limit >= 1000 {
            format!("{},{:03}", limit / 1000, limit % 1000)
        } else {
            limit.to_string()
        };
        assert!(page.contains(&shown), "{shown}");
    }
}
