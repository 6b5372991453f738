//! `kitbag validate` and `kitbag scan`

use std::fmt::Write as _;
use std::io::Read as _;

use std::path::Path;

use kitbag_lifecycle::{Baseline, Excerpt, Judge, JudgeOptions, Judged, LifecycleError, Quote};
use kitbag_scanner::sarif::{Builder, Tool};
use kitbag_types::{Code, Coded as _, Finding, Severity, ValidationLine, Verdict, printable};

use super::accepted::show_suppressed;
use super::{Session, baseline, explain};
use crate::args::{ScanArgs, ValidateArgs};
use crate::exit::{DONE, Exit, code_of};
use crate::findings::show_with_lines;
use crate::output::{print_json, print_json_line};

/// What SARIF says of us.
const TOOL: Tool<'_> = Tool {
    name: "kitbag",
    version: env!("CARGO_PKG_VERSION"),
    information_uri: Some(env!("CARGO_PKG_REPOSITORY")),
};

/// The form in which results go to stdout.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    Human,
    JsonLines,
    Sarif,
}

pub(super) fn validate(session: &Session<'_>, args: &ValidateArgs) -> Result<Exit, LifecycleError> {
    let form = if session.output.is_json() { Form::JsonLines } else { Form::Human };
    let targets = all_targets(session, &args.targets.targets, args.targets.files_from.as_deref())?;
    let options = JudgeOptions { judge: Judge::Validate, quote: form.quote(), baseline: None };
    let good = run(session, &targets, &options, form, None)?.say(session, "valid");
    Ok(if good { DONE } else { code_of(Code::ValidateFailed.kind()) })
}

pub(super) fn scan(session: &Session<'_>, args: &ScanArgs) -> Result<Exit, LifecycleError> {
    if let Some(rule) = &args.explain {
        return explain::run(session.service.rules()?, rule, session.output);
    }
    let form = match (args.sarif, session.output.is_json()) {
        (true, _) => Form::Sarif,
        (false, true) => Form::JsonLines,
        (false, false) => Form::Human,
    };
    let targets = all_targets(session, &args.targets, args.files_from.as_deref())?;
    let here = session.environment.current_dir();
    let judge = Judge::Scan(args.fail_on);
    let good = if let Some(file) = &args.write_baseline {
        let mut written = baseline::begin(here, file)?;
        let empty = written.clone();
        let options = JudgeOptions { judge, quote: form.quote(), baseline: Some(&empty) };
        let tally = run(session, &targets, &options, form, Some(&mut written))?;
        baseline::write(here, file, &written)?;
        session.output.note(&format!("{} in the baseline", count_of(written.len(), "finding")));
        tally.say(session, "recorded")
    } else {
        let known = args.baseline.as_ref().map(|file| baseline::read(here, file)).transpose()?;
        let options = JudgeOptions { judge, quote: form.quote(), baseline: known.as_ref() };
        let tally = run(session, &targets, &options, form, None)?;
        if known.is_some() {
            let count = count_of(tally.known, "known finding");
            session.output.note(&format!("{count} left out"));
        }
        tally.say(session, "below the limit")
    };
    Ok(if good { DONE } else { code_of(Code::ScanFindings.kind()) })
}

impl Form {
    fn quote(self) -> Quote {
        if self == Self::Human { Quote::Lines } else { Quote::Nothing }
    }
}

/// How many packages there are, and how many of them are as they should be.
#[derive(Default)]
struct Tally {
    count: usize,
    good: usize,
    /// How many findings were left out.
    known: usize,
}

impl Tally {
    /// Says it, and tells whether all are good.
    fn say(&self, session: &Session<'_>, good_word: &str) -> bool {
        session.output.note(&format!("{} of {} {good_word}", self.good, self.count));
        self.good == self.count
    }
}

fn count_of(count: usize, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}

/// Judges the targets and prints what they are judged to be. With a baseline to write, a package is
/// good if its findings went into it.
fn run(
    session: &Session<'_>,
    targets: &[String],
    options: &JudgeOptions<'_>,
    form: Form,
    mut written: Option<&mut Baseline>,
) -> Result<Tally, LifecycleError> {
    let here = session.environment.current_dir();
    let mut sarif = Builder::new(session.service.rules()?);
    let mut tally = Tally::default();
    for target in targets {
        let judged = match session.service.judge(target, here, options) {
            Ok(judged) => judged,
            // Among several, one that is not there hides none of the others.
            Err(error) if targets.len() > 1 => {
                tally.count += 1;
                let line = not_judged(target, &error, options.judge);
                match form {
                    Form::Human => session.output.text(&show(&line, &[])),
                    Form::JsonLines => print_json_line(&line),
                    Form::Sarif => line.findings.iter().for_each(|finding| {
                        sarif.failure(Path::new(target), finding);
                    }),
                }
                continue;
            }
            Err(error) => return Err(error),
        };
        for judged in &judged {
            let Judged { line, folder, excerpts } = judged;
            tally.count += 1;
            tally.good += usize::from(match &mut written {
                Some(baseline) => baseline.record(judged) == 0,
                None => line.ok,
            });
            tally.known += line.known.and_then(|known| usize::try_from(known).ok()).unwrap_or(0);
            match form {
                Form::Human => session.output.text(&show(line, excerpts)),
                Form::JsonLines => print_json_line(line),
                Form::Sarif => {
                    // Readers of the document start from where it was made.
                    let folder = folder.strip_prefix(here).unwrap_or(folder);
                    sarif.package(folder, &line.findings, &line.suppressed);
                }
            }
        }
    }
    if form == Form::Sarif {
        print_json(&sarif.finish(&TOOL));
    }
    Ok(tally)
}

fn all_targets(
    session: &Session<'_>,
    targets: &[String],
    files_from: Option<&str>,
) -> Result<Vec<String>, LifecycleError> {
    let mut all = targets.to_vec();
    if let Some(from) = files_from {
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
        inventory: kitbag_types::Inventory::default(),
        known: None,
    }
}

fn show(line: &ValidationLine, excerpts: &[Option<Excerpt>]) -> String {
    let mut out = String::new();
    let word = match (line.verdict, line.ok) {
        (Some(verdict), _) => verdict.as_str(),
        (None, true) => "valid",
        (None, false) => "invalid",
    };
    writeln!(out, "{word:<8} {}", printable(&line.path)).expect("writing to a string cannot fail");
    out.push_str(&show_with_lines(&line.findings, excerpts));
    out.push_str(&show_suppressed(&line.suppressed));
    out
}
