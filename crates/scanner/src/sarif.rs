//! Reports in the form that other programs read: SARIF 2.1.0.
//!
//! ```
//! use std::path::Path;
//!
//! use kitbag_scanner::RuleSet;
//! use kitbag_scanner::sarif::{Builder, Tool};
//!
//! let rules = RuleSet::builtin();
//! let mut builder = Builder::new(&rules);
//! builder.package(Path::new("skills/greet"), &[], &[]);
//! let log = builder.finish(&Tool { name: "kitbag", version: "1.0.0", information_uri: None });
//! let document = serde_json::to_string(&log)?;
//! assert!(document.contains("\"version\":\"2.1.0\""));
//! # Ok::<(), serde_json::Error>(())
//! ```
//!
//! **Limitations.** A result names where it begins, not where it ends. Only rules that have a result
//! are listed.

mod wire;

use std::collections::BTreeMap;
use std::path::{Component, Path};

use kitbag_types::{Code, Finding, Severity, Suppressed};

use crate::{Mode, RuleSet};
pub use wire::Log;
use wire::{
    ArtifactLocation, BaseUri, Configuration, Driver, Invocation, Level, Location, Message,
    PhysicalLocation, Region, ReportedResult, Rule, Run, Suppression, Text, ToolComponent,
};

/// Where the schema of the format is kept by who publishes it.
const SCHEMA: &str =
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";

/// The name of the match hash among the fingerprints of a result, with the version of how it is
/// made, as the format asks for.
const FINGERPRINT: &str = "kitbagMatchHash/v1";

/// What the root of the file system is called in a document. Paths outside of the current folder
/// start there, so that every URI is relative.
const ROOT: &str = "ROOT";

/// The program that made a report.
#[derive(Clone, Copy, Debug)]
pub struct Tool<'a> {
    /// Its name.
    pub name: &'a str,
    /// Its version.
    pub version: &'a str,
    /// Where to read about it.
    pub information_uri: Option<&'a str>,
}

/// Whether everything that was asked for could be looked at.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Ran {
    #[default]
    Whole,
    InPart,
}

/// Puts the reports of packages together to one document.
#[derive(Debug)]
pub struct Builder<'r> {
    rules: &'r RuleSet,
    results: Vec<ReportedResult>,
    ran: Ran,
    /// Whether a place starts at [`ROOT`].
    from_root: bool,
}

impl<'r> Builder<'r> {
    /// Begins a document about findings of these rules.
    pub fn new(rules: &'r RuleSet) -> Self {
        Self { rules, results: Vec::new(), ran: Ran::default(), from_root: false }
    }

    /// Adds what was found in a package. `folder` is where it lies: relative to the folder that
    /// readers of the document start from, or absolute.
    pub fn package(&mut self, folder: &Path, findings: &[Finding], suppressed: &[Suppressed]) {
        for finding in findings {
            self.add(folder, finding, Vec::new());
        }
        for Suppressed { finding, by } in suppressed {
            let suppression = Suppression {
                kind: "external",
                status: "accepted",
                justification: plain(&by.reason),
            };
            self.add(folder, finding, vec![suppression]);
        }
    }

    /// Adds why something could not be looked at at all.
    pub fn failure(&mut self, target: &Path, finding: &Finding) {
        self.ran = Ran::InPart;
        self.add(target, finding, Vec::new());
    }

    fn add(&mut self, folder: &Path, finding: &Finding, suppressions: Vec<Suppression>) {
        let artifact = artifact(folder, finding.file.as_deref());
        self.from_root |= artifact.uri_base_id.is_some();
        let region = finding
            .file
            .as_ref()
            .and(finding.line)
            .map(|line| Region { start_line: line.max(1), start_column: finding.column });
        let fingerprint = |hash: &kitbag_types::MatchHash| (FINGERPRINT, hash.to_string());
        self.results.push(ReportedResult {
            rule_id: finding.rule.clone(),
            rule_index: 0,
            level: level(finding.severity),
            message: Message { text: plain(&finding.message) },
            locations: vec![Location {
                physical_location: PhysicalLocation { artifact_location: artifact, region },
            }],
            partial_fingerprints: finding.match_hash.iter().map(fingerprint).collect(),
            suppressions,
        });
    }

