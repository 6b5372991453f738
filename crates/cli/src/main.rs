//! Inspects, approves, pins and loads capabilities for AI agents

mod args;
mod environment;
mod exit;
mod findings;
mod names;
mod output;
mod reference;
mod watch;

mod commands;

use std::process::ExitCode;

use clap::Parser as _;
use clap::error::ErrorKind as ClapError;
use kitbag_types::{Code, ErrorEnvelope, ErrorReport};

use crate::args::Cli;
use crate::environment::Environment;
use crate::output::Output;

fn main() -> ExitCode {
    // Before anything else: a child is locked down before it does anything.
    if let Some(stack) = environment::syntax_child() {
        return kitbag_lifecycle::serve_syntax(stack);
    }
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => return usage(&error),
    };
    let output = Output::new(&cli.global);
    output::log_to_stderr(&cli.global);
    let status =
        Environment::read().and_then(|environment| commands::run(&cli, &environment, &output));
    match status {
        Ok(status) => output.finish(status),
        Err(error) => output.finish(output.error(&error)),
    }
}

/// Help and version go to stdout; a command line that is not understood goes to stderr, and to
/// stdout as JSON where it asks for JSON.
fn usage(error: &clap::Error) -> ExitCode {
    use std::io::Write as _;
    if matches!(error.kind(), ClapError::DisplayHelp | ClapError::DisplayVersion) {
        let _ = write!(anstream::stdout(), "{}", error.render().ansi());
        return exit::DONE.into();
    }
    if std::env::args_os().any(|arg| arg == "--json") {
        let message = error.render().to_string();
        let message = message.lines().next().unwrap_or_default();
        let report = ErrorReport {
            code: Code::UsageInvalid.as_str().to_owned(),
            kind: Code::UsageInvalid.kind(),
            message: message.strip_prefix("error: ").unwrap_or(message).to_owned(),
            hint: Code::UsageInvalid.remedy().map(str::to_owned),
            causes: Vec::new(),
        };
        output::print_json(&ErrorEnvelope::of(report));
    } else {
        output::show_usage(error, &mut anstream::stderr());
    }
    exit::code_of(Code::UsageInvalid.kind()).into()
}
