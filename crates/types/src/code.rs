//! The one table of error codes. `docs/errors.md` is generated from it.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What sort of failure an error is. One file of the command maps it to the exit code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ErrorKind {
    /// The thing asked about is not so.
    Negative,
    /// The request itself is wrong.
    Usage,
    /// A rule refuses it.
    Refused,
    /// It is not there.
    NotFound,
    /// Disk, lock, database, network.
    Environment,
    /// A bug of ours.
    Internal,
}

impl ErrorKind {
    /// Every kind.
    pub const ALL: [Self; 6] = [
        Self::Negative,
        Self::Usage,
        Self::Refused,
        Self::NotFound,
        Self::Environment,
        Self::Internal,
    ];

    /// Returns the word.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Negative => "negative",
            Self::Usage => "usage",
            Self::Refused => "refused",
            Self::NotFound => "not-found",
            Self::Environment => "environment",
            Self::Internal => "internal",
        }
    }
}

macro_rules! codes {
    ($($variant:ident $code:literal $kind:ident $meaning:literal $remedy:expr;)+) => {
        /// A stable error code. Its text never changes; new ones are added.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum Code {
            $(#[doc = $meaning] $variant,)+
        }

        impl Code {
            /// Every code, in the order of the table.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)+];

            /// Returns the code as it is written, e.g. `registry/id-taken`.
            pub fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $code,)+ }
            }

            /// Returns the kind that decides the exit code.
            pub fn kind(self) -> ErrorKind {
                match self { $(Self::$variant => ErrorKind::$kind,)+ }
            }

            /// Returns what the code means, one lower-case fragment.
            pub fn meaning(self) -> &'static str {
                match self { $(Self::$variant => $meaning,)+ }
            }

            /// Returns what to do in general, where there is one answer.
            pub fn remedy(self) -> Option<&'static str> {
                let remedy: &'static str = match self { $(Self::$variant => $remedy,)+ };
                (!remedy.is_empty()).then_some(remedy)
            }
        }
    };
}

