//! One file a command.

mod accepted;
mod add;
mod baseline;
mod change;
mod compare;
mod diff;
mod doctor;
mod explain;
mod history;
mod judge;
mod list;
mod lock;
mod show;
mod verify;

use std::sync::Arc;

use clap::CommandFactory as _;
use kitbag_lifecycle::{CapabilityLifecycleService, LifecycleError, doctor as run_doctor};

use crate::args::{Cli, Command};
use crate::environment::Environment;
use crate::exit::{DONE, Exit};
use crate::output::Output;
use crate::reference;
use crate::watch::Terminal;

/// What a command works with.
pub(crate) struct Session<'a> {
    pub(crate) service: CapabilityLifecycleService,
    pub(crate) environment: &'a Environment,
    pub(crate) output: &'a Output,
    pub(crate) terminal: Option<Arc<Terminal>>,
    pub(crate) yes: bool,
}

impl Session<'_> {
    /// Clears the line of progress, before anything else is said.
    pub(crate) fn clear(&self) {
        if let Some(terminal) = &self.terminal {
            terminal.clear();
        }
    }
}

/// Runs a command and returns its exit code.
pub(crate) fn run(
    cli: &Cli,
    environment: &Environment,
    output: &Output,
) -> Result<Exit, LifecycleError> {
    match &cli.command {
        Command::Completions(args) => {
            let mut script = Vec::new();
            clap_complete::generate(args.shell, &mut Cli::command(), "kitbag", &mut script);
            output.text(&String::from_utf8_lossy(&script));
            return Ok(DONE);
        }
        Command::GenerateReference(args) => {
            output.text(&reference::page(args.page));
            return Ok(DONE);
        }
        _ => {}
    }
    let settings = environment.settings(cli.global.root.as_ref())?;
    if let Command::Doctor = cli.command {
        return Ok(doctor::show(&run_doctor(&settings, environment.principal()), output));
    }
    // A command that only looks needs neither a listener nor a line of progress.
    let looks = matches!(
        cli.command,
        Command::List(_)
            | Command::Inspect(_)
            | Command::History(_)
            | Command::Export(_)
            | Command::Accepted
    );
    let terminal =
        (!looks).then(|| Arc::new(Terminal::listen(cli.global.quiet || cli.global.json)));
    let service = match &terminal {
        Some(terminal) => {
            CapabilityLifecycleService::open_watched(&settings, Arc::clone(terminal) as _)?
        }
        None => CapabilityLifecycleService::open(&settings)?,
    };
    let session = Session { service, environment, output, terminal, yes: cli.global.yes };
    let outcome = dispatch(&session, cli);
    session.clear();
    outcome
}

fn dispatch(session: &Session<'_>, cli: &Cli) -> Result<Exit, LifecycleError> {
    match &cli.command {
        Command::Add(args) => add::run(session, args),
        Command::List(args) => list::run(session, args),
        Command::Inspect(args) => show::run(session, args),
        Command::Validate(args) => judge::validate(session, args),
        Command::Update(args) => change::update(session, args),
        Command::Diff(args) => diff::run(session, args),
        Command::Enable(args) => change::enable(session, args),
        Command::Disable(args) => change::disable(session, args),
        Command::Remove(args) => change::remove(session, args),
        Command::Revert(args) => change::revert(session, args),
        Command::Verify(args) => verify::run(session, args),
        Command::History(args) => history::run(session, args),
        Command::Scan(args) => judge::scan(session, args),
        Command::Outdated => compare::outdated(session),
        Command::Export(args) => lock::export(session, args),
        Command::Sync(args) => lock::sync(session, args),
        Command::Accepted => accepted::list(session),
        Command::Unaccept(args) => accepted::unaccept(session, args),
        Command::Gc(args) => lock::gc(session, args),
        Command::Doctor | Command::Completions(_) | Command::GenerateReference(_) => Ok(DONE),
    }
}
