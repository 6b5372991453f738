//! What was measured, as tables.

use std::collections::BTreeMap;

use kitbag_types::{Verdict, printable};

use super::corpus::Label;
use super::{Detail, Judged, alike, percent};

pub(super) fn print(name: &str, cases: &[Judged], detail: Detail) {
    println!("## {name}\n");
    println!(
        "| source | label | class | packages | unreadable | blocked | review | seen | distinct | seen |"
    );
    println!("|---|---|---|--:|--:|--:|--:|--:|--:|--:|");
    let mut rows: BTreeMap<(Label, String, String), Vec<&Judged>> = BTreeMap::new();
    for judged in cases {
        let case = &judged.case;
        let class = case.class_family().to_owned();
        rows.entry((case.label, case.source().to_owned(), class)).or_default().push(judged);
    }
    for ((label, source, class), row) in &rows {
        print_row(source, *label, class, row);
    }
    for label in [Label::Benign, Label::Malicious] {
        for dual in [false, true] {
            let of =
                |judged: &&Judged| judged.case.label == label && judged.case.is_dual_use() == dual;
            let all: Vec<&Judged> = cases.iter().filter(of).collect();
            if !all.is_empty() {
                print_row("**all**", label, if dual { "dual use" } else { "" }, &all);
            }
        }
    }
    println!();
    print_twins(cases);
    if detail.rules {
        print_rules(cases);
    }
    print_alarms(cases, detail);
}

fn print_row(source: &str, label: Label, class: &str, row: &[&Judged]) {
    let count = |is: &dyn Fn(&Judged) -> bool| row.iter().filter(|judged| is(judged)).count();
    let blocked = count(&|judged| judged.verdict == Verdict::Block);
    let review = count(&|judged| judged.verdict == Verdict::Review);
    let unreadable = count(&|judged| !judged.is_readable);
    let distinct = count(&|judged| !judged.is_repeated);
    let distinct_seen = count(&|judged| !judged.is_repeated && judged.is_seen());
    println!(
        "| {source} | {} | {class} | {} | {unreadable} | {blocked} | {review} | {:.1}% | {distinct} | {:.1}% |",
        match label {
            Label::Benign => "benign",
            Label::Malicious => "malicious",
        },
        row.len(),
        percent(count(&Judged::is_seen), row.len()),
        percent(distinct_seen, distinct),
    );
}

/// A rule that says the same of a package and of its clean twin has not seen the attack.
fn print_twins(cases: &[Judged]) {
    let twins = alike::twins(cases);
    if twins.is_empty() {
        return;
    }
    let says = |at: usize| -> Vec<(&str, Option<&String>)> {
        let findings = cases[at].findings.iter();
        findings.map(|finding| (finding.rule.as_str(), finding.evidence.as_ref())).collect()
    };
    let mut by_kind: BTreeMap<bool, (usize, usize)> = BTreeMap::new();
    for (bad, good) in twins {
        let clean = says(good);
        let more = says(bad).iter().any(|said| !clean.contains(said));
        let (of, told) = by_kind.entry(cases[bad].case.is_dual_use()).or_default();
        *of += 1;
        *told += usize::from(more);
    }
    for (dual, (of, told)) in by_kind {
        println!(
            "Pairs{}: {told} of {of} ({:.1}%) say more than the clean twin.",
            if dual { " of dual use" } else { "" },
            percent(told, of)
        );
    }
    println!();
}

fn print_rules(cases: &[Judged]) {
    let mut rules: BTreeMap<&str, [usize; 3]> = BTreeMap::new();
    for judged in cases {
        let mut seen: Vec<&str> =
            judged.findings.iter().map(|finding| finding.rule.as_str()).collect();
        seen.sort_unstable();
        seen.dedup();
        let column = match (judged.case.label, judged.case.is_dual_use()) {
            (Label::Malicious, false) => 0,
            (Label::Malicious, true) => 1,
            (Label::Benign, _) => 2,
        };
        for rule in seen {
            rules.entry(rule).or_default()[column] += 1;
        }
    }
    println!("| rule, at medium or above | malicious | dual use | benign |\n|---|--:|--:|--:|");
    for (rule, [malicious, dual, benign]) in rules {
        println!("| `{rule}` | {malicious} | {dual} | {benign} |");
    }
    println!();
}

fn print_alarms(cases: &[Judged], detail: Detail) {
    let mut alarms: Vec<&Judged> = cases
        .iter()
        .filter(|judged| judged.case.label == Label::Benign && judged.is_seen())
        .collect();
    // The worst first.
    alarms.sort_by_key(|judged| std::cmp::Reverse((judged.verdict, judged.findings.len())));
    println!("False alarms: {}", alarms.len());
    for judged in alarms.into_iter().filter(|_| detail.alarms) {
        print_case(judged);
    }
    println!();
    if detail.missed {
        let missed = |judged: &&Judged| {
            let case = &judged.case;
            case.label == Label::Malicious && !case.is_dual_use() && !judged.is_seen()
        };
        let missed: Vec<&Judged> = cases.iter().filter(missed).collect();
        println!("Missed: {}", missed.len());
        for judged in missed {
            println!("- {} ({})", printable(&judged.case.id), printable(&judged.case.class));
        }
        println!();
    }
}

fn print_case(judged: &Judged) {
    println!("- {} {} ({})", judged.verdict, printable(&judged.case.id), judged.case.class);
    for finding in judged.findings.iter().take(4) {
        println!(
            "  - {} {} {}:{} {}",
            finding.severity,
            finding.rule,
            printable(finding.file.as_deref().unwrap_or_default()),
            finding.line.unwrap_or_default(),
            printable(finding.evidence.as_deref().unwrap_or_default()),
        );
    }
}
