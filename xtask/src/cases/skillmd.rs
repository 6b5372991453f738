//! skillmd.jsonl: SKILL.md files of public repositories, with what the reference validator of the
//! Agent Skills specification says of each.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context as _, Result, bail};
use kitbag_types::ValidationLine;
use serde::Deserialize;

#[derive(Deserialize)]
struct Case {
    path: String,
    dir: String,
    reference_errors: Vec<String>,
    text: Option<String>,
}

/// What our verdict has to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Expected {
    Valid,
    Invalid,
    /// The reference reads a stricter YAML that knows no flow style. It stops there, so we cannot
    /// know what else it would say.
    Either,
}

/// Returns how many verdicts differ.
pub(super) fn run(path: &Path, command: &Path) -> Result<usize> {
    let cases = read(path)?;
    let folder = tempfile::tempdir()?;
    let mut open: BTreeMap<String, &Case> = BTreeMap::new();
    for (place, case) in cases.iter().enumerate() {
        let Some(text) = &case.text else { bail!("{}: there is no `text`", case.path) };
        let package = format!("{place}/{}", case.dir);
        let name = Path::new(&case.path).file_name().context("a path ends with a name")?;
        fs_err::create_dir_all(folder.path().join(&package))?;
        fs_err::write(folder.path().join(&package).join(name), text)?;
        open.insert(package, case);
    }
    let mut counts = BTreeMap::from([("valid", 0), ("invalid", 0), ("flow style", 0)]);
    let mut mismatches = 0;
    let list: String = open.keys().map(|package| format!("{package}\n")).collect();
    for line in validate(folder.path(), command, &list)?.lines() {
        let line: ValidationLine =
            serde_json::from_str(line).with_context(|| format!("not a validation line: {line}"))?;
        let case = open
            .remove(&line.path)
            .with_context(|| format!("`{}` was not asked for, or answered twice", line.path))?;
        let expected = expected(&case.reference_errors);
        *counts
            .entry(match expected {
                Expected::Valid => "valid",
                Expected::Invalid => "invalid",
                Expected::Either => "flow style",
            })
            .or_default() += 1;
        if (expected == Expected::Valid && !line.ok) || (expected == Expected::Invalid && line.ok) {
            mismatches += 1;
            println!(
                "{} ({}): expected {expected:?}, got {}",
                line.path,
                case.path,
                verdict(&line)
            );
            for error in &case.reference_errors {
                println!("    reference: {}", first_line(error));
            }
        }
    }
    for (package, case) in &open {
        mismatches += 1;
        println!("{package} ({}): no answer", case.path);
    }
    let counts: Vec<String> =
        counts.iter().map(|(what, count)| format!("{count} {what}")).collect();
    println!("skillmd: {} files ({}), {mismatches} mismatches", cases.len(), counts.join(", "));
    Ok(mismatches)
}

fn read(path: &Path) -> Result<Vec<Case>> {
    fs_err::read_to_string(path)?
        .lines()
        .enumerate()
        .map(|(place, line)| {
            serde_json::from_str(line)
                .with_context(|| format!("cannot read line {} of `{}`", place + 1, path.display()))
        })
        .collect()
}

fn expected(reference_errors: &[String]) -> Expected {
    let flow_style = |error: &String| {
        error.starts_with("Invalid YAML in frontmatter")
            && (error.contains("JSONesque") || error.contains("ugly disallowed"))
    };
    if reference_errors.is_empty() {
        Expected::Valid
    } else if reference_errors.iter().all(flow_style) {
        Expected::Either
    } else {
        Expected::Invalid
    }
}

/// Runs the command over the list. Its exit code says only that some package is not valid.
fn validate(folder: &Path, command: &Path, list: &str) -> Result<String> {
    let list_file = folder.join("list");
    fs_err::write(&list_file, list)?;
    let output = Command::new(command)
        .args(["--root", "root", "validate", "--json", "--files-from", "list"])
        .current_dir(folder)
        .stdin(Stdio::null())
        .output()
        .context("cannot start the command")?;
    if !matches!(output.status.code(), Some(0 | 1)) {
        let said = String::from_utf8_lossy(&output.stderr);
        bail!("`kitbag validate` failed: {}\n{said}", output.status);
    }
    String::from_utf8(output.stdout).context("`kitbag validate` wrote what is not UTF-8")
}

fn verdict(line: &ValidationLine) -> String {
    if line.ok {
        return "valid".to_owned();
    }
    let findings =
        line.findings.iter().map(|found| format!("\n    {}: {}", found.rule, found.message));
    format!("invalid{}", findings.collect::<String>())
}

fn first_line(text: &str) -> &str {
    text.lines().next().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::{Expected, expected};

    #[track_caller]
    fn check(errors: &[&str], verdict: Expected) {
        let errors: Vec<String> = errors.iter().map(|&error| error.to_owned()).collect();
        assert_eq!(expected(&errors), verdict, "{errors:?}");
    }

    #[test]
    fn only_flow_style_may_be_judged_either_way() {
        let flow = "Invalid YAML in frontmatter: While scanning\nFound ugly disallowed JSONesque flow mapping";
        check(&[], Expected::Valid);
        check(&[flow], Expected::Either);
        check(&[flow, "Unexpected fields in frontmatter: x"], Expected::Invalid);
        check(&["Invalid YAML in frontmatter: mapping values are not allowed"], Expected::Invalid);
        check(&["JSONesque"], Expected::Invalid);
    }
}
