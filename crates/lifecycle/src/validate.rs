//! Validate and scan: judging folders that nobody asked to install.

use std::path::{Path, PathBuf};

use kitbag_manifest::{SkillContext, SkillManifest, find_skill_file, read_skill};
use kitbag_materializer::candidates;
use kitbag_package::{PackageReader, PackageTree, digest, read_all};
use kitbag_scanner::{
    Layer, Mode as ScanMode, Options as ScanOptions, Outcome, Session, Subject, package_findings,
};
use kitbag_types::{
    CapabilityId, Code, Coded as _, Finding, Kind, Severity, ValidationLine, Verdict, printable,
};

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
        judge: Judge,
    ) -> Result<Vec<ValidationLine>, LifecycleError> {
        let path = current_dir.join(target);
        if path.exists() || path.is_symlink() {
            return self.judge_path(target, &path, judge);
        }
        if CapabilityId::new(target).is_ok() && self.registry.find(target)?.is_some() {
            let record = self.record(target)?;
            let package = self.promoted(&record).ok_or_else(|| {
                let message = format!("there is no package in `{}`", self.place(&record));
                LifecycleError::from(Refusal::new(Code::PackageMissing, message))
            })?;
            return Ok(vec![self.judge_package(target, &*package, record.kind, None, judge)?]);
        }
        let message = format!("there is neither a path nor a capability `{}`", printable(target));
        Err(Refusal::new(Code::SourceNotFound, message).into())
    }

    fn judge_path(
        &self,
        shown: &str,
        path: &Path,
        judge: Judge,
    ) -> Result<Vec<ValidationLine>, LifecycleError> {
        if let Some(folder) = folder_of_skill_file(path) {
            return Ok(vec![self.judge_folder(shown, &folder, Some(Kind::Skill), judge)?]);
        }
        let found = candidates(path)?;
        if found.is_empty() {
            // A folder without a manifest is judged as the skill it was meant to be.
            return Ok(vec![self.judge_folder(shown, path, None, judge)?]);
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
                self.judge_folder(&shown, &folder, candidate.kind, judge)
            })
            .collect()
    }

    fn judge_folder(
        &self,
        shown: &str,
        folder: &Path,
        kind: Option<Kind>,
        judge: Judge,
    ) -> Result<ValidationLine, LifecycleError> {
        if let Some(kind) = kind.filter(|kind| *kind != Kind::Skill) {
            let message = format!("{kind} packages cannot be inspected yet");
            return Ok(refused(
                shown,
                Some(kind),
                judge,
                vec![finding(Code::KindNotBuilt, message)],
            ));
        }
        let package = match PackageTree::open(folder) {
            Ok(package) => package,
            Err(error) => return Ok(refused(shown, kind, judge, package_findings(&error))),
        };
        // The name is compared with the folder's real name, whatever the path was spelt like.
        let name = fs_err::canonicalize(folder)
            .ok()
            .and_then(|real| real.file_name().map(|name| name.to_string_lossy().into_owned()));
        self.judge_package(shown, &package, Kind::Skill, name, judge)
    }

    fn judge_package(
        &self,
        shown: &str,
        package: &dyn PackageReader,
        kind: Kind,
        folder: Option<String>,
        judge: Judge,
    ) -> Result<ValidationLine, LifecycleError> {
        let mode = match judge {
            Judge::Validate => ScanMode::Strict,
            Judge::Scan(_) => ScanMode::Lenient,
        };
        // What was accepted is a matter of what a package seems to be up to, not of its validity.
        let options = match judge {
            Judge::Validate => ScanOptions::default(),
            Judge::Scan(_) => self.scan_options()?,
        };
        let mut session =
            Session::new(self.rules(), Subject { kind, folder }, options.with_mode(mode));
        let read = read_all(package, &mut |entry, contents| session.visit(entry, contents));
        let listing = match read {
            Ok(listing) => listing,
            Err(error) => return Ok(refused(shown, Some(kind), judge, package_findings(&error))),
        };
        let Outcome { mut report, skill } = session.finish();
        if let Judge::Scan(_) = judge {
            report = self.counted(&report, &digest(&listing))?;
            self.with_ways_out(&mut report);
        }
        // Whether a package is valid is a matter of facts. What it seems to be up to is for `scan`.
        let is_fact = |finding: &Finding| {
            self.rules().get(&finding.rule).is_none_or(|rule| rule.layer() == Layer::Contract)
        };
        let fails = |finding: &Finding| match judge {
            Judge::Validate => finding.severity >= Severity::High && is_fact(finding),
            Judge::Scan(limit) => finding.severity >= limit,
        };
        let ok = !report.findings.iter().any(fails);
        let id = skill.and_then(|skill| CapabilityId::from_manifest_name(&skill.name).ok());
        Ok(ValidationLine {
            path: shown.to_owned(),
            ok,
            verdict: matches!(judge, Judge::Scan(_)).then_some(report.verdict),
            kind: Some(kind),
            id,
            findings: report.findings,
            suppressed: report.suppressed,
        })
    }
}

fn refused(
    shown: &str,
    kind: Option<Kind>,
    judge: Judge,
    findings: Vec<Finding>,
) -> ValidationLine {
    let verdict = matches!(judge, Judge::Scan(_)).then_some(Verdict::Block);
    let (path, suppressed) = (shown.to_owned(), Vec::new());
    ValidationLine { path, ok: false, verdict, kind, id: None, findings, suppressed }
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
