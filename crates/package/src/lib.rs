//! Reads a directory as a package: one safe walk, the canonical listing, the digest.
//!
//! A package is a tree of regular files that somebody else wrote. [`PackageTree`] opens it by
//! handle, refuses by name what a package may not hold (links, devices, names that other systems
//! cannot write, anything over the limits), and yields its files in canonical order. [`read_all`]
//! reads each file once and shows the same bytes to whoever hashes, scans or copies them;
//! [`digest`] is over that listing, in the format of `docs/digest.md`. Nothing is ever executed,
//! and no link is ever followed.
//!
//! ```
//! use kitbag_package::{PackageReader, PackageTree, digest, read_all};
//!
//! let folder = tempfile::tempdir()?;
//! fs_err::write(folder.path().join("SKILL.md"), "# Tidy notes\n")?;
//!
//! let package = PackageTree::open(folder.path())?;
//! assert_eq!(package.entries()[0].path.as_str(), "SKILL.md");
//!
//! let mut bytes = 0;
//! let listing = read_all(&package, &mut |_, contents| bytes += contents.len())?;
//! assert_eq!(bytes, 13);
//! assert!(digest(&listing).to_string().starts_with("sha256:"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! **Limitations.** A file that is rewritten in place within one tick of the file system's clock,
//! to the same size, between the walk and its reading is not noticed as changed; its digest is
//! that of the bytes which were read, and those are the bytes that everyone was shown. Mount
//! points inside a package are walked like folders.
//!
//! **Errors.** [`PackageError`] carries every [`Problem`] that one walk found, each with its
//! [`Code`](kitbag_types::Code) of the `package/` family, its path and a detail.

#![deny(missing_docs)]

mod error;
mod reader;

mod collision;
mod intake;
mod opening;
mod stamp;
mod tree;
mod walk;

mod change;
mod digest;

pub mod compat;
pub mod parallel;

pub use change::compare;
pub use digest::{digest, read_all};
pub use error::{PackageError, Problem};
pub use intake::{Intake, MAX_FILE_BYTES, MAX_FILES, MAX_FOLDERS, MAX_PACKAGE_BYTES, TakenIn};
pub use reader::{Contents, Entry, ListingEntry, PackageReader};
pub use stamp::{SETTLED_AFTER, Stamp, StampCache};
pub use tree::PackageTree;
