//! Packages made for a test.

use kitbag_package::{Contents, Entry};
use kitbag_scanner::{MatchKey, Options, Outcome, RuleSet, Session, Subject, SyntaxChild};
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

/// As [`scan_files`], with a child that parses programs.
pub(crate) fn scan_parsed(files: &[(Entry, Contents)], child: SyntaxChild) -> Outcome {
    scan_with(files, child, Options::default())
}

/// As [`scan_parsed`], with findings that are known again.
pub(crate) fn scan_keyed(files: &[(Entry, Contents)], child: SyntaxChild) -> Outcome {
    scan_with(files, child, Options::default().with_key(MatchKey::from_bytes([7; 32])))
}

fn scan_with(files: &[(Entry, Contents)], child: SyntaxChild, options: Options) -> Outcome {
    let rules = RuleSet::builtin().with_syntax(child);
    let subject = Subject::new(Kind::Skill).in_folder("greet");
    let mut session = Session::new(&rules, subject, options);
    for (entry, contents) in files {
        session.visit(entry, contents);
    }
    session.finish()
}

/// The program that parses for tests.
pub(crate) fn child() -> SyntaxChild {
    SyntaxChild::new(env!("CARGO_BIN_EXE_kitbag-scanner-test-child"), [""; 0])
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
