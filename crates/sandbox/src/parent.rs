//! The host's side: start a child, ask, take the answer.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use kitbag_types::Watch;
use rustix::process::Signal;

use crate::error::{BrokenProtocol, Death, SandboxError};
use crate::frame::{self, Incoming, MAX_FRAME};
use crate::hello::{MAX_HELLO, Report, cpu_seconds, limits_to_bytes};
use crate::host::{Host, Stop};
use crate::limits::Limits;
use crate::lockdown::Lockdown;

/// How a program is started as a locked-down child. Nothing runs until [`Sandbox::run`].
///
/// It may be used from many threads at once; each run has a child of its own.
#[derive(Clone, Debug)]
pub struct Sandbox {
    program: PathBuf,
    arguments: Vec<OsString>,
    limits: Limits,
}

impl Sandbox {
    /// Names the program, usually the one that runs, and the arguments that make it call
    /// [`crate::serve`]. The path is absolute: a child starts in `/` and has no search path.
    pub fn new(
        program: impl Into<PathBuf>,
        arguments: impl IntoIterator<Item = impl Into<OsString>>,
        limits: Limits,
    ) -> Self {
        let arguments = arguments.into_iter().map(Into::into).collect();
        Self { program: program.into(), arguments, limits }
    }

    /// Starts a child, sends the request and returns the answer. No process is left behind.
    ///
    /// The answer is what foreign code made of the request: it is not to be trusted. `watch` is
    /// asked some fifty times a second whether to go on.
    ///
    /// # Errors
    ///
    /// Each [`SandboxError`] can come of it.
    pub fn run(&self, request: &[u8], watch: &dyn Watch) -> Result<Vec<u8>, SandboxError> {
        if request.len() > MAX_FRAME {
            return Err(SandboxError::RequestTooLong { length: request.len() });
        }
        let (_, answer) = self.converse(Some(request), watch)?;
        Ok(answer)
    }

    /// Starts a child that locks itself down and ends, and returns what held it.
    ///
    /// # Errors
    ///
    /// As [`Sandbox::run`].
    pub fn probe(&self, watch: &dyn Watch) -> Result<Lockdown, SandboxError> {
        let (lockdown, _) = self.converse(None, watch)?;
        Ok(lockdown)
    }

    fn converse(
        &self,
        request: Option<&[u8]>,
        watch: &dyn Watch,
    ) -> Result<(Lockdown, Vec<u8>), SandboxError> {
        let deadline = Instant::now().checked_add(self.limits.wall);
        let mut outgoing = Vec::new();
        frame::append(&mut outgoing, &limits_to_bytes(&self.limits), MAX_HELLO);
        // It is in the pipe before the child is locked; the child reads it afterwards.
        if let Some(request) = request {
            frame::append(&mut outgoing, request, MAX_FRAME);
        }
        let mut inbox = Inbox::new(&self.limits, request.is_some());
        let start = |source| SandboxError::Start { program: self.program.clone(), source };
        let mut host = Host::start(&self.program, &self.arguments).map_err(start)?;
        let stop = host.exchange(&outgoing, deadline, watch, |piece| inbox.take(piece));
        match stop.map_err(start)? {
            Stop::Cancelled => Err(SandboxError::Cancelled),
            Stop::Late => Err(SandboxError::Timeout { limit: self.limits.wall }),
            Stop::Refused(error) => Err(error),
            Stop::Ended => inbox.end().map_err(|broken| self.why(broken, host)),
        }
    }

    /// Says why a child ended before its answer did.
    fn why(&self, broken: Option<BrokenProtocol>, host: Host) -> SandboxError {
        let (death, said) = host.end();
        match death {
            Death::Signal(signal) if signal == Signal::XCPU.as_raw() => {
                SandboxError::Timeout { limit: Duration::from_secs(cpu_seconds(&self.limits)) }
            }
            Death::Signal(signal) if signal == Signal::SYS.as_raw() => {
                SandboxError::Forbidden { said }
            }
            // The words of Rust's own allocation error. Who forges them gains nothing.
            Death::Signal(signal)
                if signal == Signal::ABORT.as_raw() && said.contains("memory allocation of ") =>
            {
                SandboxError::Memory { limit: self.limits.memory }
            }
            // Its death says more than the half of a frame that it left.
            Death::Signal(_) => SandboxError::Crashed { death, said },
            Death::Exit(_) | Death::Silent => match broken {
                Some(broken) => SandboxError::Protocol(broken),
                None => SandboxError::Crashed { death, said },
            },
        }
    }
}

/// What comes from the child: first what was locked, then the answer, then nothing.
struct Inbox<'a> {
    limits: &'a Limits,
    report: Incoming,
    lockdown: Option<Lockdown>,
    answer: Option<Incoming>,
}

impl<'a> Inbox<'a> {
    fn new(limits: &'a Limits, is_answer_expected: bool) -> Self {
        let most = limits.answer.min(MAX_FRAME);
        Self {
            limits,
            report: Incoming::new(MAX_HELLO),
            lockdown: None,
            answer: is_answer_expected.then(|| Incoming::new(most)),
        }
    }

    fn take(&mut self, mut piece: &[u8]) -> Result<(), SandboxError> {
        let protocol = |broken| Err(SandboxError::Protocol(broken));
        if self.lockdown.is_none() {
            if self.report.take(&mut piece).is_err() {
                return protocol(BrokenProtocol::NoReport);
            }
            if self.report.is_complete() {
                self.lockdown = Some(self.judge()?);
            }
        }
        if let Some(answer) = &mut self.answer
            && let Err(length) = answer.take(&mut piece)
        {
            let most = self.limits.answer.min(MAX_FRAME);
            return protocol(BrokenProtocol::TooLong { length, most });
        }
        if piece.is_empty() { Ok(()) } else { protocol(BrokenProtocol::Trailing) }
    }

    fn judge(&self) -> Result<Lockdown, SandboxError> {
        match Report::from_bytes(self.report.body()) {
            None => Err(SandboxError::Protocol(BrokenProtocol::NoReport)),
            Some(Report::Lacking(lock, why)) => Err(SandboxError::Unavailable { lock, why }),
            // The child refuses it by itself; that is not relied on.
            Some(Report::Locked(lockdown)) => match lockdown.lacks(self.limits) {
                Some(lock) => {
                    Err(SandboxError::Unavailable { lock, why: "it was not reported".to_owned() })
                }
                None => Ok(lockdown),
            },
        }
    }

    /// Returns what has come once the stream has ended, or what is wrong with it as far as that
    /// can be told without knowing how the child ended.
    fn end(self) -> Result<(Lockdown, Vec<u8>), Option<BrokenProtocol>> {
        let is_whole = self.answer.as_ref().is_none_or(Incoming::is_complete);
        match (self.lockdown, self.answer) {
            (Some(lockdown), answer) if is_whole => {
                Ok((lockdown, answer.map(Incoming::into_body).unwrap_or_default()))
            }
            (None, _) if self.report.is_empty() => Err(None),
            (Some(_), Some(answer)) if answer.is_empty() => Err(None),
            _ => Err(Some(BrokenProtocol::BrokenOff)),
        }
    }
}
