//! What can go wrong with a depot or a source.

use std::io;
use std::path::PathBuf;

use kitbag_package::PackageError;
use kitbag_types::{Code, Coded, Digest, printable};

/// What can go wrong with a depot.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DepotError {
    /// The package itself is refused or cannot be read.
    #[error(transparent)]
    Package(#[from] PackageError),
    /// Something lies where the package belongs.
    #[error("`{}` is in the way: Kitbag did not put it there", printable(.0))]
    InTheWay(String),
    /// The package that should be replaced or removed is not there.
    #[error("the package in `{}` is gone", printable(.0))]
    Missing(String),
    /// A folder in which packages are handled is not this person's alone.
    #[error("`{}` can be changed by other users, or is theirs", printable(&.0.to_string_lossy()))]
    Untrusted(PathBuf),
    /// What was staged is not what went into the slot: somebody moved it meanwhile.
    #[error("the staged package for `{}` was exchanged for another while it was promoted", printable(.0))]
    Exchanged(String),
    /// The depot could not be read or written.
    #[error("failed to {action} `{}`", printable(&.path.to_string_lossy()))]
    Io {
        /// What was tried.
        action: &'static str,
        /// On what.
        path: PathBuf,
        /// Why it failed.
        #[source]
        source: io::Error,
    },
    /// An operation was interrupted and its package is nowhere to be found.
    #[error("`{}` should hold {expected}, which lies neither there, nor in staging, nor among the kept versions", printable(.slot))]
    Unrecoverable {
        /// The slot.
        slot: String,
        /// What should lie there.
        expected: Digest,
    },
}

impl Coded for DepotError {
    fn code(&self) -> Code {
        match self {
            Self::Package(error) => error.code(),
            Self::InTheWay(_) => Code::PackageInTheWay,
            Self::Missing(_) => Code::PackageMissing,
            Self::Untrusted(_) => Code::DepotUntrusted,
            Self::Exchanged(_) => Code::PackageChanged,
            Self::Io { .. } => Code::DepotIo,
            Self::Unrecoverable { .. } => Code::DepotUnrecoverable,
        }
    }

    fn hint(&self) -> Option<String> {
        match self {
            Self::Package(error) => error.hint(),
            _ => self.code().remedy().map(str::to_owned),
        }
    }
}

/// What can go wrong while a source is looked through.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SourceError {
    /// The source does not exist.
    #[error("there is no `{}`", printable(&.0.to_string_lossy()))]
    NotFound(PathBuf),
    /// The source is a file, or something else that is no folder.
    #[error("`{}` is not a folder", printable(&.0.to_string_lossy()))]
    NotADirectory(PathBuf),
    /// A folder of it cannot be read.
    #[error("failed to read `{}`", printable(&.path.to_string_lossy()))]
    Unreadable {
        /// Which folder.
        path: PathBuf,
        /// Why.
        #[source]
        source: io::Error,
    },
    /// There are too many folders to look through.
    #[error("`{}` has more than {limit} folders", printable(&.path.to_string_lossy()))]
    TooManyFolders {
        /// The source.
        path: PathBuf,
        /// The limit.
        limit: usize,
    },
}

impl Coded for SourceError {
    fn code(&self) -> Code {
        match self {
            Self::NotFound(_) => Code::SourceNotFound,
            Self::NotADirectory(_) => Code::PackageNotADirectory,
            Self::Unreadable { .. } => Code::SourceUnreadable,
            Self::TooManyFolders { .. } => Code::SourceTooManyFolders,
        }
    }
}
