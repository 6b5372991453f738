//! The checks of the house, as `cargo xtask SUBCOMMAND`.
//!
//! Continuous integration runs `cargo xtask ci` and nothing else, so what passes here passes
//! there. Each subcommand is one file.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a tool for people at a terminal")]

mod generated;
mod process;
mod workspace;

mod bench;
mod cases;
mod ci;
mod docs;
mod golden;
mod layer_table;
mod layers;
mod readme;
mod scan_eval;
mod schemas;
mod tidy;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Parser, Subcommand};
use kitbag_scanner::{SyntaxChild, serve_syntax};

use crate::generated::Mode;
use crate::workspace::Workspace;

#[derive(Parser)]
#[command(name = "cargo xtask", about = "The checks of the house")]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Run every check, and stop at the first that fails
    Ci {
        /// The folder of case files [default: ../shared/cases, where that exists]
        #[arg(long, value_name = "DIR")]
        cases: Option<PathBuf>,
    },
    /// Check that dependencies go down the layers, and that the picture in ARCHITECTURE.md is fresh
    Layers {
        /// Write the picture instead of comparing it
        #[arg(long)]
        write: bool,
    },
    /// Check the house rules that clippy does not know
    Tidy,
    /// Write the JSON Schemas of the wire forms to docs/schemas/
    Schemas {
        /// Compare instead of writing
        #[arg(long)]
        check: bool,
    },
    /// Write the pages that the command generates: docs/cli.md, docs/errors.md
    Docs {
        /// Compare instead of writing
        #[arg(long)]
        check: bool,
        /// Ask this program instead of building the command
        #[arg(long, value_name = "PATH")]
        bin: Option<PathBuf>,
    },
    /// Run the commands that README.md shows, and compare what they print
    Readme {
        /// Write what they print instead of comparing it
        #[arg(long)]
        write: bool,
        /// Run this program instead of building the command
        #[arg(long, value_name = "PATH")]
        bin: Option<PathBuf>,
    },
    /// Run the cases of fixtures/cli/ and compare what the command says and does
    Golden {
        /// Write what was seen as what is expected
        #[arg(long)]
        accept: bool,
        /// Test this program instead of building the command
        #[arg(long, value_name = "PATH")]
        bin: Option<PathBuf>,
        /// Run only the cases whose name contains this
        filter: Option<String>,
    },
    /// Measure the scanner over labelled packages
    ScanEval {
        /// A folder with `labels.tsv` (path, label, class), or of case files
        dir: PathBuf,
        /// Also list the malicious packages that pass
        #[arg(long)]
        missed: bool,
        /// Also count findings by rule
        #[arg(long)]
        rules: bool,
    },
    /// Measure each row of docs/performance.md beside its yardstick
    Bench {
        /// Only the smallest size, and fewer rounds
        #[arg(long)]
        quick: bool,
        /// Print JSON
        #[arg(long)]
        json: bool,
        /// Write docs/performance.md
        #[arg(long)]
        write: bool,
        /// Only this row
        #[arg(long)]
        row: Option<String>,
    },
    /// Run the command and the libraries over a folder of case files
    Cases {
        /// The folder: skillmd.jsonl, simone.json, sources.tsv
        dir: PathBuf,
        /// Test this program instead of building the command
        #[arg(long, value_name = "PATH")]
        bin: Option<PathBuf>,
    },
}

/// The argument that makes this program a child that parses, and nothing else.
const SYNTAX_CHILD: &str = "--syntax-child";

/// How such a child is started.
pub(crate) fn syntax_child() -> anyhow::Result<SyntaxChild> {
    Ok(SyntaxChild::new(std::env::current_exe()?, [SYNTAX_CHILD]))
}

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    if arguments.next().is_some_and(|first| first == SYNTAX_CHILD) {
        let stack = arguments.next().and_then(|stack| stack.parse().ok());
        return stack.map_or(ExitCode::FAILURE, serve_syntax);
    }
    match run(Arguments::parse().command) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run(command: Command) -> anyhow::Result<()> {
    let workspace = Workspace::open()?;
    match command {
        Command::Ci { cases } => ci::run(&workspace, cases),
        Command::Layers { write } => layers::run(&workspace, mode(!write)),
        Command::Tidy => tidy::run(&workspace),
        Command::Schemas { check } => schemas::run(&workspace, mode(check)),
        Command::Docs { check, bin } => docs::run(&workspace, bin, mode(check)),
        Command::Readme { write, bin } => readme::run(&workspace, bin, mode(!write)),
        Command::Bench { quick, json, write, row } => {
            bench::run(&workspace, &bench::Options { quick, json, write, row })
        }
        Command::Golden { accept, bin, filter } => {
            golden::run(&workspace, bin, mode(!accept), filter.as_deref())
        }
        Command::ScanEval { dir, missed, rules } => {
            scan_eval::run(&dir, scan_eval::Detail { alarms: true, missed, rules })
        }
        Command::Cases { dir, bin } => cases::run(&workspace, &dir, bin),
    }
}

fn mode(check: bool) -> Mode {
    if check { Mode::Check } else { Mode::Write }
}
