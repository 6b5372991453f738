//! From a folder to staged bytes with everything that was found in them.

use kitbag_manifest::SkillManifest;
use kitbag_materializer::{Candidate, SourcePlan, Staged, candidates};
use kitbag_package::{PackageReader, PackageTree};
use kitbag_scanner::{Options as ScanOptions, Outcome, Session, Subject};
use kitbag_store::PackageRow;
use kitbag_types::{
    CapabilityRecord, Code, Digest, Finding, Kind, OperationId, Principal, ScanReport,
    StoredSource, Timestamp, Verdict, Warning, printable,
};

use crate::service::CapabilityLifecycleService;
use crate::transaction::Area;
use crate::{LifecycleError, Refusal, Review};

/// A package that is staged and scanned, and not promoted.
pub(crate) struct Inspected<'s> {
    pub(crate) area: Area<'s>,
    pub(crate) operation: OperationId,
    pub(crate) staged: Staged,
    pub(crate) report: ScanReport,
    pub(crate) skill: Option<SkillManifest>,
    pub(crate) warnings: Vec<Warning>,
}

/// Where a package came from, as it is recorded.
#[derive(Clone, Debug)]
pub(crate) struct Origin {
    pub(crate) source: StoredSource,
    pub(crate) source_ref: String,
}

impl CapabilityLifecycleService {
    /// Copies a package into staging and scans the bytes that were written: one read.
    pub(crate) fn inspect_package(
        &self,
        package: &dyn PackageReader,
        kind: Kind,
        folder: Option<String>,
    ) -> Result<Inspected<'_>, LifecycleError> {
        let operation = self.clock.operation();
        let area = Area::new(&*self.depot, operation);
        let mut session =
            Session::new(&self.rules, Subject { kind, folder }, ScanOptions::default());
        let staged = self.depot.stage(operation, package, &mut |entry, contents| {
            session.visit(entry, contents);
        })?;
        let Outcome { report, skill } = session.finish();
        let warnings = package.left_out().iter().map(|path| left_out(path)).collect();
        Ok(Inspected { area, operation, staged, report, skill, warnings })
    }

    /// Opens the folder of a plan, or of one candidate in it.
    pub(crate) fn open_source(
        &self,
        plan: &SourcePlan,
        subpath: &str,
    ) -> Result<PackageTree, LifecycleError> {
        Ok(match plan {
            SourcePlan::Local(path) => PackageTree::open(&join(path, subpath))?,
            SourcePlan::Workspace(path) => {
                let relative = match (path.as_str(), subpath) {
                    (path, ".") => path.to_owned(),
                    (".", subpath) => subpath.to_owned(),
                    (path, subpath) => format!("{path}/{subpath}"),
                };
                PackageTree::open_beneath(&self.workspace, &relative)?
            }
            SourcePlan::Github(plan) => return Err(not_built(&plan.url()).into()),
        })
    }

    /// Finds what a source offers.
    pub(crate) fn offers(&self, plan: &SourcePlan) -> Result<Vec<Candidate>, LifecycleError> {
        Ok(match plan {
            SourcePlan::Local(path) => candidates(path)?,
            SourcePlan::Workspace(path) => candidates(&self.workspace.join(path))?,
            SourcePlan::Github(plan) => return Err(not_built(&plan.url()).into()),
        })
    }

    /// Returns what is recorded as the origin of a candidate.
    pub(crate) fn origin(&self, plan: &SourcePlan, subpath: &str) -> Origin {
        let source_ref = match plan {
            SourcePlan::Local(path) => {
                let path = join(path, subpath);
                // Below the workspace the path is kept relative, so that the root can be moved.
                path.strip_prefix(&self.workspace).unwrap_or(&path).display().to_string()
            }
            SourcePlan::Workspace(path) => {
                join(std::path::Path::new(path), subpath).display().to_string()
            }
            SourcePlan::Github(plan) => plan.url(),
        };
        Origin { source: StoredSource::Local, source_ref }
    }

    /// Returns the plan of a recorded origin, to read it again.
    pub(crate) fn recorded_source(
        &self,
        record: &CapabilityRecord,
    ) -> Result<SourcePlan, LifecycleError> {
        match record.source {
            StoredSource::Local if record.kind.has_package() => {
                Ok(SourcePlan::Local(self.workspace.join(&record.source_ref)))
            }
            StoredSource::Github => Err(not_built(&record.source_ref).into()),
            StoredSource::Local | StoredSource::Npm | StoredSource::Builtin => {
                let message =
                    format!("`{}` was recorded with source `{}`", record.id, record.source);
                Err(Refusal::new(Code::RegistryNoSource, message).into())
            }
        }
    }
}

