//! The registry database: what is installed, and what was done.
//!
//! [`Registry`] and [`Writer`] say what a registry database can do, in plain data; [`SqliteRegistry`]
//! does it in one SQLite file. No SQL and no type of a database library crosses this boundary.
//!
//! ```
//! use kitbag_store::{Registry as _, SqliteRegistry};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let folder = tempfile::tempdir()?;
//! let registry = SqliteRegistry::open(&folder.path().join("db/capabilities.sqlite"))?;
//! assert!(registry.list()?.is_empty()); // nothing is created by reading
//! # Ok(())
//! # }
//! ```
//!
//! Table `capabilities` and its two indexes are those of SIM-ONE Alpha's registry, to the letter: a
//! database that SIM-ONE wrote opens as it is, and stays one that SIM-ONE can read. Tables of our
//! own lie beside it. Rows that break a rule are listed as [`StoredRecord::Broken`] and never
//! rewritten.
//!
//! **Errors.** Every error is a [`StoreError`]. A database that is damaged, not ours, or newer than this
//! program is refused and left byte for byte as it is.
//!
//! **Limitations.** One writer at a time, by an advisory lock on a file beside the database: it holds between
//! processes of one machine, not across a network file system. SQLite's write-ahead log needs a
//! local file system too.

#![deny(missing_docs)]

mod error;
mod match_key;
mod registry;
mod sqlite;

pub use error::StoreError;
pub use match_key::StoredKey;
pub use registry::{
    AcceptedRow, Change, JournalEntry, KeptVersion, PackageRow, Registry, StoredRecord, Writer,
};
pub use sqlite::{SCHEMA_VERSION, SqliteRegistry};
