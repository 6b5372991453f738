//! Findings that a person accepted: what of them counts in a report, and what may be accepted.
//!
//! A scan is kept as the scanner made it, and what was accepted is taken off whenever it is read:
//! so a yes that ends or is taken back needs nothing to be written, and nothing that is kept says
//! `pass` longer than the yes lasts.

use kitbag_scanner::{Family, Layer, MatchKey, Options as ScanOptions, RuleSet, redact};
use kitbag_store::{AcceptedRow, Change};
use kitbag_types::{
    AcceptedFinding, AcceptedResult, AcceptedState, Action, CapabilityRecord, Code, Digest,
    Finding, HistoryEvent, MutationResult, OperationId, PlanStep, Principal, ScanReport, Severity,
    Suppressed, Suppression, Timestamp, UnacceptResult, Verdict, printable,
};

use crate::inspection::Inspected;
use crate::request::{Acceptance, ChangeRequest, Scope, UnacceptRequest};
use crate::service::{CapabilityLifecycleService, PackageState, authorise};
use crate::{LifecycleError, Mode, Refusal};

/// The reasons for which the value of a credential may stay where it is. Any other would be a way to
/// publish one that works.
const SECRET_REASONS: [&str; 2] = ["revoked", "test-value"];

/// Which reasons a rule lets a person give.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum May {
    /// Any: it is a sign, and a person who looked knows better.
    Any,
    /// Only these words.
    Words([&'static str; 2]),
    /// None: it is a fact, or a rule that is not known.
    Never,
}

impl May {
    fn of(rules: &RuleSet, rule: &str) -> Self {
        match rules.get(rule) {
            Some(info) if info.family() == Family::Secret => Self::Words(SECRET_REASONS),
            Some(info) if info.layer() == Layer::Indicator => Self::Any,
            _ => Self::Never,
        }
    }

    fn allows(self, reason: &str) -> bool {
        match self {
            Self::Any => true,
            Self::Words(words) => words.contains(&reason),
            Self::Never => false,
        }
    }
}

/// Takes what was accepted out of the findings that count, and the verdict with it.
///
/// A yes counts only where its rule still lets a person say it: a rule that became one about facts
/// since, or a row that somebody wrote by hand, changes nothing.
fn counted(
    raw: &ScanReport,
    package: &Digest,
    accepted: &[Suppression],
    rules: &RuleSet,
    now: Timestamp,
) -> ScanReport {
    let mut report = ScanReport { findings: Vec::new(), suppressed: Vec::new(), ..raw.clone() };
    for finding in &raw.findings {
        let counts = |yes: &&Suppression| {
            yes.covers(finding, package, now) && May::of(rules, &yes.rule).allows(&yes.reason)
        };
        match accepted.iter().find(counts) {
            Some(yes) => {
                report.suppressed.push(Suppressed { finding: finding.clone(), by: yes.clone() });
            }
            None => report.findings.push(finding.clone()),
        }
    }
    // What could not be scanned is not made good by what was seen of it.
    if raw.verdict != Verdict::Failed {
        report.verdict = Verdict::of(&report.findings);
    }
    report
}

impl CapabilityLifecycleService {
    /// Returns how this root scans: with its match key, once it has one.
    pub(crate) fn scan_options(&self) -> Result<ScanOptions, LifecycleError> {
        Ok(match self.registry.match_key()? {
            Some(key) => ScanOptions::default().with_key(MatchKey::from_bytes(*key.bytes())),
            None => ScanOptions::default(),
        })
    }

    /// Makes the match key of a root that has none, so that a refusal can name hashes to accept by.
    /// A root that cannot be written is refused all the same, without them.
    pub(crate) fn make_key(&self) {
        if let Err(error) = self.registry.write(self.options.patience) {
            tracing::debug!(%error, "no match key could be made");
        }
    }

    /// Returns a report as it counts now, by everything that was accepted and not taken back.
    pub(crate) fn counted(
        &self,
        raw: &ScanReport,
        package: &Digest,
    ) -> Result<ScanReport, LifecycleError> {
        let accepted = self.standing()?;
        if accepted.is_empty() {
            return Ok(raw.clone());
        }
        Ok(counted(raw, package, &accepted, self.rules()?, self.clock.now()))
    }

    /// Returns what was accepted and not taken back, also what has ended.
    fn standing(&self) -> Result<Vec<Suppression>, LifecycleError> {
        let rows = self.registry.suppressions()?.into_iter();
        Ok(rows.filter(|row| row.withdrawn_at.is_none()).map(|row| row.suppression).collect())
    }

    /// Adds what is accepted now to what counts in a package that was inspected. It is written with
    /// the mutation, or not at all.
    pub(crate) fn accept_now(
        &self,
        inspected: &mut Inspected<'_>,
        principal: &Principal,
        accept: &[Acceptance],
    ) -> Result<(), LifecycleError> {
        check_acceptor(principal, accept)?;
        if accept.is_empty() {
            return Ok(());
        }
        let now = self.clock.now();
        let digest = inspected.staged.digest;
        for acceptance in accept {
            for yes in self.yeses(&inspected.report, digest, principal, acceptance, now)? {
                if !inspected.accepted.contains(&yes) {
                    inspected.accepted.push(yes);
                }
            }
        }
        // What is said now before what was said once, so that the newest reason is shown.
        let mut all = inspected.accepted.clone();
        all.extend(self.standing()?);
        inspected.counted = counted(&inspected.report, &digest, &all, self.rules()?, now);
        Ok(())
    }

    /// Checks one acceptance and returns what it means for these findings: one yes for each file
    /// that the match is in.
    fn yeses(
        &self,
        raw: &ScanReport,
        digest: Digest,
        principal: &Principal,
        acceptance: &Acceptance,
        now: Timestamp,
    ) -> Result<Vec<Suppression>, LifecycleError> {
        check_terms(acceptance, now)?;
        let hash = &acceptance.hash;
        let found: Vec<&Finding> = found(raw, acceptance).collect();
        if found.is_empty() {
            let message = format!("no finding of this package has the match hash `{hash}`");
            return Err(Refusal::new(Code::AcceptNoSuchFinding, message).into());
        }
        let mut yeses: Vec<Suppression> = Vec::new();
        for finding in found {
            check_rule(May::of(self.rules()?, &finding.rule), finding, acceptance)?;
            yeses.push(Suppression {
                rule: finding.rule.clone(),
                file: finding.file.clone(),
                match_hash: hash.clone(),
                package: (acceptance.scope == Scope::ThisPackage).then_some(digest),
                reason: acceptance.reason.clone(),
                accepted_by: principal.to_string(),
                accepted_at: now,
                expires_at: acceptance.expires,
            });
        }
        Ok(yeses)
    }

    /// Refuses a mutation whose yes was taken back since it was planned. The caller holds the lock.
    pub(crate) fn check_still_accepted(
        &self,
        relied_on: &[Suppression],
    ) -> Result<(), LifecycleError> {
        if relied_on.is_empty() {
            return Ok(());
        }
        let standing = self.standing()?;
        match relied_on.iter().find(|yes| !standing.contains(yes)) {
            None => Ok(()),
            Some(yes) => {
                let message = format!("the yes to {} was taken back meanwhile", described(yes));
                Err(Refusal::new(Code::MutationConflict, message).into())
            }
        }
    }

    /// Says at each finding that asks for a person how it is accepted, where it can be.
    ///
    /// # Errors
    /// Those of [`rules`](Self::rules).
    pub(crate) fn with_ways_out(&self, report: &mut ScanReport) -> Result<(), LifecycleError> {
        let rules = self.rules()?;
        for finding in &mut report.findings {
            if finding.severity >= Severity::Medium
                && let Some(way) = way_out(May::of(rules, &finding.rule), finding)
            {
                finding.remedy = Some(match &finding.remedy {
                    Some(remedy) => format!("{remedy}; or {way}"),
                    None => way,
                });
            }
        }
        Ok(())
    }

    /// Says that the bytes in place are the ones asked for, once what is accepted is recorded.
    pub(crate) fn same_bytes(
        &self,
        action: Action,
        request: &ChangeRequest,
        record: CapabilityRecord,
        state: &PackageState,
        inspected: Inspected<'_>,
    ) -> Result<MutationResult, LifecycleError> {
        let accepts = !inspected.accepted.is_empty() && request.mode == Mode::Apply;
        if accepts {
            self.accept_in_place(&request.principal, &record, &inspected)?;
        }
        let result = self.unchanged(action, record, state, Some(inspected.counted));
        Ok(MutationResult { changed: accepts, ..result })
    }

    /// Records what is accepted for bytes that are in place already.
    fn accept_in_place(
        &self,
        principal: &Principal,
        record: &CapabilityRecord,
        inspected: &Inspected<'_>,
    ) -> Result<(), LifecycleError> {
        let digest = inspected.staged.digest;
        let mut writer = self.registry.write(self.options.patience)?;
        self.recover(&mut *writer)?;
        if self.state(record)?.actual != Some(digest) {
            let message = format!("the package of `{}` changed meanwhile", record.id);
            return Err(Refusal::new(Code::MutationConflict, message).into());
        }
        Ok(writer.apply(&inspected.more(principal, record))?)
    }

    /// Lists every finding that a person accepted in this root, oldest first, also what does not
    /// count any more.
    ///
    /// # Errors
    /// `store/…` if the database cannot be read.
    pub fn accepted(&self) -> Result<AcceptedResult, LifecycleError> {
        let now = self.clock.now();
        let rows = self.registry.suppressions()?.into_iter();
        let accepted = rows.map(|row| listed(row, now)).collect();
        Ok(AcceptedResult { ok: true, action: Action::Accepted, accepted })
    }

    /// Takes back what a person accepted: the finding counts again wherever it is seen next. The
    /// row and its history stay.
    ///
    /// # Errors
    /// `accept/unknown-number` if nothing has this number.
    pub fn unaccept(&self, request: &UnacceptRequest) -> Result<UnacceptResult, LifecycleError> {
        authorise(&request.principal)?;
        let now = self.clock.now();
        let rows = self.registry.suppressions()?;
        let Some(mut row) = rows.into_iter().find(|row| row.number == request.number) else {
            let message = format!("no finding was accepted under number {}", request.number);
            return Err(Refusal::new(Code::AcceptUnknown, message).into());
        };
        let due = row.withdrawn_at.is_none();
        let changed = due && request.mode == Mode::Apply;
        if changed {
            let by = request.principal.to_string();
            let event = self.withdrawal(&request.principal, &row, now)?;
            let mut writer = self.registry.write(self.options.patience)?;
            self.recover(&mut *writer)?;
            let number = row.number;
            writer.apply(&[
                Change::Withdraw { number, at: now, by: by.clone() },
                Change::Record(event),
            ])?;
            row.withdrawn_at = Some(now);
            row.withdrawn_by = Some(by);
        }
        let accepted = listed(row, now);
        Ok(UnacceptResult { ok: true, action: Action::Unaccept, accepted, changed })
    }

    /// The entry of the history that goes with a withdrawal, about what the yes was given for.
    fn withdrawal(
        &self,
        principal: &Principal,
        row: &AcceptedRow,
        at: Timestamp,
    ) -> Result<HistoryEvent, LifecycleError> {
        let said = note(&row.suppression);
        let history = self.registry.history(None)?;
        let given = history.into_iter().rev().map(|entry| entry.event).find(|event| {
            event.action == Action::Accept && event.note.as_deref() == Some(said.as_str())
        });
        let (kind, id) = given.map(|event| (event.kind, event.id)).unwrap_or_default();
        Ok(HistoryEvent {
            at,
            principal: principal.clone(),
            action: Action::Unaccept,
            enabled: match self.registry.find(&id)? {
                Some(kitbag_store::StoredRecord::Sound(record)) => record.enabled,
                _ => false,
            },
            kind,
            id,
            operation: self.clock.operation().to_string(),
            before: row.suppression.package,
            after: row.suppression.package,
            note: Some(format!("number {}: {said}", row.number)),
        })
    }
}

impl Inspected<'_> {
    /// Returns what was accepted before and takes a finding off now.
    pub(crate) fn relied_on(&self) -> Vec<Suppression> {
        let mut relied_on: Vec<Suppression> = Vec::new();
        for Suppressed { by, .. } in &self.counted.suppressed {
            if !self.accepted.contains(by) && !relied_on.contains(by) {
                relied_on.push(by.clone());
            }
        }
        relied_on
    }

    /// Returns what is written beside a record and its package: the scan, as it was made, and what
    /// is accepted now.
    pub(crate) fn more(&self, principal: &Principal, record: &CapabilityRecord) -> Vec<Change> {
        let digest = self.staged.digest;
        let report = Box::new(self.report.clone());
        let mut more = vec![Change::SetScan { digest, kind: record.kind, report }];
        more.extend(accepting(&self.accepted, principal, record, self.operation, digest));
        more
    }
}

