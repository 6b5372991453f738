//! The command line.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};
use kitbag_types::{Kind, MatchHash, Severity, Timestamp};

/// Adds capabilities to a running agent: inspected, approved, pinned, and taken back in one step
#[derive(Debug, Parser)]
#[command(name = "kitbag", version, max_term_width = 100, disable_help_subcommand = true)]
pub(crate) struct Cli {
    #[command(flatten)]
    pub(crate) global: Global,
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// Options that every command takes.
#[derive(Clone, Debug, Args)]
pub(crate) struct Global {
    /// The runtime root [env: KITBAG_ROOT, GOROMBO_RUNTIME_ROOT]
    #[arg(long, global = true, value_name = "DIR")]
    pub(crate) root: Option<PathBuf>,
    /// Print one JSON document (JSON Lines for many paths) on stdout
    #[arg(long, global = true)]
    pub(crate) json: bool,
    /// Say yes to questions; findings that need review are not among them
    #[arg(short, long, global = true)]
    pub(crate) yes: bool,
    /// Print results only
    #[arg(short, long, global = true)]
    pub(crate) quiet: bool,
    /// Print what is going on to stderr; twice for more
    #[arg(short, long, global = true, action = clap::ArgAction::Count)]
    pub(crate) verbose: u8,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Inspect, scan, promote and record what a source offers
    #[command(visible_alias = "install")]
    Add(AddArgs),
    /// List what is recorded
    #[command(visible_alias = "ls")]
    List(ListArgs),
    /// Show everything that is known of one capability
    #[command(visible_aliases = ["show", "info"])]
    Inspect(IdArg),
    /// Judge folders or installed capabilities by the specification, strictly
    Validate(ValidateArgs),
    /// Replace packages by what their sources hold now
    Update(UpdateArgs),
    /// Show edits made by hand, and what an update or a revert would change
    Diff(DiffArgs),
    /// Let runtimes load capabilities
    Enable(IdsArgs),
    /// Keep runtimes from loading capabilities
    Disable(IdsArgs),
    /// Take capabilities out; `revert` brings them back
    #[command(visible_aliases = ["rm", "uninstall"])]
    Remove(RemoveArgs),
    /// Bring back a kept version, byte for byte
    #[command(visible_alias = "rollback")]
    Revert(RevertArgs),
    /// Compare promoted packages with what is recorded
    Verify(VerifyArgs),
    /// Show what happened, and prove that nobody rewrote it
    #[command(visible_alias = "log")]
    History(HistoryArgs),
    /// Scan folders or installed capabilities as an add would
    #[command(visible_alias = "audit")]
    Scan(ScanArgs),
    /// List the findings that were accepted, with who said so, why and until when
    Accepted,
    /// Take back what was accepted: the finding counts again
    Unaccept(UnacceptArgs),
    /// Ask the sources whether they have something else, without taking it
    Outdated,
    /// Write what the root holds, for another root or for SIM-ONE's configuration
    Export(ExportArgs),
    /// Make the root hold what a lock file says
    Sync(SyncArgs),
    /// Let go of kept versions
    Gc(GcArgs),
    /// Check that everything is where it should be
    Doctor,
    /// Print the completion script of a shell
    Completions(CompletionsArgs),
    /// Print a page of the reference
    #[command(hide = true)]
    GenerateReference(ReferenceArgs),
}

/// `add`
#[derive(Debug, Args)]
pub(crate) struct AddArgs {
    /// A folder (`./PATH`), or a GitHub repository (`OWNER/REPO`)
    pub(crate) source: String,
    /// Take the capability of this name or path; may be given more than once
    #[arg(short, long, value_name = "NAME", conflicts_with = "all")]
    pub(crate) skill: Vec<String>,
    /// Take everything that the source offers, each in its own transaction
    #[arg(long)]
    pub(crate) all: bool,
    /// The kind, where the folder does not tell
    #[arg(long, value_parser = parse_kind)]
    pub(crate) kind: Option<Kind>,
    /// The id to record it under, instead of its own name
    #[arg(long, value_name = "ALIAS")]
    pub(crate) id: Option<String>,
    /// The name people see
    #[arg(long)]
    pub(crate) name: Option<String>,
    /// What it does
    #[arg(long)]
    pub(crate) description: Option<String>,
    /// Enable it at once
    #[arg(long)]
    pub(crate) enable: bool,
    #[command(flatten)]
    pub(crate) change: ChangeArgs,
    #[command(flatten)]
    pub(crate) accept: AcceptArgs,
}

/// A person's yes to single findings.
#[derive(Clone, Debug, Args)]
pub(crate) struct AcceptArgs {
    /// Accept the finding with this match hash, and no other; may be given more than once
    #[arg(long, value_name = "HASH", requires = "reason")]
    pub(crate) accept: Vec<MatchHash>,
    /// Why it is no danger here; for a credential `revoked` or `test-value`
    #[arg(long, value_name = "TEXT", requires = "accept")]
    pub(crate) reason: Option<String>,
    /// Until when it is accepted: a date, which means its end in UTC, or a time
    #[arg(long, value_name = "DATE", requires = "accept", value_parser = Timestamp::of_end)]
    pub(crate) expires: Option<Timestamp>,
    /// Accept it in every version, not in these bytes alone
    #[arg(long, requires = "accept")]
    pub(crate) any_version: bool,
}

/// `unaccept`
#[derive(Debug, Args)]
pub(crate) struct UnacceptArgs {
    /// The number that `kitbag accepted` lists it by
    pub(crate) number: u64,
    /// Print what would happen, and change nothing
    #[arg(short = 'n', long)]
    pub(crate) dry_run: bool,
}

/// What every mutation that brings bytes takes.
#[derive(Clone, Debug, Args)]
pub(crate) struct ChangeArgs {
    /// Accept findings that need review
    #[arg(long)]
    pub(crate) accept_review: bool,
    /// Take links to files of the same commit as those files
    #[arg(long)]
    pub(crate) resolve_links: bool,
    /// Print what would happen, and change nothing
    #[arg(short = 'n', long)]
    pub(crate) dry_run: bool,
}

/// `list`
#[derive(Debug, Args)]
pub(crate) struct ListArgs {
    /// Only this kind
    #[arg(long, value_parser = parse_kind)]
    pub(crate) kind: Option<Kind>,
}

/// One id.
#[derive(Debug, Args)]
pub(crate) struct IdArg {
    /// The id of a capability
    pub(crate) id: String,
}

/// `enable`, `disable`
#[derive(Debug, Args)]
pub(crate) struct IdsArgs {
    /// The ids of capabilities
    #[arg(required = true, value_name = "ID")]
    pub(crate) ids: Vec<String>,
    /// Print what would happen, and change nothing
    #[arg(short = 'n', long)]
    pub(crate) dry_run: bool,
}

/// `validate`
#[derive(Debug, Args)]
pub(crate) struct ValidateArgs {
    #[command(flatten)]
    pub(crate) targets: Targets,
}

/// Many paths.
#[derive(Debug, Args)]
pub(crate) struct Targets {
    /// Folders, `SKILL.md` files, or ids of installed capabilities
    #[arg(required_unless_present = "files_from", value_name = "TARGET")]
    pub(crate) targets: Vec<String>,
    /// Read more of them from a file, one a line; `-` for stdin
    #[arg(long, value_name = "FILE")]
    pub(crate) files_from: Option<String>,
}

/// `update`
#[derive(Debug, Args)]
pub(crate) struct UpdateArgs {
    /// The ids of capabilities; none for all
    #[arg(value_name = "ID")]
    pub(crate) ids: Vec<String>,
    /// Keep packages that were edited by hand as a version, then go on
    #[arg(short, long)]
    pub(crate) force: bool,
    /// Enable it afterwards
    #[arg(long)]
    pub(crate) enable: bool,
    #[command(flatten)]
    pub(crate) change: ChangeArgs,
    #[command(flatten)]
    pub(crate) accept: AcceptArgs,
}

/// `diff`
#[derive(Debug, Args)]
pub(crate) struct DiffArgs {
    /// The id of a capability
    pub(crate) id: String,
    /// Compare with a kept version instead of the source
    #[arg(long, value_name = "DIGEST|VERSION")]
    pub(crate) to: Option<String>,
}

/// `remove`
#[derive(Debug, Args)]
pub(crate) struct RemoveArgs {
    /// The ids of capabilities
    #[arg(required = true, value_name = "ID")]
    pub(crate) ids: Vec<String>,
    /// Keep packages that were edited by hand as a version, then go on
    #[arg(short, long)]
    pub(crate) force: bool,
    /// Print what would happen, and change nothing
    #[arg(short = 'n', long)]
    pub(crate) dry_run: bool,
}

/// `revert`
#[derive(Debug, Args)]
pub(crate) struct RevertArgs {
    /// The id of a capability, installed or removed
    pub(crate) id: String,
    /// Which version: a digest, the beginning of one, or a version; the last one if not given
    #[arg(long, value_name = "DIGEST|VERSION")]
    pub(crate) to: Option<String>,
    /// Keep a package that was edited by hand as a version, then go on
    #[arg(short, long)]
    pub(crate) force: bool,
    #[command(flatten)]
    pub(crate) accept: AcceptArgs,
    /// Print what would happen, and change nothing
    #[arg(short = 'n', long)]
    pub(crate) dry_run: bool,
}

/// `verify`
#[derive(Debug, Args)]
pub(crate) struct VerifyArgs {
    /// The ids of capabilities; none for all
    #[arg(value_name = "ID")]
    pub(crate) ids: Vec<String>,
    /// Restore missing files from a kept version or the source
    #[arg(long, conflicts_with = "baseline")]
    pub(crate) repair: bool,
    /// Scan packages that have no recorded digest, and record it
    #[arg(long)]
    pub(crate) baseline: bool,
    #[command(flatten)]
    pub(crate) change: ChangeArgs,
}

/// `history`
#[derive(Debug, Args)]
pub(crate) struct HistoryArgs {
    /// The id of a capability; none for all
    pub(crate) id: Option<String>,
    /// Check every link of the chain
    #[arg(long)]
    pub(crate) verify: bool,
}

/// `scan`
#[derive(Debug, Args)]
pub(crate) struct ScanArgs {
    /// Folders, `SKILL.md` files, or ids of installed capabilities
    #[arg(required_unless_present_any = ["files_from", "explain"], value_name = "TARGET")]
    pub(crate) targets: Vec<String>,
    /// Read more of them from a file, one a line; `-` for stdin
    #[arg(long, value_name = "FILE")]
    pub(crate) files_from: Option<String>,
    /// Exit with 1 if a finding is this severe or more
    #[arg(long, value_name = "SEVERITY", default_value = "high", value_parser = parse_severity)]
    pub(crate) fail_on: Severity,
    /// Print one SARIF 2.1.0 document on stdout, for code review and editors
    #[arg(long, conflicts_with = "json")]
    pub(crate) sarif: bool,
    /// Tell and count only findings that are not in this file
    #[arg(long, value_name = "FILE")]
    pub(crate) baseline: Option<PathBuf>,
    /// Write what is found to this file, as a baseline, and count nothing
    #[arg(long, value_name = "FILE", conflicts_with = "baseline")]
    pub(crate) write_baseline: Option<PathBuf>,
    /// Say what a rule fires on, what it weighs and what to do about it, and scan nothing
    #[arg(long, value_name = "RULE", conflicts_with_all = ["targets", "files_from", "sarif", "baseline", "write_baseline"])]
    pub(crate) explain: Option<String>,
}

/// `export`
#[derive(Debug, Args)]
pub(crate) struct ExportArgs {
    /// Write a lock file instead of SIM-ONE's `capabilities` array
    #[arg(long)]
    pub(crate) lock: bool,
    /// Write to this file instead of stdout
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
}

/// `sync`
#[derive(Debug, Args)]
pub(crate) struct SyncArgs {
    /// The lock file
    #[arg(default_value = "kitbag.lock")]
    pub(crate) file: PathBuf,
    /// Remove what the lock file does not name, so that the root is equal to it
    #[arg(long, conflicts_with = "check")]
    pub(crate) frozen: bool,
    /// Only tell how the root differs
    #[arg(long)]
    pub(crate) check: bool,
    /// Keep packages that were edited by hand as a version, then go on
    #[arg(short, long)]
    pub(crate) force: bool,
    /// Accept findings that need review
    #[arg(long)]
    pub(crate) accept_review: bool,
    /// As `--check`
    #[arg(short = 'n', long)]
    pub(crate) dry_run: bool,
    #[command(flatten)]
    pub(crate) accept: AcceptArgs,
}

/// `gc`
#[derive(Debug, Args)]
pub(crate) struct GcArgs {
    /// How many versions of each capability stay kept
    #[arg(long, value_name = "N", default_value_t = kitbag_lifecycle::KEEP_VERSIONS)]
    pub(crate) keep: usize,
    /// Print what would happen, and change nothing
    #[arg(short = 'n', long)]
    pub(crate) dry_run: bool,
}

/// `completions`
#[derive(Debug, Args)]
pub(crate) struct CompletionsArgs {
    /// The shell
    pub(crate) shell: clap_complete::Shell,
}

/// `generate-reference`
#[derive(Debug, Args)]
pub(crate) struct ReferenceArgs {
    /// Which page
    pub(crate) page: Page,
}

/// The pages of the reference.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum Page {
    /// The commands
    Cli,
    /// The error codes
    Errors,
    /// The rules of the scanner
    ScannerRules,
}

fn parse_kind(text: &str) -> Result<Kind, String> {
    text.parse().map_err(|error: kitbag_types::UnknownWord| error.to_string())
}

fn parse_severity(text: &str) -> Result<Severity, String> {
    text.parse().map_err(|error: kitbag_types::UnknownWord| error.to_string())
}
