//! Findings that a person accepted.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{Action, Digest, Finding, MatchHash, Timestamp};

/// A person's yes to one finding. It is the approver's, never the package's: nothing that a package
/// holds can make one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Suppression {
    /// The rule, e.g. `code/download-and-run`.
    pub rule: String,
    /// The path inside the package; none for a finding about the package as a whole.
    pub file: Option<String>,
    /// What recognises the match.
    pub match_hash: MatchHash,
    /// The package it holds for; none: any, which is said aloud wherever it counts.
    pub package: Option<Digest>,
    /// Why, in the words of whoever accepted.
    pub reason: String,
    /// Who accepted.
    pub accepted_by: String,
    /// When.
    pub accepted_at: Timestamp,
    /// From when on it does not count any more; none: it counts as long as its package is there.
    pub expires_at: Option<Timestamp>,
}

impl Suppression {
    /// The most characters of a reason: some sentences, and no place to hide a file in.
    pub const MAX_REASON_CHARS: usize = 500;

    /// Tells whether this is a yes to that finding of the package of that digest, at that time. A
    /// finding without a match hash was never accepted by anybody.
    pub fn covers(&self, finding: &Finding, package: &Digest, now: Timestamp) -> bool {
        finding.match_hash.as_ref() == Some(&self.match_hash)
            && self.rule == finding.rule
            && self.file == finding.file
            && self.package.as_ref().is_none_or(|of| of == package)
            && !self.is_expired(now)
    }

    /// Tells whether it has ended.
    pub fn is_expired(&self, now: Timestamp) -> bool {
        self.expires_at.is_some_and(|end| end <= now)
    }
}

/// A finding that does not count, and why.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Suppressed {
    /// What was seen.
    pub finding: Finding,
    /// Why it does not count.
    pub by: Suppression,
}

/// Whether a yes counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum AcceptedState {
    /// It counts.
    Active,
    /// Its time is over.
    Expired,
    /// Somebody took it back.
    Withdrawn,
}

impl AcceptedState {
    /// Returns the word.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Active => "active",
            Self::Expired => "expired",
            Self::Withdrawn => "withdrawn",
        }
    }
}

/// A yes as it is kept: none is ever deleted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct AcceptedFinding {
    /// The number that `unaccept` takes.
    pub number: u64,
    /// What was accepted.
    pub suppression: Suppression,
    /// Whether it counts.
    pub state: AcceptedState,
    /// When it was taken back, where it was.
    pub withdrawn_at: Option<Timestamp>,
    /// Who took it back, where somebody did.
    pub withdrawn_by: Option<String>,
}

/// Every finding that a person accepted in a root.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct AcceptedResult {
    /// Always true: what went wrong is an [`ErrorReport`](crate::ErrorReport).
    pub ok: bool,
    /// Always `accepted`.
    pub action: Action,
    /// One item a yes, oldest first.
    pub accepted: Vec<AcceptedFinding>,
}

/// What taking back a yes did, or would do.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct UnacceptResult {
    /// Always true: what went wrong is an [`ErrorReport`](crate::ErrorReport).
    pub ok: bool,
    /// Always `unaccept`.
    pub action: Action,
    /// The yes, as it is afterwards.
    pub accepted: AcceptedFinding,
    /// Whether anything is different now.
    pub changed: bool,
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::Suppression;
    use crate::{Digest, Finding, MatchHash, Severity, Timestamp};

    fn hash(byte: u8) -> MatchHash {
        MatchHash::of_mac(&[byte; 32])
    }

    fn digest(byte: u8) -> Digest {
        Digest::of_bytes(&[byte])
    }

    fn yes(expires: Option<i64>, package: Option<u8>) -> Suppression {
        Suppression {
            rule: "code/a".to_owned(),
            file: Some("a.sh".to_owned()),
            match_hash: hash(1),
            package: package.map(digest),
            reason: "read it".to_owned(),
            accepted_by: "cli:ada".to_owned(),
            accepted_at: Timestamp::from_millis(0),
            expires_at: expires.map(Timestamp::from_millis),
        }
    }

    fn finding(rule: &str, file: Option<&str>, match_hash: Option<MatchHash>) -> Finding {
        Finding {
            rule: rule.to_owned(),
            severity: Severity::High,
            message: "m".to_owned(),
            file: file.map(str::to_owned),
            line: None,
            column: None,
            remedy: None,
            evidence: None,
            match_hash,
        }
    }

    #[test]
    fn it_ends_with_the_millisecond_of_its_end() {
        let finding = finding("code/a", Some("a.sh"), Some(hash(1)));
        let covers =
            |now| yes(Some(10), None).covers(&finding, &digest(1), Timestamp::from_millis(now));
        assert!(covers(9));
        assert!(!covers(10));
    }

    proptest! {
        #[test]
        fn it_covers_what_is_the_same_in_every_part_and_nothing_else(
            rule in prop::bool::ANY, file in 0..3_u8, match_hash in 0..3_u8, package in 0..2_u8,
            of in prop::option::of(0..2_u8), expires in prop::option::of(0..4_i64), now in 0..4_i64,
        ) {
            let seen = finding(
                if rule { "code/a" } else { "code/b" },
                [None, Some("a.sh"), Some("b.sh")][usize::from(file)],
                (match_hash > 0).then(|| hash(match_hash)),
            );
            let covers = yes(expires, of).covers(&seen, &digest(package), Timestamp::from_millis(now));
            let expected = rule && file == 1 && match_hash == 1
                && of.is_none_or(|of| of == package)
                && expires.is_none_or(|end| now < end);
            prop_assert_eq!(covers, expected);
        }
    }
}