/// Only a person accepts a finding, whatever else an agent was allowed.
pub(crate) fn check_acceptor(
    principal: &Principal,
    accept: &[Acceptance],
) -> Result<(), LifecycleError> {
    match principal {
        Principal::Agent { agent, .. } if !accept.is_empty() => {
            let message = format!("`{}` may not accept findings", printable(agent));
            Err(Refusal::new(Code::AcceptAgent, message).into())
        }
        _ => Ok(()),
    }
}

/// A match is one package's: where several are asked for, which one is meant cannot be told.
pub(crate) fn check_single(accept: &[Acceptance]) -> Result<(), LifecycleError> {
    if accept.is_empty() {
        return Ok(());
    }
    let message = "findings can be accepted for one capability at a time";
    Err(Refusal::new(Code::UsageInvalid, message).hint("name one capability").into())
}

/// Returns the findings that an acceptance means.
pub(crate) fn found<'r>(
    raw: &'r ScanReport,
    acceptance: &Acceptance,
) -> impl Iterator<Item = &'r Finding> {
    raw.findings.iter().filter(|finding| finding.match_hash.as_ref() == Some(&acceptance.hash))
}

/// Checks what does not depend on the finding.
pub(crate) fn check_terms(acceptance: &Acceptance, now: Timestamp) -> Result<(), LifecycleError> {
    let reason = &acceptance.reason;
    let limit = Suppression::MAX_REASON_CHARS;
    let chars = reason.chars().count();
    let refuse = |message: String| Err(Refusal::new(Code::AcceptReason, message).into());
    if reason.trim().is_empty() {
        return refuse("a finding is accepted for a reason, and none was given".to_owned());
    }
    if chars > limit {
        return refuse(format!("the reason has {chars} characters, and {limit} are allowed"));
    }
    // It is shown in every list and history: what would be escaped there is not part of a reason.
    if printable(reason).to_string() != *reason {
        return refuse("the reason holds a character that cannot be shown".to_owned());
    }
    if redact(reason) != *reason {
        return refuse("the reason holds the value of a credential, and would be kept".to_owned());
    }
    match acceptance.expires {
        Some(end) if end <= now => {
            let message = format!("it would have ended at {end}, and now it is {now}");
            Err(Refusal::new(Code::AcceptExpired, message).into())
        }
        _ => Ok(()),
    }
}

