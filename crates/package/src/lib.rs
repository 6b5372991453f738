//! Reads a directory as a package: safe walk, canonical listing, digest.
//!
//! ```
//! use kitbag_package::{PackageTree, digest, read_all};
//!
//! # let folder = tempfile::tempdir()?;
//! # let source = folder.path();
//! fs_err::write(source.join("SKILL.md"), "---\nname: hello\ndescription: Greets.\n---\n")?;
//! let package = PackageTree::open(source)?;
//! let listing = read_all(&package, &mut |entry, contents| {
//!     assert_eq!(contents.len() as u64, entry.size);
//! })?;
//! assert_eq!(listing[0].path.as_str(), "SKILL.md");
//! println!("{}", digest(&listing));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! A package holds regular files under safe, portable paths, within limits that are named
//! constants. `.git` is left out and named; nothing else is dropped silently. The walk reads names
//! and metadata once; [`read_all`] reads each file once, so that hashing, scanning and copying
//! share that one read.
//!
//! **Limitations.** It never executes, and never follows a link below the folder it was given. A
//! file that changes and changes back, with its times and inode restored, between the walk and the
//! read cannot be told from one that stayed.
//!
//! **Errors.** [`PackageError`] names every problem of one walk, each with a `package/…` code.

#![deny(missing_docs)]

pub mod compat;
mod digest;
mod error;
mod reader;
mod tree;
mod walk;

pub use digest::{compare, digest, read_all};
pub use error::{PackageError, Problem};
pub use reader::{Contents, Entry, ListingEntry, PackageReader};
pub use tree::PackageTree;
pub use walk::{MAX_FILE_BYTES, MAX_FILES, MAX_FOLDERS, MAX_PACKAGE_BYTES};
