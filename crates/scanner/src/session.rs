//! One scan: files in, in any order, report out.

use std::collections::BTreeMap;

use kitbag_manifest::SkillManifest;
use kitbag_package::{Contents, Entry, PackageError, PackageReader, parallel, read_all};
use kitbag_types::{
    Coverage, CoverageStatus, Finding, Inventory, Kind, Named, PackagePath, ScanReport, Severity,
    Verdict,
};

use crate::content::Encoding;
use crate::inventory::{self, Blob};
use crate::pattern::{self, Spans, Where, redact};
use crate::report::{FileReport, sort};
use crate::rule_table::{
    ARCHIVE, BYTE_CODE, DEFEATS_PARSER, LFS_POINTER, MACHINE_PROGRAM, NO_PROGRAM, POSES_AS_TEXT,
    UNSEEN_PROGRAM,
};
use crate::source::{Identifiers, Role, has_shebang};
use crate::syntax::{self, Gap, Syntax};
use crate::{MatchKey, RuleSet, manifest, package, text};

/// Below so many bytes a thread costs more than it saves.
const WORTH_A_THREAD: usize = 512 << 10;

/// How closely the manifest is held to the letter of its specification.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mode {
    /// As a validator: what breaks the specification asks for review.
    Strict,
    /// As a loader: what can be read is accepted, and told.
    #[default]
    Lenient,
}

/// How to scan.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Options {
    /// How closely the manifest is judged.
    pub mode: Mode,
    /// What recognises findings again; none: findings carry no match hash.
    pub key: Option<MatchKey>,
}

impl Options {
    /// Returns the options with this mode.
    #[must_use]
    pub fn with_mode(self, mode: Mode) -> Self {
        Self { mode, ..self }
    }

    /// Returns the options with a key for match hashes.
    #[must_use]
    pub fn with_key(self, key: MatchKey) -> Self {
        Self { key: Some(key), ..self }
    }
}

/// What the package is meant to be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Subject {
    /// The kind it is judged as.
    pub kind: Kind,
    /// The name of the folder the package lies in at its source, which the manifest's name is
    /// compared with. `None`: unknown, so there is nothing to compare.
    pub folder: Option<String>,
}

impl Subject {
    /// Names a kind, in an unknown folder.
    pub fn new(kind: Kind) -> Self {
        Self { kind, folder: None }
    }

    /// Returns the subject with the name of its folder.
    #[must_use]
    pub fn in_folder(self, folder: impl Into<String>) -> Self {
        Self { folder: Some(folder.into()), ..self }
    }
}

/// What a scan came to.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// What was seen, and the verdict that follows from it.
    pub report: ScanReport,
    /// What the manifest of a skill says, where it could be read.
    pub skill: Option<SkillManifest>,
}

/// A scan that is shown one file after the other, by whoever reads them.
///
/// The order of visits does not show in the report. Files are judged some at a time, on all cores,
/// and then let go, save the manifest, which [`finish`](Self::finish) judges.
#[must_use = "a session says nothing until it is finished"]
#[derive(Debug)]
pub struct Session<'r> {
    rules: &'r RuleSet,
    subject: Subject,
    options: Options,
    findings: Vec<Finding>,
    coverage: Vec<Coverage>,
    inventory: Inventory,
    /// Files that wait to be judged, and their bytes in all.
    waiting: Vec<(Entry, Contents)>,
    waiting_bytes: usize,
    /// How many programs stopped the parser.
    defeats: usize,
    /// Files that may be the manifest: there can be several spellings of its name.
    manifests: BTreeMap<String, Contents>,
}

impl<'r> Session<'r> {
    /// Begins a scan.
    pub fn new(rules: &'r RuleSet, subject: Subject, options: Options) -> Self {
        Self {
            rules,
            subject,
            options,
            findings: Vec::new(),
            coverage: Vec::new(),
            inventory: Inventory::default(),
            waiting: Vec::new(),
            waiting_bytes: 0,
            defeats: 0,
            manifests: BTreeMap::new(),
        }
    }

