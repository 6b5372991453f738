//! From a folder to staged bytes with everything that was found in them.

use kitbag_manifest::SkillManifest;
use kitbag_materializer::Staged;
use kitbag_package::PackageReader;
use kitbag_scanner::{Options as ScanOptions, Outcome, Session, Subject, redact};
use kitbag_store::PackageRow;
use kitbag_types::{
    CapabilityRecord, Code, Digest, Finding, Kind, OperationId, Principal, ScanReport, Suppression,
    Timestamp, Verdict, Warning, printable,
};

use crate::opened::Origin;
use crate::service::CapabilityLifecycleService;
use crate::transaction::Area;
use crate::watched::Watched;
use crate::{LifecycleError, Mode, Refusal, Review};

/// A package that is staged and scanned, and not promoted.
pub(crate) struct Inspected<'s> {
    pub(crate) area: Area<'s>,
    pub(crate) operation: OperationId,
    pub(crate) staged: Staged,
    /// What the scanner found, as it is kept.
    pub(crate) report: ScanReport,
    /// What of it counts, with what was accepted taken off.
    pub(crate) counted: ScanReport,
    /// What is accepted with this mutation.
    pub(crate) accepted: Vec<Suppression>,
    pub(crate) skill: Option<SkillManifest>,
    pub(crate) warnings: Vec<Warning>,
}

impl CapabilityLifecycleService {
    /// Copies a package into staging and scans the bytes that were written: one read.
    ///
    /// A finding can be accepted by its hash only where this root has a key. Where it has none and
    /// something is found that asks for a person, a mutation makes one, and looks once more: so the
    /// refusal of the very first add names hashes too.
    pub(crate) fn inspect_package(
        &self,
        package: &dyn PackageReader,
        kind: Kind,
        folder: Option<String>,
        mode: Mode,
    ) -> Result<Inspected<'_>, LifecycleError> {
        let options = self.scan_options()?;
        let inspected = self.inspect_with(package, kind, folder.clone(), options)?;
        if options.key.is_some() || mode == Mode::Plan || inspected.report.verdict == Verdict::Pass
        {
            return Ok(inspected);
        }
        drop(inspected);
        self.make_key();
        self.inspect_with(package, kind, folder, self.scan_options()?)
    }

    fn inspect_with(
        &self,
        package: &dyn PackageReader,
        kind: Kind,
        folder: Option<String>,
        options: ScanOptions,
    ) -> Result<Inspected<'_>, LifecycleError> {
        let operation = self.clock.operation();
        let area = Area::new(&*self.depot, operation);
        let mut session = Session::new(self.rules()?, Subject { kind, folder }, options);
        let watched = Watched { package, watch: &*self.watch };
        let staged = self.depot.stage(operation, &watched, &mut |entry, contents| {
            session.visit(entry, contents);
        })?;
        let Outcome { report, skill } = session.finish();
        let warnings = package.left_out().iter().map(|path| left_out(path)).collect();
        let counted = self.counted(&report, &staged.digest)?;
        let accepted = Vec::new();
        Ok(Inspected { area, operation, staged, report, counted, accepted, skill, warnings })
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
    let besides = match report.suppressed.len() {
        0 => String::new(),
        1 => "; 1 accepted finding does not count".to_owned(),
        more => format!("; {more} accepted findings do not count"),
    };
    let message = format!("`{}`: {}{besides}", printable(subject), summary(&report.findings));
    let mut refusal = Refusal::new(code, message);
    refusal.findings.clone_from(&report.findings);
    refusal.suppressed.clone_from(&report.suppressed);
    refusal.inventory = report.inventory.clone();
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
    origin: &Origin,
) -> PackageRow {
    let listing = &inspected.staged.listing;
    PackageRow {
        digest: inspected.staged.digest,
        files: listing.len() as u64,
        bytes: listing.iter().map(|entry| entry.size).sum(),
        listing: serde_json::to_string(listing).expect("a listing of plain data serialises"),
        commit: origin.commit.clone(),
        subpath: origin.subpath.clone(),
        git_ref: origin.git_ref.clone(),
        promoted_at,
        previous,
    }
}

/// The description as a record holds it: within the limit and without the value of a credential, the
/// manifest keeps the whole.
pub(crate) fn recorded_description(text: &str, warnings: &mut Vec<Warning>) -> String {
    let limit = CapabilityRecord::MAX_DESCRIPTION_CHARS;
    let text = redact(text.trim());
    if text.chars().count() <= limit {
        return text;
    }
    warnings.push(Warning {
        code: "manifest/description-too-long".to_owned(),
        message: format!(
            "the description is recorded up to {limit} characters; the file keeps all of it"
        ),
    });
    text.chars().take(limit - 1).chain(['…']).collect()
}

fn left_out(path: &str) -> Warning {
    let message = match path {
        // What the reader of a commit says of a link or a submodule.
        _ if path.ends_with(')') => printable(path).to_string(),
        _ if path.ends_with('/') => {
            format!("`{}` was left out: an empty folder is no part of a package", printable(path))
        }
        _ => format!("`{}` was left out: version control is no part of a package", printable(path)),
    };
    Warning { code: "package/left-out".to_owned(), message }
}

/// Tells who asked, as it is stored with the record.
pub(crate) fn installed_by(principal: &Principal) -> String {
    principal.installed_by().to_owned()
}
