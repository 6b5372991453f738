//! What can go wrong with a registry database.

use std::io;
use std::path::{Path, PathBuf};

use kitbag_types::{Code, Coded, printable};

/// What can go wrong with a registry database. No type of a database library is part of it.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// The file is damaged: truncated, zeroed, or not a database at all. It was left as it is.
    #[error("`{}` is damaged: {why}", shown(.path))]
    Damaged {
        /// The database file.
        path: PathBuf,
        /// What is wrong with it.
        why: String,
    },
    /// The file is a database of something else. It was left as it is.
    #[error("`{}` is not a registry database: {why}", shown(.path))]
    Foreign {
        /// The database file.
        path: PathBuf,
        /// How that was seen.
        why: String,
    },
    /// The database was written by a newer version. It was left as it is.
    #[error("`{}` has schema version {found}, and this program knows versions up to {known}", shown(.path))]
    Newer {
        /// The database file.
        path: PathBuf,
        /// Its schema version.
        found: u32,
        /// The newest that this program knows.
        known: u32,
    },
    /// Another process is writing.
    #[error("another process holds `{}`", shown(.lock))]
    Locked {
        /// The lock file.
        lock: PathBuf,
    },
    /// The database or its folder cannot be written.
    #[error("`{}` cannot be written", shown(.path))]
    ReadOnly {
        /// The database file.
        path: PathBuf,
        /// Why.
        #[source]
        source: io::Error,
    },
    /// The database could not be read or written.
    #[error("failed to {action} `{}`", shown(.path))]
    Io {
        /// What was tried.
        action: &'static str,
        /// The file.
        path: PathBuf,
        /// Why it failed.
        #[source]
        source: io::Error,
    },
    /// An id exists already, under whatever kind.
    #[error("`{}` is already installed", printable(.id))]
    IdTaken {
        /// The id.
        id: String,
    },
    /// A record is not as it was when the change was planned.
    #[error("the record of `{}` changed meanwhile", printable(.id))]
    Conflict {
        /// The id.
        id: String,
    },
    /// What was to be taken back is not there, or was taken back before.
    #[error("the accepted finding {number} changed meanwhile")]
    NotAccepted {
        /// Its number.
        number: u64,
    },
    /// The system gives no random bytes.
    #[error("the system has no random bytes for a key: {why}")]
    NoChance {
        /// What it says.
        why: String,
    },
    /// A value has no place in the database.
    #[error("{what} cannot be stored")]
    Unstorable {
        /// Which value.
        what: String,
    },
}

impl StoreError {
    /// Sorts an error of the database by what a person can do about it.
    pub(crate) fn of_sqlite(path: &Path, action: &'static str, error: rusqlite::Error) -> Self {
        use rusqlite::ErrorCode;
        let path = path.to_owned();
        let conversion = matches!(
            error,
            rusqlite::Error::FromSqlConversionFailure(..)
                | rusqlite::Error::InvalidColumnType(..)
                | rusqlite::Error::IntegralValueOutOfRange(..)
                | rusqlite::Error::Utf8Error(..)
        );
        if conversion {
            return Self::Damaged { path, why: format!("a value cannot be read: {error}") };
        }
        let kind = match error.sqlite_error_code() {
            Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => {
                return Self::Damaged { path, why: error.to_string() };
            }
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => {
                return Self::Locked { lock: path };
            }
            Some(ErrorCode::ReadOnly) => {
                return Self::ReadOnly { path, source: io::Error::other(error) };
            }
            Some(ErrorCode::DiskFull) => io::ErrorKind::StorageFull,
            Some(ErrorCode::PermissionDenied) => io::ErrorKind::PermissionDenied,
            _ => io::ErrorKind::Other,
        };
        Self::Io { action, path, source: io::Error::new(kind, error) }
    }

    /// Tells a place that may not be written from one that could not be.
    pub(crate) fn of_writing(path: &Path, action: &'static str, source: io::Error) -> Self {
        let path = path.to_owned();
        match source.kind() {
            io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => {
                Self::ReadOnly { path, source }
            }
            _ => Self::Io { action, path, source },
        }
    }
}

fn shown(path: &Path) -> String {
    printable(&path.to_string_lossy()).to_string()
}

impl Coded for StoreError {
    fn code(&self) -> Code {
        match self {
            Self::Damaged { .. } => Code::StoreDamaged,
            Self::Foreign { .. } => Code::StoreForeign,
            Self::Newer { .. } => Code::StoreNewer,
            Self::Locked { .. } => Code::StoreLocked,
            Self::ReadOnly { .. } => Code::StoreReadOnly,
            Self::Io { .. } => Code::StoreIo,
            Self::IdTaken { .. } => Code::RegistryIdTaken,
            Self::Conflict { .. } | Self::NotAccepted { .. } => Code::MutationConflict,
            Self::NoChance { .. } => Code::StoreIo,
            Self::Unstorable { .. } => Code::InternalBug,
        }
    }
}