    /// Takes one file. Each file of the package is to be visited once.
    pub fn visit(&mut self, entry: &Entry, contents: &Contents) {
        self.waiting.push((entry.clone(), contents.clone()));
        self.waiting_bytes += contents.len();
        if self.waiting_bytes >= BATCH {
            self.judge_waiting();
        }
        let path = entry.path.as_str();
        if self.subject.kind == Kind::Skill && manifest::may_be_skill_file(path) {
            self.manifests.insert(path.to_owned(), contents.clone());
        }
    }

    /// Judges the files that wait, at the same time where there are enough of them.
    fn judge_waiting(&mut self) {
        let files = std::mem::take(&mut self.waiting);
        let bytes = std::mem::take(&mut self.waiting_bytes);
        let (rules, options, kind) = (self.rules, self.options, self.subject.kind);
        let threads = 1 + bytes / WORTH_A_THREAD;
        let read = syntax::read(rules.syntax(), &files, &mut self.defeats);
        let files: Vec<_> = files.into_iter().zip(read).collect();
        let judged = parallel::map(&files, threads, |((entry, contents), syntax)| {
            inspect(rules, options, kind, entry, contents, syntax)
        });
        for (findings, coverage, inventory) in judged {
            self.findings.extend(findings);
            self.coverage.push(coverage);
            self.inventory.extend(inventory);
        }
    }

    /// What nobody can read is a remark, unless the instructions speak of it.
    fn weigh_blobs(&mut self) {
        let rules = [MACHINE_PROGRAM, BYTE_CODE, ARCHIVE];
        for finding in self.findings.iter_mut().filter(|it| rules.contains(&it.rule.as_str())) {
            let Some(file) = &finding.file else { continue };
            let name = file.rsplit('/').next().unwrap_or(file);
            let names = |text: &Contents| memchr::memmem::find(text, name.as_bytes()).is_some();
            if self.manifests.values().any(names) {
                finding.severity = Severity::Medium;
                finding.message += ", and the instructions name it";
            }
        }
    }

    /// Judges what takes the whole package to judge, and returns the outcome.
    pub fn finish(mut self) -> Outcome {
        self.judge_waiting();
        let mut skill = None;
        if self.subject.kind == Kind::Skill {
            let judged =
                manifest::judge(self.rules, self.options.mode, &self.subject, &self.manifests);
            self.findings.retain(|finding| !judged.says_already(finding));
            self.findings.extend(judged.findings.into_iter().map(without_values));
            skill = judged.skill;
            self.weigh_blobs();
        }
        for tool in skill.iter().flat_map(|skill: &SkillManifest| &skill.allowed_tools) {
            self.inventory.insert(Named::Tools, tool);
        }
        // A name may hold a credential, like any other text of a package.
        let mut inventory = Inventory::default();
        for sort in Named::ALL {
            self.inventory.names(sort).for_each(|name| inventory.insert(sort, &redact(name)));
        }
        if let Some(key) = self.options.key {
            for finding in self.findings.iter_mut().filter(|finding| finding.match_hash.is_none()) {
                finding.match_hash = Some(key.hash(&finding.rule, finding.message.as_bytes()));
            }
        }
        sort(&mut self.findings);
        self.coverage.sort_by(|a, b| a.file.cmp(&b.file));
        let verdict = Verdict::of(&self.findings);
        tracing::debug!(
            files = self.coverage.len(),
            findings = self.findings.len(),
            verdict = verdict.as_str(),
            "scanned a package"
        );
        let report = ScanReport {
            verdict,
            findings: self.findings,
            suppressed: Vec::new(),
            inventory,
            coverage: self.coverage,
            rule_set: self.rules.digest(),
        };
        Outcome { report, skill }
    }
}

/// A message of the manifest may quote what is written there, and somebody may have written a
/// credential.
fn without_values(finding: Finding) -> Finding {
    Finding {
        message: redact(&finding.message),
        evidence: finding.evidence.as_deref().map(redact),
        ..finding
    }
}

/// How many bytes of files wait before they are judged: enough to keep every core busy, few enough
/// that a large package is never held as a whole.
const BATCH: usize = 4 << 20;

/// How a pointer begins (source: the Git LFS specification, "The Pointer").
const LFS_HEAD: &[u8] = b"version https://git-lfs.github.com/spec/v1\n";

