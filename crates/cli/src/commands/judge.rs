//! `kitbag validate` and `kitbag scan`

use std::fmt::Write as _;
use std::io::Read as _;

use kitbag_lifecycle::{Judge, LifecycleError};
use kitbag_types::{Code, Coded as _, Finding, Severity, ValidationLine, Verdict, printable};

use super::Session;
use super::accepted::show_suppressed;
use crate::args::{ScanArgs, Targets, ValidateArgs};
use crate::exit::{DONE, Exit, code_of};
use crate::output::{print_json_line, show_findings};

pub(super) fn validate(session: &Session<'_>, args: &ValidateArgs) -> Result<Exit, LifecycleError> {
    let good = run(session, &args.targets, Judge::Validate, "valid")?;
    Ok(if good { DONE } else { code_of(Code::ValidateFailed.kind()) })
}

pub(super) fn scan(session: &Session<'_>, args: &ScanArgs) -> Result<Exit, LifecycleError> {
    let good = run(session, &args.targets, Judge::Scan(args.fail_on), "below the limit")?;
    Ok(if good { DONE } else { code_of(Code::ScanFindings.kind()) })
}

fn run(
    session: &Session<'_>,
    targets: &Targets,
    judge: Judge,
    good_word: &str,
) -> Result<bool, LifecycleError> {
    let targets = all_targets(session, targets)?;
    let (mut count, mut good) = (0, 0);
    for target in &targets {
        let lines = match session.service.judge(target, session.environment.current_dir(), judge) {
            Ok(lines) => lines,
            // Among several, one that is not there hides none of the others.
            Err(error) if targets.len() > 1 => vec![not_judged(target, &error, judge)],
            Err(error) => return Err(error),
        };
        for line in &lines {
            count += 1;
            good += usize::from(line.ok);
            if session.output.is_json() {
                print_json_line(line);
            } else {
                session.output.text(&show(line));
            }
        }
    }
    session.output.note(&format!("{good} of {count} {good_word}"));
    Ok(good == count)
}

fn all_targets(session: &Session<'_>, targets: &Targets) -> Result<Vec<String>, LifecycleError> {
    let mut all = targets.targets.clone();
    if let Some(from) = &targets.files_from {
        let mut text = String::new();
        let read = if from == "-" {
            std::io::stdin().read_to_string(&mut text).map(|_| ())
        } else {
            let path = session.environment.current_dir().join(from);
            fs_err::read_to_string(path).map(|read| text = read)
        };
        read.map_err(|error| LifecycleError::reading(from, error))?;
        all.extend(text.lines().filter(|line| !line.is_empty()).map(str::to_owned));
    }
    Ok(all)
}

fn not_judged(target: &str, error: &LifecycleError, judge: Judge) -> ValidationLine {
    ValidationLine {
        path: target.to_owned(),
        ok: false,
        verdict: matches!(judge, Judge::Scan(_)).then_some(Verdict::Failed),
        kind: None,
        id: None,
        findings: vec![Finding {
            rule: error.code().as_str().to_owned(),
            severity: Severity::Critical,
            message: error.to_string(),
            file: None,
            line: None,
            column: None,
            remedy: error.hint(),
            evidence: None,
            match_hash: None,
        }],
        suppressed: Vec::new(),
    }
}

fn show(line: &ValidationLine) -> String {
    let mut out = String::new();
    let word = match (line.verdict, line.ok) {
        (Some(verdict), _) => verdict.as_str(),
        (None, true) => "valid",
        (None, false) => "invalid",
    };
    writeln!(out, "{word:<8} {}", printable(&line.path)).expect("writing to a string cannot fail");
    out.push_str(&show_findings(&line.findings));
    out.push_str(&show_suppressed(&line.suppressed));
    out
}