fn check_rule(may: May, finding: &Finding, acceptance: &Acceptance) -> Result<(), LifecycleError> {
    if may.allows(&acceptance.reason) {
        return Ok(());
    }
    let message = match may {
        May::Words(words) => format!(
            "`{}` is accepted for one of two reasons alone: {}",
            finding.rule,
            words.map(|word| format!("`{word}`")).join(" or ")
        ),
        _ => format!("`{}` is a fact about the package, and is not accepted", finding.rule),
    };
    Err(Refusal::new(Code::AcceptContract, message).into())
}

fn way_out(may: May, finding: &Finding) -> Option<String> {
    let reason = match may {
        May::Never => return None,
        May::Any => "--reason TEXT`".to_owned(),
        May::Words(words) => {
            format!("--reason {}`, where that is so", words.join("|"))
        }
    };
    Some(match &finding.match_hash {
        Some(hash) => format!("accept it with `--accept {hash} {reason}"),
        None => "accept it by the hash that `kitbag add` shows".to_owned(),
    })
}

/// Returns the steps of a plan that accept findings.
pub(crate) fn steps(accepted: &[Suppression]) -> impl Iterator<Item = PlanStep> {
    accepted.iter().map(|yes| PlanStep::Accept { suppression: Box::new(yes.clone()) })
}

