//! Validate and scan: judging folders that nobody asked to install.

use std::path::{Path, PathBuf};

use kitbag_manifest::{SkillContext, SkillManifest, find_skill_file, read_skill};
use kitbag_materializer::candidates;
use kitbag_package::{PackageReader, PackageTree, digest, read_all};
use kitbag_scanner::{
    Layer, Mode as ScanMode, Options as ScanOptions, Outcome, Session, Subject, package_findings,
};
use kitbag_types::{
    CapabilityId, Code, Coded as _, Finding, Inventory, Kind, Severity, ValidationLine, Verdict,
    printable,
};

use crate::baseline::Baseline;
use crate::excerpt::{Excerpt, excerpts};
use crate::service::CapabilityLifecycleService;
use crate::{LifecycleError, Refusal};

/// How a folder is judged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Judge {
    /// By the specification, strictly: valid or not.
    Validate,
    /// By the scanner, as an add would: findings at or over this severity fail.
    Scan(Severity),
}

/// Whether the lines that findings are about are wanted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Quote {
    /// They are, for a person.
    Lines,
    /// They are not, so nothing is read for them.
    #[default]
    Nothing,
}

/// How a folder is judged, and what is wanted beside the result.
#[derive(Clone, Copy, Debug)]
pub struct JudgeOptions<'a> {
    /// By what.
    pub judge: Judge,
    /// Whether lines are quoted.
    pub quote: Quote,
    /// What is known already: it is neither told nor counted. What could not be scanned is, for
    /// nobody has seen what else is in it.
    pub baseline: Option<&'a Baseline>,
}

/// What one package was judged to be, with what a surface needs to show it.
#[derive(Clone, Debug)]
pub struct Judged {
    /// The result.
    pub line: ValidationLine,
    /// Where the package lies.
    pub folder: PathBuf,
    /// For each finding of the result, the line that it is about, where that may be shown.
    pub excerpts: Vec<Option<Excerpt>>,
}

impl CapabilityLifecycleService {
    /// Judges what a path or the id of an installed capability names: one line a capability found
    /// there. A path to a `SKILL.md` means its folder.
    ///
    /// # Errors
    /// `source/…` if there is nothing to judge; a package that breaks a rule is a line, not an
    /// error.
    pub fn judge(
        &self,
        target: &str,
        current_dir: &Path,
        options: &JudgeOptions<'_>,
    ) -> Result<Vec<Judged>, LifecycleError> {
        let path = current_dir.join(target);
        if path.exists() || path.is_symlink() {
            return self.judge_path(target, &path, options);
        }
        if CapabilityId::new(target).is_ok() && self.registry.find(target)?.is_some() {
            let record = self.record(target)?;
            let package = self.promoted(&record).ok_or_else(|| {
                let message = format!("there is no package in `{}`", self.place(&record));
                LifecycleError::from(Refusal::new(Code::PackageMissing, message))
            })?;
            let folder = PathBuf::from(self.place(&record));
            let subject = Subject { kind: record.kind, folder: None };
            return Ok(vec![self.judge_package(target, &folder, &*package, subject, options)?]);
        }
        let message = format!("there is neither a path nor a capability `{}`", printable(target));
        Err(Refusal::new(Code::SourceNotFound, message).into())
    }

    fn judge_path(
        &self,
        shown: &str,
        path: &Path,
        options: &JudgeOptions<'_>,
    ) -> Result<Vec<Judged>, LifecycleError> {
        if let Some(folder) = folder_of_skill_file(path) {
            return Ok(vec![self.judge_folder(shown, &folder, Some(Kind::Skill), options)?]);
        }
        let found = candidates(path)?;
        if found.is_empty() {
            // A folder without a manifest is judged as the skill it was meant to be.
            return Ok(vec![self.judge_folder(shown, path, None, options)?]);
        }
        found
            .iter()
            .map(|candidate| {
                let at_root = candidate.subpath == ".";
                let folder = if at_root { path.to_owned() } else { path.join(&candidate.subpath) };
                let shown = if at_root {
                    shown.to_owned()
                } else {
                    format!("{}/{}", shown.trim_end_matches('/'), candidate.subpath)
                };
                self.judge_folder(&shown, &folder, candidate.kind, options)
            })
            .collect()
    }

    fn judge_folder(
        &self,
        shown: &str,
        folder: &Path,
        kind: Option<Kind>,
        options: &JudgeOptions<'_>,
    ) -> Result<Judged, LifecycleError> {
        if let Some(kind) = kind.filter(|kind| *kind != Kind::Skill) {
            let message = format!("{kind} packages cannot be inspected yet");
            let findings = vec![finding(Code::KindNotBuilt, message)];
            return Ok(refused(shown, folder, Some(kind), options.judge, findings));
        }
        let package = match PackageTree::open(folder) {
            Ok(package) => package,
            Err(error) => {
                return Ok(refused(shown, folder, kind, options.judge, package_findings(&error)));
            }
        };
        // The name is compared with the folder's real name, whatever the path was spelt like.
        let name = fs_err::canonicalize(folder)
            .ok()
            .and_then(|real| real.file_name().map(|name| name.to_string_lossy().into_owned()));
        let subject = Subject { kind: Kind::Skill, folder: name };
        self.judge_package(shown, folder, &package, subject, options)
    }

