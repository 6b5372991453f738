//! Vectors of single texts that do or do not hold the value of a credential.

use std::path::Path;

use anyhow::{Context as _, Result};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use kitbag_package::{Contents, Entry};
use kitbag_scanner::{Family, Options, RuleSet, Session, Subject};
use kitbag_types::{Kind, PackagePath, Severity};
use serde::Deserialize;

use super::{Detail, corpus, percent};

/// What the house asks, in percent.
const LEAST_FOUND: f64 = 90.0;
const MOST_FALSE: f64 = 3.0;

#[derive(Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Truth {
    Tp,
    Fp,
}

#[derive(Deserialize)]
struct Vector {
    rule: String,
    kind: Truth,
    b64: String,
}

pub(super) fn run(path: &Path, detail: Detail) -> Result<Vec<String>> {
    let rules = RuleSet::builtin();
    let file = PackagePath::new("notes.txt").context("a path")?;
    let (mut positive, mut found, mut negative, mut told, mut blocked) = (0, 0, 0, 0, 0);
    println!("## secrets.jsonl\n");
    for vector in corpus::lines::<Vector>(path)? {
        let mut session = Session::new(&rules, Subject::new(Kind::Skill), Options::default());
        let contents = Contents::new(STANDARD.decode(&vector.b64)?);
        let size = contents.len() as u64;
        session.visit(&Entry { path: file.clone(), executable: false, size }, &contents);
        let report = session.finish().report;
        let worst = report
            .findings
            .iter()
            .filter(|finding| {
                rules.get(&finding.rule).is_some_and(|rule| rule.family() == Family::Secret)
            })
            .map(|finding| finding.severity)
            .max();
        match vector.kind {
            Truth::Tp => {
                positive += 1;
                found += usize::from(worst.is_some());
                if worst.is_none() && detail.missed {
                    println!("- missed: a vector of `{}`", vector.rule);
                }
            }
            Truth::Fp => {
                negative += 1;
                told += usize::from(worst.is_some());
                blocked += usize::from(worst == Some(Severity::Critical));
                if worst.is_some() {
                    println!("- false alarm: a vector of `{}`", vector.rule);
                }
            }
        }
    }
    let (hits, alarms) = (percent(found, positive), percent(told, negative));
    println!(
        "Found {found} of {positive} ({hits:.1}%); false alarms {told} of {negative} ({alarms:.1}%), {blocked} of them block.\n"
    );
    let mut problems = Vec::new();
    if positive > 0 && hits < LEAST_FOUND {
        problems.push(format!("secrets.jsonl: {hits:.1}% of the values are found"));
    }
    if negative > 0 && alarms > MOST_FALSE {
        problems.push(format!("secrets.jsonl: {alarms:.1}% of what is no value is told"));
    }
    Ok(problems)
}
