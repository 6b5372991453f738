//! The child's side: lock down, read one request, answer it, end.

use std::io::{self, Write as _};
use std::process::ExitCode;
use std::sync::mpsc;
use std::thread;

use crate::frame;
use crate::hello::{MAX_HELLO, Report, limits_from_bytes};
use crate::limits::{Limits, Lock};
use crate::lock::{EnterError, enter_with};

/// How a child ends that was not started by a host, or not by one of this version.
const NOT_STARTED_BY_A_HOST: u8 = 64;

/// How a child ends that cannot lock itself down. The host heard why.
const NOT_LOCKED: u8 = 65;

/// How a child ends whose request broke off, or whose answer nobody takes.
const NOT_ANSWERED: u8 = 66;

/// How a child ends whose handler panicked: as a program of Rust does.
const PANICKED: u8 = 101;

/// Locks this process down for good, answers one request by `handler`, and returns how to end.
///
/// It must be the first thing that `main` does, and its value what `main` returns: whatever was
/// opened before stays open, and threads started before are not held by every lock. The streams
/// belong to the conversation: a handler that prints breaks it off.
#[must_use = "it is what `main` returns"]
pub fn serve(handler: impl FnOnce(&[u8]) -> Vec<u8>) -> ExitCode {
    let converse = || {
        let limits = greet()?;
        lock_down(&limits, || Ok(()))?;
        answer(&limits, handler)
    };
    end(converse())
}

/// As [`serve`], and the handler has a stack of that many bytes, for parsers that recurse with the
/// nesting of what they read. The stack counts as memory, see [`Limits::memory`]; its pages are
/// used only where the handler gets to them.
#[must_use = "it is what `main` returns"]
pub fn serve_on_stack(
    bytes: usize,
    handler: impl FnOnce(&[u8]) -> Vec<u8> + Send + 'static,
) -> ExitCode {
    let converse = || {
        let limits = greet()?;
        let (unlock, locked) = mpsc::channel();
        let (begin, begun) = mpsc::channel();
        let mut worker = None;
        let its_limits = limits.clone();
        lock_down(&limits, || {
            let work = move || {
                let _ = begin.send(());
                // Without a word there is no lock, so there is no work.
                if locked.recv().is_err() {
                    return Err(NOT_LOCKED);
                }
                answer(&its_limits, handler)
            };
            let spawned = thread::Builder::new().stack_size(bytes).spawn(work);
            worker = Some(spawned.map_err(|error| EnterError::new(Lock::Resources, &error))?);
            begun.recv().map_err(|error| EnterError::new(Lock::Resources, &error))
        })?;
        unlock.send(()).map_err(|_| NOT_ANSWERED)?;
        worker.map_or(Err(NOT_ANSWERED), |worker| worker.join().unwrap_or(Err(PANICKED)))
    };
    end(converse())
}

fn end(conversation: Result<(), u8>) -> ExitCode {
    match conversation {
        Ok(()) => ExitCode::SUCCESS,
        Err(code) => ExitCode::from(code),
    }
}

/// Reads what the host says first: the limits.
fn greet() -> Result<Limits, u8> {
    frame::read(&mut io::stdin().lock(), MAX_HELLO)
        .ok()
        .flatten()
        .and_then(|bytes| limits_from_bytes(&bytes))
        .ok_or(NOT_STARTED_BY_A_HOST)
}

/// Locks down, and says so.
fn lock_down(limits: &Limits, start: impl FnOnce() -> Result<(), EnterError>) -> Result<(), u8> {
    match enter_with(limits, start) {
        Ok(lockdown) => say(&Report::Locked(lockdown).to_bytes(), MAX_HELLO),
        Err(error) => {
            say(&Report::Lacking(error.lock(), error.why().to_owned()).to_bytes(), MAX_HELLO)?;
            Err(NOT_LOCKED)
        }
    }
}

fn answer(limits: &Limits, handler: impl FnOnce(&[u8]) -> Vec<u8>) -> Result<(), u8> {
    match frame::read(&mut io::stdin().lock(), frame::MAX_FRAME) {
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