/// Decides what the findings mean for a mutation.
pub(crate) fn judge(
    report: &ScanReport,
    digest: &Digest,
    subject: &str,
    review: Review,
) -> Result<(), LifecycleError> {
    let accepted = match review {
        Review::Refuse => false,
        Review::Accept => true,
        Review::AcceptDigest(accepted) => accepted == *digest,
    };
    let code = match report.verdict {
        Verdict::Pass => return Ok(()),
        Verdict::Review if accepted => return Ok(()),
        Verdict::Review => Code::ScanReviewNeeded,
        Verdict::Block => Code::ScanBlocked,
        Verdict::Failed => Code::ScanFailed,
    };
    let mut refusal =
        Refusal::new(code, format!("`{}`: {}", printable(subject), summary(&report.findings)));
    refusal.findings.clone_from(&report.findings);
    refusal.digest = Some(*digest);
    Err(refusal.into())
}

/// Returns a line that says what weighs most.
fn summary(findings: &[Finding]) -> String {
    let Some(worst) = findings.iter().max_by_key(|finding| finding.severity) else {
        return "the scanner gave no reason".to_owned();
    };
    let more = findings.iter().filter(|finding| finding.severity == worst.severity).count() - 1;
    let place = match (&worst.file, worst.line) {
        (Some(file), Some(line)) => format!(" ({}:{line})", printable(file)),
        (Some(file), None) => format!(" ({})", printable(file)),
        _ => String::new(),
    };
    let more = if more == 0 { String::new() } else { format!(", and {more} more like it") };
    format!("{}{place}{more}", printable(&worst.message))
}

pub(crate) fn package_row(
    inspected: &Inspected<'_>,
    promoted_at: Timestamp,
    previous: Option<Digest>,
) -> PackageRow {
    let listing = &inspected.staged.listing;
    PackageRow {
        digest: inspected.staged.digest,
        files: listing.len() as u64,
        bytes: listing.iter().map(|entry| entry.size).sum(),
        listing: serde_json::to_string(listing).expect("a listing of plain data serialises"),
        commit: None,
        subpath: None,
        git_ref: None,
        promoted_at,
        previous,
    }
}

/// The description as a record holds it: within the limit, the manifest keeps the whole.
pub(crate) fn recorded_description(text: &str, warnings: &mut Vec<Warning>) -> String {
    let limit = CapabilityRecord::MAX_DESCRIPTION_CHARS;
    let text = text.trim();
    if text.chars().count() <= limit {
        return text.to_owned();
    }
    warnings.push(Warning {
        code: "manifest/description-too-long".to_owned(),
        message: format!(
            "the description is recorded up to {limit} characters; the file keeps all of it"
        ),
    });
    text.chars().take(limit - 1).chain(['…']).collect()
}

fn join(path: &std::path::Path, subpath: &str) -> std::path::PathBuf {
    if subpath == "." { path.to_owned() } else { path.join(subpath) }
}

fn not_built(url: &str) -> Refusal {
    Refusal::new(
        Code::SourceNotBuilt,
        format!("`{}`: GitHub sources cannot be fetched yet", printable(url)),
    )
}

fn left_out(path: &str) -> Warning {
    let what = if path.ends_with('/') { "an empty folder" } else { "version control" };
    Warning {
        code: "package/left-out".to_owned(),
        message: format!("`{}` was left out: {what} is no part of a package", printable(path)),
    }
}

/// Tells who asked, as it is stored with the record.
pub(crate) fn installed_by(principal: &Principal) -> String {
    principal.installed_by().to_owned()
}
