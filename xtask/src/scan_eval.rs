//! `cargo xtask scan-eval DIR`: how often the scanner is right over a labelled corpus.
//!
//! Rates are told by source and class, since one number over everything hides which kinds of attack
//! are not seen at all. Near-duplicates count once, and a poisoned package is compared with its
//! clean twin where the corpus holds one.

mod alike;
mod corpus;
mod secrets;
mod tables;

use std::path::Path;
use std::thread;

use anyhow::{Result, bail};
use kitbag_package::{Contents, Entry};
use kitbag_scanner::{Family, Options, RuleSet, Session, Subject};
use kitbag_types::{Finding, Kind, PackagePath, Severity, Verdict};

use corpus::{Case, Label};

/// What the house asks of the rules, in percent.
const MOST_BENIGN_BLOCKED: f64 = 0.5;
const MOST_BENIGN_REVIEWED: f64 = 5.0;
const LEAST_MALICIOUS_SEEN: f64 = 60.0;

/// A case with what the scanner said of it.
struct Judged {
    case: Case,
    /// By every rule but those of the manifest.
    verdict: Verdict,
    /// Its manifest can be read.
    is_readable: bool,
    /// At medium or above.
    findings: Vec<Finding>,
    /// Another case stands for this one.
    is_repeated: bool,
}

impl Judged {
    fn is_seen(&self) -> bool {
        self.verdict != Verdict::Pass
    }
}

/// How much is told.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Detail {
    /// List the false alarms.
    pub(crate) alarms: bool,
    /// Also list the malicious packages that pass.
    pub(crate) missed: bool,
    /// Also count findings by rule.
    pub(crate) rules: bool,
}

impl Detail {
    /// The tables alone.
    pub(crate) const QUIET: Self = Self { alarms: false, missed: false, rules: false };
}

pub(crate) fn run(dir: &Path, detail: Detail) -> Result<()> {
    let problems = evaluate(dir, detail)?;
    if problems.is_empty() {
        return Ok(());
    }
    bail!("{}", problems.join("; "));
}

/// Prints the tables, and returns which floors and ceilings do not hold.
pub(crate) fn evaluate(dir: &Path, detail: Detail) -> Result<Vec<String>> {
    let mut problems = Vec::new();
    let mut ran = false;
    for (name, cases) in corpus::read(dir)? {
        ran = true;
        let cases = judge_all(cases)?;
        tables::print(&name, &cases, detail);
        problems.extend(floors(&name, &cases));
    }
    let vectors = dir.join("secrets.jsonl");
    if vectors.is_file() {
        ran = true;
        problems.extend(secrets::run(&vectors, detail)?);
    }
    if !ran {
        bail!("`{}` holds no corpus: `labels.tsv`, or one of the known case files", dir.display());
    }
    Ok(problems)
}

/// A share, in percent.
fn percent(part: usize, whole: usize) -> f64 {
    if whole == 0 { 0.0 } else { part as f64 * 100.0 / whole as f64 }
}

fn floors(name: &str, cases: &[Judged]) -> Vec<String> {
    let share = |label: Label, dual: bool, is: &dyn Fn(&Judged) -> bool| {
        let all = cases
            .iter()
            .filter(|judged| judged.case.label == label && judged.case.is_dual_use() == dual);
        let (of, hit) =
            all.fold((0, 0), |(of, hit), judged| (of + 1, hit + usize::from(is(judged))));
        (of > 0).then(|| percent(hit, of))
    };
    let mut problems = Vec::new();
    let mut check = |what: &str, share: Option<f64>, bad: &dyn Fn(f64) -> bool| {
        if let Some(share) = share.filter(|share| bad(*share)) {
            problems.push(format!("{name}: {share:.1}% of {what}"));
        }
    };
    let blocked = share(Label::Benign, false, &|judged| judged.verdict == Verdict::Block);
    check("benign packages are blocked", blocked, &|share| share > MOST_BENIGN_BLOCKED);
    let reviewed = share(Label::Benign, false, &|judged| judged.verdict == Verdict::Review);
    check("benign packages are sent to review", reviewed, &|share| share > MOST_BENIGN_REVIEWED);
    // Sets with a handful of malicious packages have no rate worth a floor.
    let malicious = cases.iter().filter(|judged| judged.case.label == Label::Malicious).count();
    if malicious >= 100 {
        let seen = share(Label::Malicious, false, &Judged::is_seen);
        check("malicious packages are seen", seen, &|share| share < LEAST_MALICIOUS_SEEN);
    }
    problems
}

fn judge_all(cases: Vec<Case>) -> Result<Vec<Judged>> {
    let rules = RuleSet::builtin().with_syntax(crate::syntax_child()?);
    let threads = thread::available_parallelism().map_or(1, usize::from);
    let mut parts: Vec<Vec<Case>> = (0..threads).map(|_| Vec::new()).collect();
    for (at, case) in cases.into_iter().enumerate() {
        parts[at % threads].push(case);
    }
    let mut all: Vec<Judged> = thread::scope(|scope| {
        let running: Vec<_> = parts
            .into_iter()
            .map(|part| scope.spawn(|| part.into_iter().map(|case| judge(case, &rules)).collect()))
            .collect();
        let mut all: Vec<Judged> = Vec::new();
        for thread in running {
            let part: Vec<Judged> =
                thread.join().map_err(|_| anyhow::anyhow!("the scanner panicked"))?;
            all.extend(part);
        }
        anyhow::Ok(all)
    })?;
    all.sort_by(|a, b| a.case.id.cmp(&b.case.id));
    alike::mark_repeated(&mut all);
    Ok(all)
}

fn judge(case: Case, rules: &RuleSet) -> Judged {
    let mut session = Session::new(rules, Subject::new(Kind::Skill), Options::default());
    for (path, bytes) in &case.files {
        // A path that no package may hold is refused before any rule is asked.
        let Ok(path) = PackagePath::new(path) else { continue };
        let contents = Contents::new(bytes.clone());
        let size = contents.len() as u64;
        session.visit(&Entry { path, executable: false, size }, &contents);
    }
    let report = session.finish().report;
    // A manifest that cannot be read is refused, rightly and whatever the package means.
    let manifest = |finding: &Finding| {
        rules.get(&finding.rule).is_some_and(|rule| rule.family() == Family::Manifest)
    };
    let (broken, findings): (Vec<_>, Vec<_>) = report.findings.into_iter().partition(manifest);
    let heavy = |finding: &Finding| finding.severity >= Severity::Medium;
    Judged {
        case,
        verdict: Verdict::of(&findings),
        is_readable: Verdict::of(&broken) != Verdict::Block,
        findings: findings.into_iter().filter(heavy).collect(),
        is_repeated: false,
    }
}