    /// Returns the document.
    pub fn finish(mut self, tool: &Tool<'_>) -> Log {
        let used: BTreeMap<String, usize> = self
            .results
            .iter()
            .map(|result| result.rule_id.clone())
            .collect::<std::collections::BTreeSet<_>>()
            .into_iter()
            .zip(0..)
            .collect();
        for result in &mut self.results {
            result.rule_index = used[&result.rule_id];
        }
        let rules = used.keys().map(|id| describe(self.rules, id)).collect();
        let bases = BTreeMap::from([(ROOT, BaseUri { uri: "file:///" })]);
        Log {
            schema: SCHEMA,
            version: "2.1.0",
            runs: vec![Run {
                tool: ToolComponent {
                    driver: Driver {
                        name: tool.name.to_owned(),
                        version: tool.version.to_owned(),
                        information_uri: tool.information_uri.map(str::to_owned),
                        rules,
                    },
                },
                invocations: vec![Invocation { execution_successful: self.ran == Ran::Whole }],
                original_uri_base_ids: if self.from_root { bases } else { BTreeMap::new() },
                column_kind: "unicodeCodePoints",
                results: self.results,
            }],
        }
    }
}

/// What could not be looked at has a code of the errors in the place of a rule.
fn describe(rules: &RuleSet, id: &str) -> Rule {
    let code = || Code::ALL.iter().find(|code| code.as_str() == id);
    let (meaning, remedy, severity) = match (rules.get(id), code()) {
        (Some(rule), _) => (rule.meaning(), rule.remedy(), rule.severity(Mode::Lenient)),
        (None, Some(code)) => (code.meaning(), code.remedy(), Severity::Critical),
        (None, None) => (id, None, Severity::Critical),
    };
    Rule {
        id: id.to_owned(),
        short_description: Text { text: meaning.to_owned() },
        help: Text { text: remedy.unwrap_or(meaning).to_owned() },
        default_configuration: Configuration { level: level(severity) },
    }
}

fn level(severity: Severity) -> Level {
    match severity {
        Severity::Critical | Severity::High => Level::Error,
        Severity::Medium => Level::Warning,
        Severity::Low | Severity::Info => Level::Note,
    }
}

/// Takes the sense of a link from what may be a package's text: `[text](address)` is one in the
/// messages of the format (source: SARIF 2.1.0, 3.11.6).
fn plain(text: &str) -> String {
    text.replace("](", "] (")
}

fn artifact(folder: &Path, file: Option<&str>) -> ArtifactLocation {
    let mut parts: Vec<String> = Vec::new();
    let mut base = None;
    for component in folder.components() {
        match component {
            Component::RootDir => base = Some(ROOT),
            Component::CurDir | Component::Prefix(_) => {}
            Component::ParentDir => parts.push("..".to_owned()),
            Component::Normal(part) => parts.push(percent_encoded(part.as_encoded_bytes())),
        }
    }
    parts.extend(file.iter().flat_map(|file| file.split('/')).map(|part| {
        // A package has no such part; a file that is only named by an error might.
        if part == ".." { "%2E%2E".to_owned() } else { percent_encoded(part.as_bytes()) }
    }));
    let uri = if parts.is_empty() { ".".to_owned() } else { parts.join("/") };
    ArtifactLocation { uri, uri_base_id: base }
}

/// Writes a part of a path so that it means only itself in a URI (source: RFC 3986, 2.3).
fn percent_encoded(part: &[u8]) -> String {
    use std::fmt::Write as _;
    let mut out = String::with_capacity(part.len());
    for &byte in part {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            out.push(char::from(byte));
        } else {
            write!(out, "%{byte:02X}").expect("writing to a string cannot fail");
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::{artifact, plain};

    #[track_caller]
    fn check(folder: &str, file: Option<&str>, uri: &str, base: Option<&str>) {
        let artifact = artifact(Path::new(folder), file);
        assert_eq!((artifact.uri.as_str(), artifact.uri_base_id), (uri, base));
    }

    #[test]
    fn a_place_is_a_relative_uri_that_means_only_the_file() {
        check("skills/a", Some("SKILL.md"), "skills/a/SKILL.md", None);
        check("./skills/a/", None, "skills/a", None);
        check(".", Some("a b#c?.md"), "a%20b%23c%3F.md", None);
        check(".", None, ".", None);
        check("../x", Some("\u{e9}:%.md"), "../x/%C3%A9%3A%25.md", None);
        check("/home/x", Some("y"), "home/x/y", Some("ROOT"));
        check("a", Some("../../etc/passwd"), "a/%2E%2E/%2E%2E/etc/passwd", None);
    }

    #[test]
    fn a_text_of_a_package_makes_no_link() {
        assert_eq!(plain("[here](https://example.com)"), "[here] (https://example.com)");
        assert_eq!(plain("a [b] c (d)"), "a [b] c (d)");
    }
}
