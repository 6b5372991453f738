//! The shape of the package: what its reader refused, and what does not travel well.

use kitbag_package::{Contents, Entry, PackageError};
use kitbag_types::{ErrorKind, Finding, Inventory, ScanReport, Severity, Verdict};

use crate::RuleSet;
use crate::report::{FileReport, sort};
use crate::rule_table::{PORTABILITY, SHEBANG_NOT_EXECUTABLE};
use crate::source::has_shebang;

/// The longest path, in characters, that can be unpacked anywhere: Windows programs without the
/// long-path manifest stop at 260, of which the folder above the package takes its share.
const MAX_PORTABLE_PATH: usize = 180;

/// What Windows does not allow in a file name (source: Win32 "Naming Files, Paths, and
/// Namespaces"; `/`, `\` and controls never get this far).
const NOT_PORTABLE: &[char] = &[':', '<', '>', '"', '|', '?', '*'];

/// Judges the name and the mode of one file.
pub(crate) fn inspect(entry: &Entry, contents: &Contents, report: &mut FileReport<'_>) {
    let path = entry.path.as_str();
    if let Some(at) = path.find(NOT_PORTABLE) {
        let c = path[at..].chars().next().unwrap_or_default();
        report.see(PORTABILITY, None, || (format!("the path holds `{c}`"), None));
    }
    let length = path.chars().count();
    if length > MAX_PORTABLE_PATH {
        report.see(PORTABILITY, None, || {
            (format!("the path has {length} characters, more than {MAX_PORTABLE_PATH}"), None)
        });
    }
    if has_shebang(contents) && !entry.executable {
        report.see(SHEBANG_NOT_EXECUTABLE, None, || {
            ("the file begins with `#!` and is not executable".to_owned(), None)
        });
    }
}

/// Returns the problems for which a package could not be read as one, each as a critical finding
/// named like its code and with the code's remedy.
///
/// `file` and `message` may hold text from the package: show them with
/// [`printable`](kitbag_types::printable).
pub fn package_findings(error: &PackageError) -> Vec<Finding> {
    let mut findings: Vec<Finding> = error
        .problems()
        .iter()
        .map(|problem| Finding {
            rule: problem.code.as_str().to_owned(),
            severity: Severity::Critical,
            message: if problem.detail.is_empty() {
                problem.code.meaning().to_owned()
            } else {
                format!("{}: {}", problem.code.meaning(), problem.detail)
            },
            file: (!problem.path.is_empty()).then(|| problem.path.clone()),
            line: None,
            column: None,
            remedy: problem.code.remedy().map(str::to_owned),
            evidence: None,
            match_hash: None,
        })
        .collect();
    sort(&mut findings);
    findings
}

/// Returns the report of a package that could not be read as one.
///
/// The verdict is `block` where the package itself is to blame. Where the disk is (a file that
/// cannot be read, or that changed meanwhile) it is `failed`: that is not to call it unsafe.
pub fn package_report(error: &PackageError, rules: &RuleSet) -> ScanReport {
    let environment = |kind| matches!(kind, ErrorKind::Environment | ErrorKind::NotFound);
    let failed = error.problems().iter().all(|problem| environment(problem.code.kind()));
    ScanReport {
        verdict: if failed { Verdict::Failed } else { Verdict::Block },
        findings: package_findings(error),
        suppressed: Vec::new(),
        inventory: Inventory::default(),
        coverage: Vec::new(),
        rule_set: rules.digest(),
    }
}
