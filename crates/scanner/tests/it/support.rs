//! Packages made for a test.

use kitbag_package::{Contents, Entry};
use kitbag_scanner::{Options, Outcome, RuleSet, Session, Subject};
use kitbag_types::{Finding, Kind, PackagePath};

/// A manifest without a flaw.
pub(crate) const SKILL_MD: &str = "---\nname: greet\ndescription: Greets people by name. Use when someone arrives.\n---\n\n# Greet\n";

pub(crate) fn file(path: &str, bytes: impl AsRef<[u8]>) -> (Entry, Contents) {
    let contents = Contents::new(bytes.as_ref().to_vec());
    let path = PackagePath::new(path).expect("a path that packages may hold");
    (Entry { path, executable: true, size: contents.len() as u64 }, contents)
}

/// Scans files as a skill, in the order given.
pub(crate) fn scan_files(files: &[(Entry, Contents)], options: Options) -> Outcome {
    let rules = RuleSet::builtin();
    let mut session = Session::new(&rules, Subject::new(Kind::Skill).in_folder("greet"), options);
    for (entry, contents) in files {
        session.visit(entry, contents);
    }
    session.finish()
}

/// Returns what is found in one file beside a manifest without a flaw.
pub(crate) fn findings_in(path: &str, bytes: impl AsRef<[u8]>) -> Vec<Finding> {
    let files = [file("SKILL.md", SKILL_MD), file(path, bytes)];
    scan_files(&files, Options::default()).report.findings
}

/// Returns `rule severity line:column` of each.
pub(crate) fn brief(findings: &[Finding]) -> Vec<String> {
    let line = |finding: &Finding| {
        let Finding { rule, severity, line, column, .. } = finding;
        match (line, column) {
            (Some(line), Some(column)) => format!("{rule} {severity} {line}:{column}"),
            _ => format!("{rule} {severity}"),
        }
    };
    findings.iter().map(line).collect()
}
