//! What is asked of the service. Each request names who asks.

use std::path::PathBuf;

use kitbag_materializer::Links;
use kitbag_types::{Digest, Kind, MatchHash, Principal, RequestSource, Timestamp};

/// Whether a mutation happens, or is only planned.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mode {
    /// It happens.
    #[default]
    Apply,
    /// Everything is inspected and decided, and nothing changes.
    Plan,
}

/// Whether a capability is enabled by the mutation that brings it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Enable {
    /// It is installed disabled.
    #[default]
    No,
    /// It is enabled at once.
    Yes,
}

/// What to do about findings that a person should look at.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Review {
    /// Refuse, and show them.
    #[default]
    Refuse,
    /// Accept them, whatever they are.
    Accept,
    /// Accept them if the package has this digest: a person's yes to bytes that were shown.
    AcceptDigest(Digest),
}

/// Which packages a yes to a finding is for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Scope {
    /// The bytes that were scanned, and no others.
    #[default]
    ThisPackage,
    /// Any package in which the rule finds the same match in a file of the same name.
    AnyVersion,
}

/// A person's yes to one finding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Acceptance {
    /// The match hash that the finding was shown with.
    pub hash: MatchHash,
    /// Why it is no danger here. For a credential: `revoked` or `test-value`.
    pub reason: String,
    /// From when on it does not count any more.
    pub expires: Option<Timestamp>,
    /// Which packages it is for.
    pub scope: Scope,
}

/// What to do about a package that was edited by hand.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Edits {
    /// Refuse, and name them.
    #[default]
    Refuse,
    /// Keep the edited package as a version first, then go on.
    Keep,
}

/// Which of several capabilities in a source.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Pick {
    /// The one there is; more than one is an error that names them.
    #[default]
    Only,
    /// Those of these names.
    Named(Vec<String>),
    /// All of them, each on its own.
    All,
}

/// Adds what a source offers.
#[derive(Clone, Debug)]
pub struct AddRequest {
    /// Who asks.
    pub principal: Principal,
    /// The source as it was written.
    pub source: String,
    /// The source's sort; none on a command line, where the text decides.
    pub request: Option<RequestSource>,
    /// The folder that a person's relative path starts from.
    pub current_dir: PathBuf,
    /// Which of several.
    pub pick: Pick,
    /// The kind, where the folder does not tell.
    pub kind: Option<Kind>,
    /// The id to record it under, instead of its own name.
    pub id: Option<String>,
    /// The name people see, instead of its own.
    pub name: Option<String>,
    /// What it does, instead of its own description.
    pub description: Option<String>,
    /// What to do about links in a commit. Those of a folder are always refused.
    pub links: Links,
    /// Whether it is enabled at once.
    pub enable: Enable,
    /// What to do about findings.
    pub review: Review,
    /// The findings that are accepted; each must be one of this package.
    pub accept: Vec<Acceptance>,
    /// Whether it happens.
    pub mode: Mode,
}

impl AddRequest {
    /// Makes a request of a person that takes every default.
    pub fn new(
        principal: Principal,
        source: impl Into<String>,
        current_dir: impl Into<PathBuf>,
    ) -> Self {
        Self {
            principal,
            source: source.into(),
            request: None,
            current_dir: current_dir.into(),
            pick: Pick::default(),
            kind: None,
            id: None,
            name: None,
            description: None,
            links: Links::default(),
            enable: Enable::default(),
            review: Review::default(),
            accept: Vec::new(),
            mode: Mode::default(),
        }
    }
}

/// Changes one recorded capability: enable, disable, remove, update, revert.
#[derive(Clone, Debug)]
pub struct ChangeRequest {
    /// Who asks.
    pub principal: Principal,
    /// Which capability.
    pub id: String,
    /// What to do about a package that was edited by hand.
    pub edits: Edits,
    /// What to do about findings.
    pub review: Review,
    /// For update and revert: the findings that are accepted; each must be one of this package.
    pub accept: Vec<Acceptance>,
    /// Whether it is enabled afterwards, where it would not be.
    pub enable: Enable,
    /// For update: what to do about links in a commit.
    pub links: Links,
    /// For revert: a digest, the beginning of one, or a version; none for the last version.
    pub to: Option<String>,
    /// Whether it happens.
    pub mode: Mode,
}

impl ChangeRequest {
    /// Makes a request that takes every default.
    pub fn new(principal: Principal, id: impl Into<String>) -> Self {
        Self {
            principal,
            id: id.into(),
            edits: Edits::default(),
            review: Review::default(),
            accept: Vec::new(),
            enable: Enable::default(),
            links: Links::default(),
            to: None,
            mode: Mode::default(),
        }
    }
}

/// Takes back what a person accepted.
#[derive(Clone, Debug)]
pub struct UnacceptRequest {
    /// Who asks.
    pub principal: Principal,
    /// The number that [`accepted`](crate::CapabilityLifecycleService::accepted) lists it by.
    pub number: u64,
    /// Whether it happens.
    pub mode: Mode,
}

/// What verify does beyond telling.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mend {
    /// Nothing.
    #[default]
    Nothing,
    /// Restores missing files from a kept version or the source, if they have the recorded bytes.
    Repair,
    /// Scans packages without a recorded digest, and records it.
    Baseline,
}

/// Compares what is promoted with what is recorded.
#[derive(Clone, Debug)]
pub struct VerifyRequest {
    /// Who asks.
    pub principal: Principal,
    /// Which capabilities; empty for all.
    pub ids: Vec<String>,
    /// What to do about what is found.
    pub mend: Mend,
    /// What to do about findings, for a baseline.
    pub review: Review,
}
