//! The child's side: lock down, read one request, answer it, end.

use std::io::{self, Read, Write as _};
use std::process::ExitCode;

use crate::frame;
use crate::hello::{MAX_HELLO, Report, limits_from_bytes};
use crate::lock::enter;

/// How a child ends that was not started by a host, or not by one of this version.
const NOT_STARTED_BY_A_HOST: u8 = 64;

/// How a child ends that cannot lock itself down. The host heard why.
const NOT_LOCKED: u8 = 65;

/// How a child ends whose request broke off, or whose answer nobody takes.
const NOT_ANSWERED: u8 = 66;

/// Locks this process down for good, answers one request by `handler`, and returns how to end.
///
/// It must be the first thing that `main` does, and its value what `main` returns: whatever was
/// opened before stays open, and threads started before are not held by every lock. The streams
/// belong to the conversation: a handler that prints breaks it off.
#[must_use = "it is what `main` returns"]
pub fn serve(handler: impl FnOnce(&[u8]) -> Vec<u8>) -> ExitCode {
    match converse(&mut io::stdin().lock(), handler) {
        Ok(()) => ExitCode::SUCCESS,
        Err(code) => ExitCode::from(code),
    }
}

fn converse(from: &mut impl Read, handler: impl FnOnce(&[u8]) -> Vec<u8>) -> Result<(), u8> {
    let limits = frame::read(from, MAX_HELLO)
        .ok()
        .flatten()
        .and_then(|bytes| limits_from_bytes(&bytes))
        .ok_or(NOT_STARTED_BY_A_HOST)?;
    match enter(&limits) {
        Ok(lockdown) => say(&Report::Locked(lockdown).to_bytes(), MAX_HELLO)?,
        Err(error) => {
            say(&Report::Lacking(error.lock(), error.why().to_owned()).to_bytes(), MAX_HELLO)?;
            return Err(NOT_LOCKED);
        }
    }
    match frame::read(from, frame::MAX_FRAME) {
        // The host only wanted to know what holds.
        Ok(None) => Ok(()),
        Ok(Some(request)) => say(&handler(&request), limits.answer),
        Err(_) => Err(NOT_ANSWERED),
    }
}

fn say(body: &[u8], most: usize) -> Result<(), u8> {
    let mut out = Vec::with_capacity(body.len() + size_of::<u32>());
    frame::append(&mut out, body, most);
    let mut stdout = io::stdout().lock();
    stdout.write_all(&out).and_then(|()| stdout.flush()).map_err(|_| NOT_ANSWERED)
}