/// Returns what is written where findings are accepted: each yes, and its entry of the history.
fn accepting(
    accepted: &[Suppression],
    principal: &Principal,
    record: &CapabilityRecord,
    operation: OperationId,
    digest: Digest,
) -> Vec<Change> {
    let entry = |yes: &Suppression| HistoryEvent {
        at: yes.accepted_at,
        principal: principal.clone(),
        action: Action::Accept,
        kind: record.kind.as_str().to_owned(),
        id: record.id.as_str().to_owned(),
        operation: operation.to_string(),
        before: None,
        after: Some(digest),
        enabled: record.enabled,
        note: Some(note(yes)),
    };
    accepted
        .iter()
        .flat_map(|yes| [Change::Accept(Box::new(yes.clone())), Change::Record(entry(yes))])
        .collect()
}

/// What the history says of a yes: all of it, so that the chain covers it.
fn note(yes: &Suppression) -> String {
    let scope = match yes.package {
        Some(_) => "for this package",
        None => "for any version",
    };
    let until = yes.expires_at.map_or_else(String::new, |end| format!(" until {end}"));
    format!("{}, match {}, {scope}{until}: {}", described(yes), yes.match_hash, yes.reason)
}

fn described(yes: &Suppression) -> String {
    match &yes.file {
        Some(file) => format!("`{}` in `{}`", yes.rule, printable(file)),
        None => format!("`{}`", yes.rule),
    }
}

fn listed(row: AcceptedRow, now: Timestamp) -> AcceptedFinding {
    let state = match row.withdrawn_at {
        Some(_) => AcceptedState::Withdrawn,
        None if row.suppression.is_expired(now) => AcceptedState::Expired,
        None => AcceptedState::Active,
    };
    AcceptedFinding {
        number: row.number,
        suppression: row.suppression,
        state,
        withdrawn_at: row.withdrawn_at,
        withdrawn_by: row.withdrawn_by,
    }
}

#[cfg(test)]
mod tests;