    fn judge_package(
        &self,
        shown: &str,
        folder: &Path,
        package: &dyn PackageReader,
        subject: Subject,
        options: &JudgeOptions<'_>,
    ) -> Result<Judged, LifecycleError> {
        let judge = options.judge;
        let mode = match judge {
            Judge::Validate => ScanMode::Strict,
            Judge::Scan(_) => ScanMode::Lenient,
        };
        let kind = subject.kind;
        let scan_options = match (judge, options.baseline) {
            // What a baseline knows it knows by its own hashes.
            (_, Some(baseline)) => ScanOptions::default().with_key(baseline.match_key()),
            // What was accepted is a matter of what a package seems to be up to, not of its validity.
            (Judge::Validate, None) => ScanOptions::default(),
            (Judge::Scan(_), None) => self.scan_options()?,
        };
        let mut session = Session::new(self.rules()?, subject, scan_options.with_mode(mode));
        let read = read_all(package, &mut |entry, contents| session.visit(entry, contents));
        let listing = match read {
            Ok(listing) => listing,
            Err(error) => {
                let findings = package_findings(&error);
                return Ok(refused(shown, folder, Some(kind), judge, findings));
            }
        };
        let Outcome { mut report, skill } = session.finish();
        // The hashes of a baseline are of no use to the root, and the root's are not in these findings.
        if matches!(judge, Judge::Scan(_)) && options.baseline.is_none() {
            report = self.counted(&report, &digest(&listing))?;
            self.with_ways_out(&mut report)?;
        }
        // Whether a package is valid is a matter of facts. What it seems to be up to is for `scan`.
        let rules = self.rules()?;
        let is_fact = |finding: &Finding| {
            rules.get(&finding.rule).is_none_or(|rule| rule.layer() == Layer::Contract)
        };
        let fails = |finding: &Finding| match judge {
            Judge::Validate => finding.severity >= Severity::High && is_fact(finding),
            Judge::Scan(limit) => finding.severity >= limit,
        };
        let everything = report.findings.clone();
        let mut known = None;
        if let Some(baseline) = options.baseline {
            let (new, count) = baseline.part(folder, shown, report.findings);
            report.verdict = Verdict::of(&new);
            report.findings = new;
            known = Some(count as u64);
        }
        let ok = !report.findings.iter().any(fails);
        let id = skill.and_then(|skill| CapabilityId::from_manifest_name(&skill.name).ok());
        let accepted = report.suppressed.iter().map(|suppressed| &suppressed.finding);
        let all: Vec<&Finding> = everything.iter().chain(accepted).collect();
        let quoted = match options.quote {
            Quote::Lines => excerpts(package, &report.findings, &all),
            Quote::Nothing => vec![None; report.findings.len()],
        };
        Ok(Judged {
            excerpts: quoted,
            line: ValidationLine {
                path: shown.to_owned(),
                ok,
                verdict: matches!(judge, Judge::Scan(_)).then_some(report.verdict),
                kind: Some(kind),
                id,
                findings: report.findings,
                suppressed: report.suppressed,
                inventory: report.inventory,
                known,
            },
            folder: folder.to_owned(),
        })
    }
}

fn refused(
    shown: &str,
    folder: &Path,
    kind: Option<Kind>,
    judge: Judge,
    findings: Vec<Finding>,
) -> Judged {
    let verdict = matches!(judge, Judge::Scan(_)).then_some(Verdict::Block);
    Judged {
        excerpts: vec![None; findings.len()],
        line: ValidationLine {
            path: shown.to_owned(),
            ok: false,
            verdict,
            kind,
            id: None,
            findings,
            suppressed: Vec::new(),
            inventory: Inventory::default(),
            known: None,
        },
        folder: folder.to_owned(),
    }
}

fn finding(code: Code, message: String) -> Finding {
    Finding {
        rule: code.as_str().to_owned(),
        severity: Severity::Critical,
        message,
        file: None,
        line: None,
        column: None,
        remedy: code.remedy().map(str::to_owned),
        evidence: None,
        match_hash: None,
    }
}

fn folder_of_skill_file(path: &Path) -> Option<PathBuf> {
    let is_skill_file = path.file_name()?.to_str()?.eq_ignore_ascii_case("SKILL.md");
    (is_skill_file && !path.is_dir()).then(|| match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent.to_owned(),
        _ => PathBuf::from("."),
    })
}

/// Reads the manifest of a package's `SKILL.md`, none where there is none that can be loaded.
pub(crate) fn skill_of(package: &dyn PackageReader) -> Option<SkillManifest> {
    let entries = package.entries();
    let file = find_skill_file(entries.iter().map(|entry| entry.path.as_str()))?;
    let entry = entries.iter().find(|entry| entry.path.as_str() == file.name)?;
    let contents = match package.contents(entry) {
        Ok(contents) => contents,
        Err(error) => {
            tracing::debug!(code = %error.code(), "a manifest could not be read");
            return None;
        }
    };
    read_skill(&contents, &SkillContext { file_name: file.name, folder: None }).manifest
}

/// Returns the name in a package's manifest.
pub(crate) fn skill_name(package: &dyn PackageReader) -> Option<String> {
    skill_of(package).map(|skill| skill.name.trim().to_owned())
}
