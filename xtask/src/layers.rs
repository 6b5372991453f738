//! `cargo xtask layers`: dependencies go strictly down, and ARCHITECTURE.md shows how.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::PathBuf;

use anyhow::{Context as _, Result, bail};
use cargo_metadata::DependencyKind;

use crate::generated::{Generated, Mode, between_markers, settle};
use crate::layer_table::{LEAN, Row, TABLE, WALLS};
use crate::workspace::{FAMILY, Workspace};

/// The page that holds the picture.
const PAGE: &str = "ARCHITECTURE.md";

/// Ours, but above every layer: it checks them, and nothing may depend on it.
const TOOL: &str = "xtask";

/// What one of our crates depends on of ours.
#[derive(Default)]
struct Arrows {
    /// What the library or program itself needs: these are drawn.
    built: BTreeSet<String>,
    /// What its tests and build scripts need beside that: these obey the same rule.
    other: BTreeSet<String>,
}

impl Arrows {
    fn all(&self) -> BTreeSet<&str> {
        self.built.iter().chain(&self.other).map(String::as_str).collect()
    }
}

type Graph = BTreeMap<String, Arrows>;

pub(crate) fn run(workspace: &Workspace, mode: Mode) -> Result<()> {
    let graph = graph(workspace);
    let mut problems = problems(&graph, TABLE, WALLS);
    problems.extend(heavy(workspace, LEAN));
    for problem in &problems {
        println!("{problem}");
    }
    if !problems.is_empty() {
        bail!("{} arrows or crates break the table of layers", problems.len());
    }
    let picture = picture(&graph, TABLE);
    println!("{picture}");
    let there = fs_err::read_to_string(workspace.root.join(PAGE))?;
    let inner = format!("\n```text\n{picture}```\n\n");
    let text = between_markers(&there, "layers", &inner)
        .with_context(|| format!("`{PAGE}` has no markers `layers:begin` and `layers:end`"))?;
    let page = [Generated { path: PathBuf::from(PAGE), text }];
    settle(&workspace.root, &page, &[], mode, "layers --write")
}

fn graph(workspace: &Workspace) -> Graph {
    let mut graph = Graph::new();
    for member in workspace.members().into_iter().filter(|member| *member.name != TOOL) {
        let arrows = graph.entry(short(&member.name)).or_default();
        for dependency in &member.dependencies {
            if dependency.path.is_none() {
                continue;
            }
            let kind = match dependency.kind {
                DependencyKind::Normal => &mut arrows.built,
                _ => &mut arrows.other,
            };
            kind.insert(short(&dependency.name));
        }
    }
    graph
}

fn short(package: &str) -> String {
    package.strip_prefix(FAMILY).unwrap_or(package).to_owned()
}

/// Returns what breaks the table, one line each.
fn problems(graph: &Graph, table: &[Row], walls: &[(&str, &[&str])]) -> Vec<String> {
    let layer = |name: &str| table.iter().find(|row| row.name == name).map(|row| row.layer);
    let mut problems = Vec::new();
    for (name, arrows) in graph {
        let Some(from) = layer(name) else {
            problems.push(format!("`{name}` has no row in xtask/src/layer_table.rs"));
            continue;
        };
        for to_name in arrows.all() {
            match layer(to_name) {
                Some(to) if to < from => {}
                Some(to) => problems.push(format!(
                    "`{name}` (layer {from}) depends on `{to_name}` (layer {to}): \
                     dependencies go down"
                )),
                None if graph.contains_key(to_name) => {}
                None => {
                    problems.push(format!("`{name}` depends on `{to_name}`, outside the layers"));
                }
            }
        }
    }
    for (from, hidden) in walls {
        let seen = reachable(graph, from);
        for hidden in hidden.iter().filter(|hidden| seen.contains(**hidden)) {
            problems.push(format!("`{from}` may not see `{hidden}`, not even through others"));
        }
    }
    problems
}

/// Returns who brings along what it may not, one line each. Dependencies of tests do not count.
fn heavy(workspace: &Workspace, lean: &[(&str, &[&str])]) -> Vec<String> {
    let Some(resolve) = &workspace.metadata.resolve else {
        return vec!["the metadata has no dependency graph".to_owned()];
    };
    let package = |id: &cargo_metadata::PackageId| {
        workspace.metadata.packages.iter().find(|package| package.id == *id)
    };
    let mut problems = Vec::new();
    for (name, heavy) in lean {
        let mut seen = BTreeSet::new();
        let mut open: Vec<_> = workspace
            .members()
            .iter()
            .filter(|member| short(&member.name) == *name)
            .map(|member| &member.id)
            .collect();
        while let Some(id) = open.pop() {
            if !seen.insert(id) {
                continue;
            }
            let node = resolve.nodes.iter().find(|node| node.id == *id);
            for dependency in node.into_iter().flat_map(|node| &node.deps) {
                let built =
                    |kind: &cargo_metadata::DepKindInfo| kind.kind == DependencyKind::Normal;
                if dependency.dep_kinds.iter().any(built) {
                    open.push(&dependency.pkg);
                }
            }
        }
        let names = seen.iter().filter_map(|id| package(id)).map(|package| package.name.as_str());
        problems.extend(
            names
                .filter(|found| heavy.contains(found))
                .map(|found| format!("`{name}` brings along `{found}`, which it should not need")),
        );
    }
    problems
}

