//! Which folders of a source are capabilities.

use std::os::unix::fs::symlink;

use kitbag_materializer::{MAX_CANDIDATE_DEPTH, candidates};
use kitbag_types::{Code, Coded as _};

use crate::support::write;

#[track_caller]
fn check(files: &[&str], expected: &[&str]) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    for file in files {
        write(&folder.path().join(file), "x");
    }
    let found: Vec<String> = candidates(folder.path())
        .expect("readable")
        .into_iter()
        .map(|found| {
            let kind = found.kind.map_or_else(|| "?".to_owned(), |kind| kind.to_string());
            format!("{} {kind}", found.subpath)
        })
        .collect();
    assert_eq!(found, expected);
}

#[test]
fn skills_are_found_wherever_they_lie() {
    check(&["SKILL.md", "README.md"], &[". skill"]);
    check(
        &["skills/a/SKILL.md", "skills/ns/b/SKILL.md", ".claude/skills/c/skill.md", "docs/x.md"],
        &[".claude/skills/c skill", "skills/a skill", "skills/ns/b skill"],
    );
    check(&["a/b/c/d/e/f/g/SKILL.md"], &["a/b/c/d/e/f/g skill"]);
}

#[test]
fn a_skill_below_a_skill_is_content() {
    check(&["alpha/SKILL.md", "alpha/examples/inner/SKILL.md"], &["alpha skill"]);
}

#[test]
fn modules_are_tools_or_workers_by_the_folder_they_lie_in() {
    check(
        &["tools/t/index.mjs", "workers/w/index.ts", "lib/x/index.mjs"],
        &["tools/t tool", "workers/w worker"],
    );
    check(&["index.mjs"], &[". ?"]);
}

#[test]
fn version_control_and_dependencies_are_not_looked_into() {
    check(&[".git/a/SKILL.md", "node_modules/b/SKILL.md", "c/SKILL.md"], &["c skill"]);
}

#[test]
fn depth_is_limited_on_both_sides() {
    let at = vec!["d"; MAX_CANDIDATE_DEPTH].join("/");
    check(&[&format!("{at}/SKILL.md")], &[&format!("{at} skill")]);
    check(&[&format!("{at}/d/SKILL.md")], &[]);
}

#[test]
fn links_are_not_followed_and_a_linked_manifest_is_a_broken_candidate() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    write(&folder.path().join("real/alpha/SKILL.md"), "x");
    fs_err::create_dir(folder.path().join("skills")).expect("created");
    symlink("../real/alpha", folder.path().join("skills/alpha")).expect("linked");
    symlink("..", folder.path().join("real/up")).expect("linked");
    fs_err::create_dir(folder.path().join("broken")).expect("created");
    symlink("nowhere", folder.path().join("broken/SKILL.md")).expect("linked");
    let found: Vec<String> = candidates(folder.path())
        .expect("readable")
        .into_iter()
        .map(|found| found.subpath)
        .collect();
    assert_eq!(found, ["broken", "real/alpha"]);
}

#[test]
fn what_is_no_folder_is_an_error_that_says_so() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    write(&folder.path().join("file"), "x");
    let code = |name: &str| candidates(&folder.path().join(name)).expect_err(name).code();
    assert_eq!(code("file"), Code::PackageNotADirectory);
    assert_eq!(code("file/below"), Code::PackageNotADirectory);
    assert_eq!(code("absent"), Code::SourceNotFound);
}