/// Judges one file by itself. Pure, so files may be judged in any order and at the same time.
fn inspect(
    rules: &RuleSet,
    options: Options,
    kind: Kind,
    entry: &Entry,
    contents: &Contents,
    syntax: &Syntax,
) -> (Vec<Finding>, Coverage, Inventory) {
    let mut report = FileReport::new(rules, options, &entry.path).of_kind(kind);
    package::inspect(entry, contents, &mut report);
    if contents.starts_with(LFS_HEAD) {
        report.see(LFS_POINTER, None, || {
            ("a pointer of Git LFS, not the file it stands for".to_owned(), None)
        });
    }
    text::inspect_name(entry.path.as_str(), &mut report);
    let mut inventory = Inventory::default();
    let extension = entry.path.extension();
    if let Some(blob) = Blob::of(&extension, contents) {
        report.see_whole(rule_of(blob), contents, || (blob.described().to_owned(), None));
        inventory.insert(Named::Binaries, entry.path.as_str());
    }
    let role = Role::of(&entry.path, contents);
    let encoding = Encoding::of(contents);
    let status = if role == Role::Other && encoding.is_binary() {
        CoverageStatus::Binary
    } else {
        if role == Role::Prose && encoding.is_binary() {
            report.see(POSES_AS_TEXT, None, || (encoding.described(), None));
        }
        text::inspect(role, encoding, contents, &mut report);
        let spans = || spans_of(role, &entry.path, contents);
        pattern::inspect(entry.path.as_str(), contents, spans, &mut report);
        inventory.extend(inventory::of_text(role, is_shell(&extension, contents), contents));
        if let Syntax::Read(reading) = syntax {
            inventory.extend(inventory::of_calls(&reading.calls));
            pattern::inspect_calls(entry.path.as_str(), &reading.calls, &mut report);
        }
        if let Some((gap, why)) = syntax.missing() {
            let rule = match gap {
                Gap::NoProgram => Some(NO_PROGRAM),
                Gap::Unseen => Some(UNSEEN_PROGRAM),
                Gap::Defeat => Some(DEFEATS_PARSER),
                Gap::Chosen => None,
            };
            if let Some(rule) = rule {
                report.see_whole(rule, contents, || (why, None));
            }
        }
        if syntax.missing().is_some() { CoverageStatus::Partly } else { CoverageStatus::Scanned }
    };
    let note = match status {
        CoverageStatus::Partly => syntax.missing().map(|(_, why)| why),
        CoverageStatus::Scanned | CoverageStatus::Binary => None,
    };
    let bytes = contents.len() as u64;
    let coverage = Coverage { file: entry.path.as_str().to_owned(), bytes, status, note };
    (report.finish(), coverage, inventory)
}

fn rule_of(blob: Blob) -> &'static str {
    match blob {
        Blob::Program => MACHINE_PROGRAM,
        Blob::ByteCode => BYTE_CODE,
        Blob::Archive => ARCHIVE,
    }
}

/// Tells whether a program is one of a shell.
fn is_shell(extension: &str, contents: &[u8]) -> bool {
    let first = contents.split(|&byte| byte == b'\n').next().unwrap_or_default();
    let names_shell = || first.ends_with(b"sh") || first.windows(3).any(|word| word == b"sh ");
    ["sh", "bash", "zsh", "ksh", "dash"].contains(&extension)
        || (extension.is_empty() && has_shebang(contents) && names_shell())
}

/// Tells what part of a file each place is in.
fn spans_of(role: Role, path: &PackagePath, contents: &Contents) -> Spans {
    let is_markdown = ["md", "markdown", "mdx"].contains(&path.extension().as_str());
    match (role, std::str::from_utf8(contents)) {
        (Role::Prose, Ok(text)) if is_markdown => Spans::markdown(text),
        (Role::Prose, _) => Spans::whole(Where::Prose),
        (Role::Source { identifiers: Identifiers::Yes }, _) => Spans::whole(Where::Script),
        _ => Spans::whole(Where::Data),
    }
}

/// Reads a package and judges it.
///
/// # Errors
/// [`PackageError`] if a file cannot be read, or is not what it was when the package was opened.
pub fn scan(
    package: &dyn PackageReader,
    subject: Subject,
    rules: &RuleSet,
    options: Options,
) -> Result<Outcome, PackageError> {
    let mut session = Session::new(rules, subject, options);
    read_all(package, &mut |entry, contents| session.visit(entry, contents))?;
    Ok(session.finish())
}
