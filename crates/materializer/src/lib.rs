//! Sources in, staged packages out; promote, restore, sweep.
//!
//! Four things, each on its own: [`resolve`] decides which bytes a text means (pure),
//! [`candidates`] finds the capabilities in a folder (names only), a [`Remote`] fetches a commit
//! ([`GitRemote`] from GitHub), and a [`Depot`] stages, promotes and keeps packages
//! ([`FolderDepot`] in a folder of this machine).
//!
//! ```
//! use kitbag_materializer::{Depot, FolderDepot, Slot};
//! use kitbag_package::PackageTree;
//! use kitbag_types::{CapabilityId, Kind, OperationId, Timestamp};
//!
//! # let folder = tempfile::tempdir()?;
//! # let (source, root) = (folder.path().join("hello"), folder.path().join("capabilities"));
//! # fs_err::create_dir(&source)?;
//! fs_err::write(source.join("SKILL.md"), "---\nname: hello\ndescription: Greets.\n---\n")?;
//!
//! let depot = FolderDepot::new(&root);
//! let operation = OperationId::new(Timestamp::from_millis(0), 1);
//! let package = PackageTree::open(&source)?;
//! let staged = depot.stage(operation, &package, &mut |_entry, _contents| {})?;
//!
//! let slot = Slot { kind: Kind::Skill, id: CapabilityId::new("hello")? };
//! depot.promote(&staged, &slot, None)?;
//! depot.discard(operation)?;
//! assert!(depot.promoted(&slot)?.is_some());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! **Limitations.** Repositories of github.com only, by HTTPS or the person's own `ssh`. Files of
//! Git LFS and submodules are not fetched: they are named. Where a file system has no
//! `RENAME_EXCHANGE`, a slot is empty for a moment while its package is replaced.
//!
//! **Errors.** [`DepotError`], [`SourceError`], [`SourceRefused`] and [`FetchError`]; each carries
//! a code.

#![deny(missing_docs)]

mod candidates;
mod depot;
mod error;
mod folder;
mod git;
mod remote;
mod source;

pub use candidates::{Candidate, MAX_CANDIDATE_DEPTH, MAX_FOLDERS, candidates};
pub use depot::{Depot, Slot, Staged, Survey, Visitor};
pub use error::{DepotError, SourceError};
pub use folder::{FolderDepot, PREVIOUS, STAGING};
pub use git::{GitRemote, MAX_FETCH_BYTES};
pub use remote::{FetchError, FetchedSource, Links, Remote, Resolved};
pub use source::{
    Existing, GitRef, GithubPlan, SourcePlan, SourceRefused, SourceRequest, Surroundings,
    Transport, resolve,
};