fn reachable<'g>(graph: &'g Graph, from: &str) -> BTreeSet<&'g str> {
    let mut seen = BTreeSet::new();
    let mut open: Vec<&str> =
        graph.get(from).map(Arrows::all).unwrap_or_default().into_iter().collect();
    while let Some(name) = open.pop() {
        if seen.insert(name) {
            // Only what is built into a dependency comes along; its tests stay behind.
            open.extend(
                graph.get(name).into_iter().flat_map(|next| &next.built).map(String::as_str),
            );
        }
    }
    seen
}

/// Draws the crates that exist, highest layer first, each with the crates it uses directly.
fn picture(graph: &Graph, table: &[Row]) -> String {
    let width = table.iter().map(|row| row.name.len()).max().unwrap_or(0);
    let mut text = String::new();
    let mut last = None;
    for row in table.iter().rev() {
        let Some(arrows) = graph.get(row.name) else { continue };
        if last.is_some_and(|layer| layer != row.layer) {
            text.push_str("---------\n");
        }
        let label =
            if last == Some(row.layer) { String::new() } else { format!("layer {}", row.layer) };
        let _ = writeln!(text, "{label:<9}{:<width$}  {}", row.name, row.purpose);
        if !arrows.built.is_empty() {
            let names: Vec<&str> = arrows.built.iter().map(String::as_str).collect();
            let _ = writeln!(text, "{:<9}{:<width$}  -> {}", "", "", names.join(", "));
        }
        last = Some(row.layer);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::{Arrows, Graph, picture, problems};
    use crate::layer_table::{Row, TABLE, WALLS};

    const ROWS: &[Row] = &[
        Row { name: "low", layer: 0, purpose: "lies below" },
        Row { name: "left", layer: 1, purpose: "stands left" },
        Row { name: "right", layer: 1, purpose: "stands right" },
        Row { name: "top", layer: 2, purpose: "stands on both" },
    ];

    fn graph(rows: &[(&str, &[&str])]) -> Graph {
        let arrows = |to: &[&str]| Arrows {
            built: to.iter().map(|&name| name.to_owned()).collect(),
            ..Arrows::default()
        };
        rows.iter().map(|&(name, to)| (name.to_owned(), arrows(to))).collect()
    }

    #[track_caller]
    fn check(rows: &[(&str, &[&str])], walls: &[(&str, &[&str])], expected: &[&str]) {
        let found = problems(&graph(rows), ROWS, walls);
        assert_eq!(found.len(), expected.len(), "{found:?}");
        for (found, expected) in found.iter().zip(expected) {
            assert!(found.contains(expected), "{found} does not say {expected}");
        }
    }

    #[test]
    fn arrows_go_strictly_down() {
        check(&[("low", &[]), ("left", &["low"]), ("top", &["left", "low"])], &[], &[]);
        check(&[("low", &["top"]), ("top", &[])], &[], &["`low` (layer 0) depends on `top`"]);
        check(
            &[("left", &["right"]), ("right", &[])],
            &[],
            &["`left` (layer 1) depends on `right`"],
        );
    }

    #[test]
    fn test_only_arrows_obey_too() {
        let mut tree = graph(&[("low", &[]), ("top", &[])]);
        tree.entry("low".to_owned()).or_default().other.insert("top".to_owned());
        assert_eq!(problems(&tree, ROWS, &[]).len(), 1);
    }

    #[test]
    fn a_crate_without_a_row_is_named() {
        check(&[("stray", &[])], &[], &["`stray` has no row"]);
        check(&[("top", &["elsewhere"])], &[], &["`elsewhere`, outside the layers"]);
    }

    #[test]
    fn a_wall_stands_against_detours() {
        let tree: &[(&str, &[&str])] = &[("low", &[]), ("left", &["low"]), ("top", &["left"])];
        check(tree, &[("top", &["low"])], &["`top` may not see `low`"]);
        check(tree, &[("left", &["right"])], &[]);
    }

    #[test]
    fn the_picture_shows_what_exists_from_the_top_down() {
        let tree = graph(&[("low", &[]), ("left", &["low"]), ("right", &[]), ("top", &["left"])]);
        let drawn = "\
layer 2  top    stands on both
                -> left
---------
layer 1  right  stands right
         left   stands left
                -> low
---------
layer 0  low    lies below
";
        assert_eq!(picture(&tree, ROWS), drawn);
    }

    #[test]
    fn the_table_is_sorted_and_its_names_are_unique() {
        assert!(TABLE.is_sorted_by_key(|row| row.layer));
        for (place, row) in TABLE.iter().enumerate() {
            assert!(TABLE[..place].iter().all(|before| before.name != row.name), "{}", row.name);
        }
        for (from, hidden) in WALLS {
            for name in hidden.iter().chain([from]) {
                assert!(TABLE.iter().any(|row| row.name == *name), "{name} has no row");
            }
        }
    }
}
