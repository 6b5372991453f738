//! Scans a folder as a skill and prints what was found: `cargo run --example scan -- FOLDER`.
#![allow(clippy::print_stdout, reason = "an example talks to its reader")]

use std::path::PathBuf;

use kitbag_package::PackageTree;
use kitbag_scanner::{Options, RuleSet, Subject, package_report, scan};
use kitbag_types::{Finding, Kind, ScanReport, printable};

fn main() {
    let Some(folder) = std::env::args_os().nth(1).map(PathBuf::from) else {
        println!("usage: scan FOLDER");
        return;
    };
    let rules = RuleSet::builtin();
    let mut subject = Subject::new(Kind::Skill);
    subject.folder = folder.file_name().map(|name| name.to_string_lossy().into_owned());
    let scanned = PackageTree::open(&folder)
        .and_then(|package| scan(&package, subject, &rules, Options::default()));
    match scanned {
        Ok(outcome) => show(&outcome.report),
        Err(error) => {
            println!("{error}");
            show(&package_report(&error, &rules));
        }
    }
}

fn show(report: &ScanReport) {
    for Finding { rule, severity, message, file, line, column, .. } in &report.findings {
        let file = file.as_deref().unwrap_or(".");
        let place = match (line, column) {
            (Some(line), Some(column)) => format!(":{line}:{column}"),
            _ => String::new(),
        };
        println!("{}{place}: {severity}: {} ({rule})", printable(file), printable(message));
    }
    println!(
        "{}: {} files read, rules {}",
        report.verdict,
        report.coverage.len(),
        report.rule_set.short()
    );
}
