//! The words of Kitbag as Rust types, with their wire forms and JSON Schemas.
//!
//! Everything the other crates exchange is defined here once: ids, digests, paths inside a
//! package, records, findings, results, plans, and the table of error codes. Constructing a
//! newtype validates it, so the code that receives one needs no check of its own.
//!
//! ```
//! use kitbag_types::{CapabilityId, Digest, PackagePath};
//!
//! let id = CapabilityId::new("pdf-forms").expect("a lower-case slug is an id");
//! assert_eq!(id.as_str(), "pdf-forms");
//! assert!(CapabilityId::new("PDF Forms").is_err());
//! assert!(PackagePath::new("../escape").is_err());
//! assert_eq!(Digest::of_bytes(b"").to_string().len(), "sha256:".len() + 64);
//! ```
//!
//! **Limitations.** This crate does no I/O and knows no clock: a [`Timestamp`] is given to it.
//!
//! **Errors.** Every error of the workspace carries a [`Code`]; [`Code::kind`] decides the exit
//! code at the edge, in one place.

#![deny(missing_docs)]

mod code;
mod error;
mod fault;
mod text;
mod watch;

mod digest;
mod id;
mod inventory;
mod kind;
mod operation;
mod path;
mod principal;
mod time;

mod baseline;
mod compare;
mod finding;
mod history;
mod lock;
mod match_hash;
mod plan;
mod record;
mod result;
mod suppression;

pub mod canonical;
pub mod schema;

pub use baseline::{BaselineFile, KnownFinding};
pub use code::{Code, ErrorKind};
pub use compare::{CompareItem, CompareResult, CompareStatus};
pub use digest::{Digest, InvalidDigest};
pub use error::{Coded, ErrorReport, causes_of};
pub use fault::{Failpoint, Faults, NoFaults};
pub use finding::{Coverage, CoverageStatus, Finding, ScanReport, Severity, Verdict};
pub use history::{HistoryEntry, HistoryEvent};
pub use id::{CapabilityId, InvalidId};
pub use inventory::{Inventory, InventoryChange, Named};
pub use kind::{Kind, RequestSource, StoredSource, UnknownWord};
pub use lock::{LockFile, Locked, MirrorEntry, MirrorItem, MirrorResult};
pub use match_hash::MatchHash;
pub use operation::{Action, OperationId};
pub use path::{InvalidPath, PackagePath};
pub use plan::{FileChange, FileChangeKind, MutationPlan, PlanStep};
pub use principal::Principal;
pub use record::{BrokenRecord, CapabilityRecord, RecordProblem};
pub use result::{
    BatchItem, BatchResult, DiffResult, DoctorCheck, DoctorResult, ErrorEnvelope, ForgottenVersion,
    GcResult, HistoryResult, InspectResult, ListResult, MutationResult, PackageSummary,
    RuleExplanation, ValidationLine, VerifyItem, VerifyResult, VerifyStatus, Warning,
};
pub use suppression::{
    AcceptedFinding, AcceptedResult, AcceptedState, Suppressed, Suppression, UnacceptResult,
};
pub use text::{Printable, escape_json, printable};
pub use time::{InvalidTimestamp, Timestamp};
pub use watch::{Progress, Unwatched, Watch};
