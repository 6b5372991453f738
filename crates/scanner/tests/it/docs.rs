//! The table of rules in the documentation is the generated one.

use std::path::Path;

use kitbag_scanner::docs::rules_markdown;

const BEGIN: &str = "<!-- rules:begin -->\n";
const END: &str = "<!-- rules:end -->";

#[test]
fn the_documented_rules_are_the_built_in_ones() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/scanner.md");
    let text = fs_err::read_to_string(path).expect("the page is there");
    let (_, after) = text.split_once(BEGIN).expect("the table begins");
    let (table, _) = after.split_once(END).expect("the table ends");
    assert_eq!(table.trim(), rules_markdown().trim(), "replace the table by the generated one");
}
