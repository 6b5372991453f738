//! What a package names, as a person reads it.

use std::fmt::Write as _;

use kitbag_types::{Inventory, InventoryChange, Named, printable};

/// How many names of one sort are shown on one line. `inspect` shows all.
const SHOWN: usize = 8;

/// Shows what a package names, a line a sort, after the first label of a mutation's lines.
pub(crate) fn show_names(inventory: &Inventory) -> String {
    let lines = lines(inventory, SHOWN);
    block("names", &lines.iter().map(|line| format!("  {line}")).collect::<Vec<_>>())
}

/// Shows what a version names that the one before did not, and what it names no more.
pub(crate) fn show_renamed(change: &InventoryChange) -> String {
    let signed = |sign, inventory| {
        lines(inventory, SHOWN).into_iter().map(move |line| format!("{sign} {line}"))
    };
    let lines: Vec<String> =
        signed('+', &change.added).chain(signed('-', &change.removed)).collect();
    block("changes", &lines)
}

/// Shows all that a package names.
pub(crate) fn show_all_names(inventory: &Inventory) -> String {
    let mut out = String::new();
    for line in lines(inventory, usize::MAX) {
        writeln!(out, "  {line}").expect("writing to a string cannot fail");
    }
    out
}

fn lines(inventory: &Inventory, most: usize) -> Vec<String> {
    let line = |sort| {
        let names = inventory.names(sort);
        let more = names.len().saturating_sub(most);
        let mut shown: Vec<String> =
            names.take(most).map(|name| printable(name).to_string()).collect();
        if more > 0 {
            shown.push(format!("and {more} more"));
        }
        (!shown.is_empty()).then(|| format!("{sort:<11} {}", shown.join(", ")))
    };
    Named::ALL.into_iter().filter_map(line).collect()
}

fn block(label: &str, lines: &[String]) -> String {
    let mut out = String::new();
    for (at, line) in lines.iter().enumerate() {
        let label = if at == 0 { label } else { "" };
        writeln!(out, "  {label:<9}{line}").expect("writing to a string cannot fail");
    }
    out
}
