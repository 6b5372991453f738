//! What can stop an operation.

use kitbag_materializer::{DepotError, FetchError, SourceError, SourceRefused};
use kitbag_package::PackageError;
use kitbag_store::StoreError;
use kitbag_types::{
    Code, Coded, Digest, ErrorEnvelope, ErrorKind, ErrorReport, FileChange, Finding, InvalidId,
    Inventory, InventoryChange, Suppressed, printable,
};

/// What can stop an operation. Whatever it is, nothing of the operation has happened.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LifecycleError {
    /// The registry database.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The folder of managed packages.
    #[error(transparent)]
    Depot(#[from] DepotError),
    /// The source cannot be looked through.
    #[error(transparent)]
    Source(#[from] SourceError),
    /// The source may not be used.
    #[error(transparent)]
    SourceRefused(#[from] SourceRefused),
    /// The package itself.
    #[error(transparent)]
    Package(#[from] PackageError),
    /// The repository could not be fetched.
    #[error(transparent)]
    Fetch(#[from] FetchError),
    /// The id.
    #[error(transparent)]
    Id(#[from] InvalidId),
    /// An update could not be made, and the installed version works on.
    #[error("{error}; `{id}` stays as it is ({version})")]
    Stays {
        /// What stopped the update.
        error: Box<LifecycleError>,
        /// Which capability.
        id: String,
        /// Its version or digest, for a person.
        version: String,
    },
    /// A file that the surface reads.
    #[error("failed to read `{}`", printable(.path))]
    Reading {
        /// Which file, as it was named.
        path: String,
        /// Why.
        #[source]
        source: std::io::Error,
    },
    /// A file that the surface writes.
    #[error("failed to write `{}`", printable(.path))]
    Writing {
        /// Which file, as it was named.
        path: String,
        /// Why.
        #[source]
        source: std::io::Error,
    },
    /// A rule of the lifecycle.
    #[error(transparent)]
    Refusal(#[from] Box<Refusal>),
}

/// A rule of the lifecycle that says no, with what a person needs to decide.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct Refusal {
    /// Which rule.
    pub code: Code,
    /// What is wrong and where.
    pub message: String,
    /// What to do, where it is not what the code says in general.
    pub hint: Option<String>,
    /// What the scanner found, where that is the reason.
    pub findings: Vec<Finding>,
    /// What it found and a person accepted, where that was not enough.
    pub suppressed: Vec<Suppressed>,
    /// What those bytes name.
    pub inventory: Inventory,
    /// What of it the bytes in place do not name, and the other way round.
    pub inventory_change: Option<InventoryChange>,
    /// The digest of the bytes that the findings are about, so that a person's yes can be to
    /// exactly those bytes.
    pub digest: Option<Digest>,
    /// The files that were edited by hand, where that is the reason.
    pub files: Vec<FileChange>,
}

impl Refusal {
    pub(crate) fn new(code: Code, message: impl Into<String>) -> Self {
        Self {
            code,
            message: message.into(),
            hint: None,
            findings: Vec::new(),
            suppressed: Vec::new(),
            inventory: Inventory::default(),
            inventory_change: None,
            digest: None,
            files: Vec::new(),
        }
    }

    /// Puts the id into the remedy of the code, where that speaks of `ID`.
    pub(crate) fn about(self, id: &str) -> Self {
        match self.code.remedy() {
            Some(remedy) => self.hint(remedy.replace("ID`", &format!("{}`", printable(id)))),
            None => self,
        }
    }

    pub(crate) fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }
}

impl From<Refusal> for LifecycleError {
    fn from(refusal: Refusal) -> Self {
        Self::Refusal(Box::new(refusal))
    }
}

impl LifecycleError {
    /// Returns what the scanner found, where that is the reason: its findings, or the package
    /// rules that the folder breaks.
    pub fn findings(&self) -> Vec<Finding> {
        match self {
            Self::Refusal(refusal) => refusal.findings.clone(),
            Self::Stays { error, .. } => error.findings(),
            Self::Package(error) | Self::Depot(DepotError::Package(error)) => {
                kitbag_scanner::package_findings(error)
            }
            _ => Vec::new(),
        }
    }

    /// Returns the refusal, where a rule of the lifecycle said no.
    pub fn refusal(&self) -> Option<&Refusal> {
        match self {
            Self::Refusal(refusal) => Some(refusal),
            Self::Stays { error, .. } => error.refusal(),
            _ => None,
        }
    }

    /// Makes an error of a request that a surface cannot make sense of.
    pub fn usage(message: &str, hint: &str) -> Self {
        Refusal::new(Code::UsageInvalid, message).hint(hint).into()
    }

    /// Makes an error of a file that a surface could not read.
    pub fn reading(path: &str, source: std::io::Error) -> Self {
        Self::Reading { path: path.to_owned(), source }
    }

    /// Makes an error of a file that a surface could not write.
    pub fn writing(path: &str, source: std::io::Error) -> Self {
        Self::Writing { path: path.to_owned(), source }
    }

    /// Returns the wire form.
    pub fn envelope(&self) -> ErrorEnvelope {
        let suppressed = self.refusal().map(|refusal| refusal.suppressed.clone());
        let inventory = self.refusal().map(|refusal| refusal.inventory.clone());
        ErrorEnvelope {
            ok: false,
            error: self.report(),
            findings: self.findings(),
            suppressed: suppressed.unwrap_or_default(),
            inventory: inventory.unwrap_or_default(),
            inventory_change: self.refusal().and_then(|refusal| refusal.inventory_change.clone()),
        }
    }

    /// Returns the wire form of the error alone, with the causes of what stopped an update.
    pub fn report(&self) -> ErrorReport {
        let own = ErrorReport::of(self);
        match self {
            Self::Stays { error, .. } => ErrorReport { causes: error.report().causes, ..own },
            _ => own,
        }
    }

    /// Returns the error of a lower layer that this one passes on.
    fn passed_on(&self) -> Option<&dyn Coded> {
        Some(match self {
            Self::Store(error) => error,
            Self::Depot(error) => error,
            Self::Source(error) => error,
            Self::SourceRefused(error) => error,
            Self::Package(error) => error,
            Self::Id(error) => error,
            Self::Fetch(error) => error,
            Self::Refusal(refusal) => refusal.as_ref(),
            Self::Stays { error, .. } => error.as_ref(),
            Self::Reading { .. } | Self::Writing { .. } => return None,
        })
    }
}

impl Coded for Refusal {
    fn code(&self) -> Code {
        self.code
    }

    fn hint(&self) -> Option<String> {
        self.hint.clone().or_else(|| self.code.remedy().map(str::to_owned))
    }
}

impl Coded for LifecycleError {
    fn code(&self) -> Code {
        let own = match self {
            Self::Writing { .. } => Code::FileUnwritable,
            _ => Code::FileUnreadable,
        };
        let code = self.passed_on().map_or(own, Coded::code);
        match self {
            // The capability is there; what is not is where it came from.
            Self::Stays { .. } if code.kind() == ErrorKind::NotFound => Code::SourceGone,
            _ => code,
        }
    }

    fn hint(&self) -> Option<String> {
        if self.code() == Code::SourceGone {
            return self.code().remedy().map(str::to_owned);
        }
        match self.passed_on() {
            Some(error) => error.hint(),
            None => self.code().remedy().map(str::to_owned),
        }
    }
}
