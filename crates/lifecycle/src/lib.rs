//! The one service that changes anything: validation, mutation, rollback.
//!
//! A mutation stages a package, scans exactly the bytes that were staged, decides what will happen
//! as a [`MutationPlan`](kitbag_types::MutationPlan), and only then takes the write lock, opens a
//! journal entry, swaps the package into place and records everything in one transaction. A
//! failure undoes what was done; a crash is undone by the next open.
//!
//! ```
//! use kitbag_lifecycle::{AddRequest, CapabilityLifecycleService, Enable, Settings};
//! use kitbag_types::Principal;
//!
//! # let folder = tempfile::tempdir()?;
//! # let source = folder.path().join("hello");
//! # fs_err::create_dir(&source)?;
//! fs_err::write(source.join("SKILL.md"), "---\nname: hello\ndescription: Greets.\n---\n")?;
//!
//! let settings = Settings::at(&folder.path().join("root"))?;
//! let service = CapabilityLifecycleService::open(&settings)?;
//! let person = Principal::Cli { user: "ada".to_owned() };
//! let mut request = AddRequest::new(person, source.display().to_string(), folder.path());
//! request.enable = Enable::Yes;
//! service.add(&request)?;
//! assert!(service.list(None)?.capabilities[0].enabled);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! **Limitations.** Only skills are accepted: packages of other kinds cannot be inspected yet, and
//! are refused whole. Agents may look and ask; there are no approvals yet, so every mutation of
//! an agent is refused. Calls block: a host with an async runtime calls them from a blocking task.
//!
//! **Errors.** [`LifecycleError`]; whatever it is, nothing of the operation has happened.

#![deny(missing_docs)]

mod clock;
mod error;
mod request;
mod settings;

mod accepted;
mod inspection;
mod opened;
mod service;
mod transaction;
mod watched;

mod add;
mod baseline;
mod choose;
mod diff;
mod doctor;
mod excerpt;
mod explain;
mod gc;
mod look;
mod mirror;
mod named;
mod outdated;
mod replace;
mod switch;
mod sync;
mod validate;
mod verify;

pub use add::AddOutcome;
pub use baseline::{Baseline, MAX_BASELINE_BYTES};
pub use clock::{Clock, SystemClock};
pub use diff::{Against, MAX_DIFF_BYTES};
pub use doctor::doctor;
pub use error::{LifecycleError, Refusal};
pub use excerpt::{Excerpt, MAX_EXCERPT_CHARS};
pub use explain::explain;
pub use gc::GcRequest;
pub use kitbag_materializer::Links;
pub use kitbag_scanner::{SyntaxChild, serve_syntax};
pub use look::Chain;
pub use request::{
    Acceptance, AddRequest, ChangeRequest, Edits, Enable, Mend, Mode, Pick, Review, Scope,
    UnacceptRequest, VerifyRequest,
};
pub use service::{CapabilityLifecycleService, Context, Options};
pub use settings::{CONFIG_FILE, Inputs, KEEP_VERSIONS, LOCK_PATIENCE, RULES_FILE, Settings};
pub use sync::{SyncMode, SyncRequest, parse_lock};
pub use validate::{Judge, JudgeOptions, Judged, Quote};

/// Returns the table of the scanner's rules as Markdown, for the reference.
pub fn scanner_rules_markdown() -> String {
    kitbag_scanner::docs::rules_markdown()
}
