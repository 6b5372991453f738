//! `cargo xtask tidy`: the rules of the house that clippy does not know.

use std::path::Path;

use anyhow::{Result, bail};
use cargo_metadata::Package;

use crate::workspace::{FAMILY, Workspace};

/// A file with more lines holds a second idea.
const MAX_LINES: usize = 600;

/// What a file of ours may not say: what it is, and the pieces it is put together from here, so
/// that this file does not say it.
const FORBIDDEN: &[(&str, &[&str])] = &[
    ("a path of one machine", &["/ro", "ot/."]),
    ("a path of one machine", &["/wo", "rk/"]),
    ("the host of a registry", &["crates", ".io/"]),
    ("the host of a registry", &["index.crates", ".io"]),
    ("the host of a registry", &["registry.npmjs", ".org"]),
    ("the host of a registry", &["pypi", ".org"]),
    ("a test that is not run", &["#[ig", "nore"]),
];

/// Where the right answers lie: their text is data.
const DATA: &[&str] = &["fixtures/", "Cargo.lock"];

pub(crate) fn run(workspace: &Workspace) -> Result<()> {
    let files = workspace.files()?;
    let mut problems = Vec::new();
    for file in files.iter().filter(|file| !DATA.iter().any(|data| file.starts_with(data))) {
        if let Ok(text) = fs_err::read_to_string(workspace.root.join(file)) {
            problems.extend(text_problems(file, &text));
        }
    }
    for member in workspace.members() {
        problems.extend(crate_problems(&workspace.root, member));
    }
    for problem in &problems {
        println!("{problem}");
    }
    println!("tidy: {} files, {} problems", files.len(), problems.len());
    if problems.is_empty() { Ok(()) } else { bail!("{} rules are broken", problems.len()) }
}

fn text_problems(file: &str, text: &str) -> Vec<String> {
    let mut problems = Vec::new();
    let is_rust = file.ends_with(".rs");
    for (number, line) in (1..).zip(text.lines()) {
        if line.ends_with([' ', '\t']) && !file.ends_with(".snap") {
            problems.push(format!("{file}:{number}: white space at the end of the line"));
        }
        for (what, pieces) in FORBIDDEN {
            if line.contains(&pieces.concat()) {
                problems.push(format!("{file}:{number}: {what}"));
            }
        }
        if is_rust && file.contains("/tests/") && line.contains("thread::sleep") {
            problems.push(format!("{file}:{number}: a test that sleeps for luck"));
        }
    }
    let lines = text.lines().count();
    if is_rust && lines > MAX_LINES {
        problems.push(format!("{file}: {lines} lines, more than {MAX_LINES}"));
    }
    problems
}

fn crate_problems(root: &Path, member: &Package) -> Vec<String> {
    let mut problems = Vec::new();
    let folder = member
        .manifest_path
        .parent()
        .map(|folder| folder.as_std_path().to_owned())
        .unwrap_or_default();
    let folder = folder.strip_prefix(root).unwrap_or(&folder).display().to_string();
    let name = member.name.as_str();
    let mut say = |what: &str| problems.push(format!("{folder}: {what}"));
    if let Some(short) = name.strip_prefix(FAMILY)
        && folder != format!("crates/{short}")
    {
        say("a crate is called like its folder");
    }
    if member.license.is_none() || member.description.is_none() {
        say("the manifest has no licence or no description");
    }
    if !member.targets.iter().any(cargo_metadata::Target::is_lib) {
        return problems;
    }
    if !member.targets.iter().any(cargo_metadata::Target::is_example) {
        say("a library has an example that a host starts from");
    }
    let lib = fs_err::read_to_string(root.join(&folder).join("src/lib.rs")).unwrap_or_default();
    if !lib.contains("#![deny(missing_docs)]") {
        say("a library denies `missing_docs`");
    }
    for section in ["**Limitations.**", "**Errors.**"] {
        if !lib.contains(section) {
            say(&format!("the crate's documentation has no `{section}`"));
        }
    }
    let tests = member.targets.iter().filter(|target| target.is_test()).count();
    if tests > 1 {
        say("one integration test binary a crate");
    }
    problems
}

#[cfg(test)]
mod tests {
    use super::{FORBIDDEN, MAX_LINES, text_problems};

    #[test]
    fn each_rule_is_seen_where_it_is_broken() {
        for (what, pieces) in FORBIDDEN {
            let found = text_problems("src/a.rs", &format!("ok\nx {} y\n", pieces.concat()));
            assert_eq!(found, [format!("src/a.rs:2: {what}")]);
        }
        assert_eq!(text_problems("a.md", "x \n").len(), 1);
        assert_eq!(text_problems("crates/x/tests/it/a.rs", "std::thread::sleep(x);\n").len(), 1);
        assert!(text_problems("crates/x/src/a.rs", "std::thread::sleep(x);\n").is_empty());
        assert!(text_problems("a.rs", &"x\n".repeat(MAX_LINES)).is_empty());
        assert_eq!(text_problems("a.rs", &"x\n".repeat(MAX_LINES + 1)).len(), 1);
    }
}