codes! {
    AcceptAgent "accept/agent" Refused "an agent may not accept findings" "ask the person who owns the runtime root to read them";
    AcceptContract "accept/contract" Refused "the finding is a fact that nobody can accept away" "fix what it names; only the value of a credential can be accepted, with `--reason revoked` or `--reason test-value`";
    AcceptExpired "accept/expired" Usage "the time until which a finding would be accepted is over" "give a date that is to come";
    AcceptNoSuchFinding "accept/no-such-finding" Refused "the package has no finding with this match hash" "take the hash from the findings that this root shows for these bytes; every root has hashes of its own";
    AcceptReason "accept/reason" Usage "the reason is empty, too long, or holds what cannot be shown" "say in a sentence why the finding is no danger here";
    AcceptUnknown "accept/unknown-number" NotFound "no finding was accepted under this number" "see the numbers with `kitbag accepted`";
    ApprovalRequired "approval/required" Refused "an agent needs a person's approval for this" "ask the person who owns the runtime root to run the command";
    BaselineInvalid "baseline/invalid" Usage "the file is not a baseline that this program reads" "write one with `kitbag scan --write-baseline FILE`";
    DepotIo "depot/io" Environment "the folder of managed packages could not be read or written" "check the permissions and the free space of the runtime root";
    DepotUnrecoverable "depot/unrecoverable" Environment "an interrupted operation could not be undone" "nothing was deleted; the message names the digests that are expected and where they may lie";
    DepotUntrusted "depot/untrusted" Refused "a folder in which packages are handled belongs to another user or can be written by others" "look at what is in it, then make it yours alone (`chown`, `chmod go-w`) or move it away";
    FileUnreadable "file/unreadable" Environment "a file could not be read" "";
    FileUnwritable "file/unwritable" Environment "a file could not be written" "";
    HistoryBroken "history/broken" Negative "the chain of the history does not hold" "an entry was changed or deleted outside Kitbag: compare with a backup of the database";
    IdInvalid "id/invalid" Usage "the id breaks the rule for ids" "use 1 to 64 lower-case letters, digits and single hyphens, or give another id with `--id`";
    InternalBug "internal/bug" Internal "Kitbag did something it should not" "please report it with the command and this message";
    KindMismatch "kind/mismatch" Usage "the capability is of another kind" "";
    KindNotBuilt "kind/not-built" Refused "packages of this kind cannot be inspected yet, so they are not accepted" "only skills can be added with this version";
    KindUnknown "kind/unknown" Refused "the folder is not recognised as a package of any kind" "a skill has a `SKILL.md` at its top";
    LockInvalid "lock/invalid" Usage "the file is not a lock file that this program reads" "write one with `kitbag export --lock`";
    LockDiffers "lock/differs" Negative "the root is not what the lock file says" "the differences are named above; `kitbag sync` makes the root equal to it";
    LockUnreachable "lock/unreachable" Refused "the bytes that the lock file names cannot be had" "";
    ManifestInvalid "manifest/invalid" Refused "the manifest cannot be read" "run `kitbag validate` on the folder for line and column";
    MutationConflict "mutation/conflict" Environment "the capability was changed by someone else meanwhile" "run the command again";
    OutdatedFound "outdated/found" Negative "there is something newer" "see it with `kitbag diff ID`, take it with `kitbag update ID`";
    OperationCancelled "operation/cancelled" Environment "it was interrupted, and nothing was changed" "";
    PackageCaseCollision "package/case-collision" Refused "two paths are the same once case is ignored" "rename one of them: on macOS and Windows the second would overwrite the first";
    PackageChanged "package/changed-while-reading" Environment "the package changed while it was read" "run the command again when nothing writes to the folder";
    PackageDevice "package/device" Refused "the package holds a device" "a package holds regular files only: remove it";
    PackageDigestMismatch "package/digest-mismatch" Refused "the bytes do not have the digest they should have" "";
    PackageEmpty "package/empty" Refused "the package holds no file" "";
    PackageFifo "package/fifo" Refused "the package holds a FIFO" "a package holds regular files only: remove it";
    PackageFileTooLarge "package/file-too-large" Refused "a file has more than 64 MiB" "keep large data outside the package and let the instructions name where it lies";
    PackageHardLink "package/hard-link" Refused "a file is hard-linked to a file outside the package" "copy the folder, so that its files are its own";
    PackageInTheWay "package/in-the-way" Refused "a folder that Kitbag did not make lies where the package belongs" "move it away; it was left as it is";
    PackageMissing "package/missing" Refused "the promoted package is not there" "run `kitbag verify --repair`, or remove and add the capability again";
    PackageModified "package/modified" Refused "the promoted package was edited by hand" "see the edits with `kitbag diff ID`; with `--force` they are kept as a version first";
    PackageNameTooLong "package/name-too-long" Refused "a part of the path has more than 255 bytes" "shorten the name";
    PackageNoBaseline "package/no-baseline" Refused "no digest was ever recorded for this package" "run `kitbag verify --baseline ID` to scan it and record its digest";
    PackageNonUtf8 "package/non-utf8-path" Refused "a file name is not UTF-8" "rename the file";
    PackageNotADirectory "package/not-a-directory" NotFound "the path is not a directory" "name the folder that holds the package";
    PackageNotFound "package/not-found" NotFound "there is no such directory" "";
    PackagePathAbsolute "package/path-absolute" Refused "the path is absolute" "paths inside a package are relative";
    PackagePathBackslash "package/path-backslash" Refused "the path holds a backslash" "separate the parts by `/`";
    PackagePathControl "package/path-control" Refused "the path holds a control character" "rename the file";
    PackagePathEmpty "package/path-empty" Refused "the path has an empty part" "";
    PackagePathNotNfc "package/path-not-nfc" Refused "the path is not in Unicode normalisation form C" "rename the file to the composed form";
    PackagePathTooLong "package/path-too-long" Refused "the path has more than 1,024 bytes" "shorten the names or nest less";
    PackagePathTrailing "package/path-trailing" Refused "a part of the path ends with a dot or a space" "rename the file: Windows drops them";
    PackagePathTraversal "package/path-traversal" Refused "the path has a `..` part" "paths inside a package stay inside it";
    PackagePathWindows "package/path-windows" Refused "the name is a device on Windows" "rename the file: `con`, `aux`, `nul` and the like cannot exist there";
    PackageSocket "package/socket" Refused "the package holds a socket" "a package holds regular files only: remove it";
    PackageSymlink "package/symlink" Refused "the package holds a symbolic link" "replace the link by the file it points to";
    PackageTooDeep "package/too-deep" Refused "folders are nested more than 32 deep" "nest less";
    PackageTooLarge "package/too-large" Refused "the package has more than 256 MiB" "keep large data outside the package";
    PackageTooManyFiles "package/too-many-files" Refused "the package has more than 10,000 files" "add the folder of one capability, not a whole tree";
    PackageTooManyFolders "package/too-many-folders" Refused "the package has more than 10,000 folders" "add the folder of one capability, not a whole tree";
    PackageUnreadable "package/unreadable" Environment "a file or folder of the package cannot be read" "check its permissions";
    RecordBadConfig "record/bad-config" Refused "the stored config is not a JSON object" "";
    RecordBadDescription "record/bad-description" Refused "the stored description breaks its rule" "";
    RecordBadEnabled "record/bad-enabled" Refused "the stored enabled flag is not 0 or 1" "";
    RecordBadId "record/bad-id" Refused "the stored id breaks the rule for ids" "";
    RecordBadKind "record/bad-kind" Refused "the stored kind is not a kind" "";
    RecordBadName "record/bad-name" Refused "the stored name breaks its rule" "";
    RecordBadSource "record/bad-source" Refused "the stored source is not a source" "";
    RecordBadSourceRef "record/bad-source-ref" Refused "the stored source reference is not text" "";
    RecordBadText "record/bad-text" Refused "a stored value is not text" "";
    RecordBadTime "record/bad-time" Refused "a stored time is not a time" "";
    RegistryBroken "registry/broken-record" Refused "the stored record breaks a rule, so nothing is done with it" "see `kitbag list`; the row is never rewritten";
    RegistryBuiltin "registry/builtin" Refused "the capability belongs to the host" "it goes with the host's own program";
    RegistryIdTaken "registry/id-taken" Refused "another capability has this id" "run `kitbag update ID` for a newer version, or add it under another id with `--id ALIAS`";
    RegistryLookAlike "registry/look-alike" Refused "the id looks like the id of an installed capability" "make sure that it is the one you mean";
    RegistryNoKept "registry/no-kept-version" NotFound "there is no such kept version" "see the kept versions with `kitbag inspect ID`";
    RegistryNoSource "registry/no-source" Refused "the capability has no source that can be read again" "";
    RegistryNotFound "registry/not-found" NotFound "there is no capability with this id" "see what is installed with `kitbag list`";
    RuleUnknown "rule/unknown" NotFound "the scanner has no rule of this name" "the rules are listed in docs/scanner.md";
    SandboxCrashed "sandbox/crashed" Refused "the locked-down child ended without an answer" "what it read nests too deeply, or there is a bug in the parser; please report it if the input is ordinary";
    SandboxForbidden "sandbox/forbidden" Refused "the locked-down child asked the system for what it may not have" "";
    SandboxMemory "sandbox/memory" Refused "the locked-down child wanted more memory than it may have" "";
    SandboxNotStarted "sandbox/not-started" Environment "the locked-down child could not be started" "check that the program is where it was installed and may be run";
    SandboxProtocol "sandbox/protocol" Internal "what the locked-down child sent is not what was agreed" "make sure that the host and the program it starts are of one version";
    SandboxRequestTooLong "sandbox/request-too-long" Refused "the request has more bytes than the locked-down child takes" "";
    SandboxTimeout "sandbox/timeout" Refused "the locked-down child gave no answer within the limit of time" "";
    SandboxUnavailable "sandbox/unavailable" Environment "this system lacks a lock that the locked-down child needs" "use Linux 5.13 or newer with Landlock enabled; `kitbag doctor` says which locks hold";
    ScanBlocked "scan/blocked" Refused "the scanner found something that may not be promoted" "fix what the findings name, then try again";
    ScanFailed "scan/failed" Refused "the package could not be scanned, which is not to say that it is unsafe" "";
    ScanReviewNeeded "scan/review-needed" Refused "the scanner found something that a person should look at" "read the findings; if they are acceptable, repeat with `--accept-review`";
    SettingsEscape "settings/escape" Usage "a relative path leaves the runtime root" "give an absolute path, or one below the root without `..` or links";
    SettingsNoRoot "settings/no-root" Usage "no runtime root could be found" "name one with `--root`";
    SettingsRootUnusable "settings/root-unusable" Environment "the runtime root cannot be used" "check that it is a folder you may write";
    SettingsRules "settings/rules" Usage "the file of the root's own rules for the scanner cannot be used, so nothing is judged" "correct it, or move it away; the form is in docs/scanner.md";
    SourceAccessDenied "source/access-denied" Refused "the repository may not be read" "a private one is read with what the ssh agent or the git credential helper has";
    SourceBroken "source/broken" Environment "the repository sent something that is not what git sends" "run the command again; if it stays so, the server is at fault";
    SourceCommitMissing "source/commit-missing" NotFound "the repository does not have the commit" "";
    SourceChooseOne "source/choose-one" Usage "the source offers more than one capability" "name one with `--skill NAME`, or take all with `--all`";
    SourceControlCharacter "source/control-character" Refused "the source holds a control character" "";
    SourceCredentials "source/credentials-in-url" Refused "the source holds a user name or a credential" "write the URL without it: the ssh agent or the git credential helper is asked";
    SourceEmpty "source/empty" Usage "the source is empty" "name a folder, or a GitHub repository as `OWNER/REPO`";
    SourceGone "source/gone" Refused "the source of an installed capability is not there any more" "put it back, or remove the capability and add it from where it is now";
    SourceHost "source/host-not-allowed" Refused "only repositories on github.com can be fetched" "clone it and add the folder";
    SourceKind "source/kind-not-allowed" Refused "only `github` and `local` sources can be requested" "";
    SourceMalformed "source/malformed" Refused "the source is not understood" "name a folder as `./PATH`, or a GitHub repository as `OWNER/REPO`";
    SourceNoCandidate "source/no-candidate" NotFound "the source holds no capability" "a skill is a folder with a `SKILL.md`";
    SourceNotFound "source/not-found" NotFound "the source does not exist" "a local source is a path that exists: write `./NAME` for a folder in this one";
    SourceOption "source/option-look-alike" Refused "a part of the source looks like an option of git" "";
    SourceOutside "source/outside-workspace" Refused "an agent's local source must lie in the workspace" "copy it there and name it relative to the workspace";
    SourcePickUnknown "source/pick-unknown" NotFound "the source does not offer a capability of this name" "";
    SourcePort "source/port-not-allowed" Refused "the source names a port" "";
    SourceRedirected "source/redirected" Refused "the server sends the request to another host" "name the repository by where it is now";
    SourceRefUnknown "source/ref-unknown" NotFound "the repository has no such branch, tag or commit" "name a branch, a tag, or a whole commit id of 40 digits";
    SourceRepository "source/repository-missing" Refused "the source names no repository" "write it as `OWNER/REPO`";
    SourceRepositoryUnknown "source/repository-unknown" NotFound "there is no such repository, or it is private" "check the spelling; a private one is read with what the ssh agent or the git credential helper has";
    SourceScheme "source/scheme-not-allowed" Refused "the source's scheme is not allowed" "use `https://github.com/OWNER/REPO`, or a path";
    SourceTraversal "source/path-traversal" Refused "the source's path has a `..` part" "";
    SourceSubpathMissing "source/subpath-missing" NotFound "the commit has no such folder" "";
    SourceTagMoved "source/tag-moved" Refused "the tag names another commit than when it was added" "a tag that moves is no version: find out why, then remove the capability and add it again";
    SourceTooLarge "source/too-large" Refused "the repository is larger than what is fetched" "";
    SourceTooManyFolders "source/too-many-folders" Refused "the source has too many folders to look through" "name the folder of the capability";
    SourceUnreadable "source/unreadable" Environment "a folder of the source cannot be read" "check its permissions";
    SourceUnreachable "source/unreachable" Environment "the repository could not be reached" "check the network and the address, then run the command again";
    StoreDamaged "store/damaged" Environment "the registry database is damaged, and was left as it is" "restore it from a backup, or move it away to start anew";
    StoreForeign "store/foreign" Environment "the file is not a registry database of Kitbag or SIM-ONE, and was left as it is" "name another root with `--root`";
    StoreIo "store/io" Environment "the registry database could not be read or written" "check the permissions and the free space of the runtime root";
    StoreLocked "store/locked" Environment "another process is changing the registry" "wait for it to finish, then run the command again";
    StoreNewer "store/newer" Environment "the registry database was written by a newer Kitbag, and was left as it is" "update Kitbag";
    StoreReadOnly "store/read-only" Environment "the registry database cannot be written" "check the permissions of the runtime root";
    UsageInvalid "usage/invalid" Usage "the command line is not understood" "see `kitbag --help`";
    VerifyFailed "verify/failed" Negative "not every promoted package is as recorded" "edits and losses are named above; `--repair` restores missing files";
    ValidateFailed "validate/failed" Negative "not every package is valid" "";
    ScanFindings "scan/findings" Negative "there are findings at or over the level to fail on" "";
    DoctorProblems "doctor/problems" Negative "something needs attention" "";
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::Code;

    #[test]
    fn codes_are_unique_and_well_formed() {
        let mut seen = HashSet::new();
        for code in Code::ALL {
            let text = code.as_str();
            assert!(seen.insert(text), "{text} stands twice");
            let (family, name) = text.split_once('/').expect(text);
            for part in [family, name] {
                assert!(
                    !part.is_empty()
                        && part
                            .chars()
                            .all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-'),
                    "{text}"
                );
            }
            assert!(!code.meaning().ends_with('.'), "{text}: a fragment has no full stop");
        }
    }
}
