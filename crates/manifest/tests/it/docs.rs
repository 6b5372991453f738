//! The page names every rule, with its class.

use std::path::Path;

use kitbag_manifest::RULES;

#[test]
fn the_page_has_the_table_of_rules() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/skill-md.md");
    let page = fs_err::read_to_string(path).expect("the page is there");
    let table: String = RULES
        .iter()
        .map(|rule| format!("| `{}` | {} | {} |\n", rule.id, rule.class.as_str(), rule.meaning))
        .collect();
    assert!(page.contains(&table), "the table in docs/skill-md.md should be:\n{table}");
    assert!(RULES.windows(2).all(|pair| pair[0].id < pair[1].id), "sorted by name, no name twice");
}
