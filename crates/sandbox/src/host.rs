//! A child process with its three pipes, served by one thread.

use std::ffi::OsString;
use std::io::{self, Read as _, Write as _};
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::process::{CommandExt as _, ExitStatusExt as _};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use kitbag_types::Watch;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{OFlags, fcntl_getfl, fcntl_setfl};
use rustix::io::Errno;
use rustix::process::{Pid, Signal, kill_process_group};

use crate::error::{Death, SandboxError};

/// How often whoever watches is asked whether to go on.
const TICK: Duration = Duration::from_millis(20);

/// How long a child that closed its stream may take to end. One that ends by itself has ended
/// within a fraction of it; the time decides only what the error says.
const LAST_BREATH: Duration = Duration::from_millis(250);

/// The most bytes that are kept of what a child writes to its error stream.
const MAX_SAID: usize = 4096;

/// The most bytes that are read at once.
const PIECE: usize = 64 << 10;

/// The whole environment of a child. Without it, glibc gives each thread a heap of its own, and asks
/// a file how to shrink that one: a harmless child would end for a file it may not open. Other
/// C libraries do not know the name.
const ONE_ARENA: [(&str, &str); 1] = [("GLIBC_TUNABLES", "glibc.malloc.arena_max=1")];

/// Why an exchange stopped.
pub(crate) enum Stop {
    /// The child closed its stream.
    Ended,
    /// What came was refused.
    Refused(SandboxError),
    /// The time was over.
    Late,
    /// It was called off.
    Cancelled,
}

/// A running child. Dropped, it is killed and reaped.
pub(crate) struct Host {
    child: Child,
    said: Vec<u8>,
}

impl Host {
    pub(crate) fn start(program: &Path, arguments: &[OsString]) -> io::Result<Self> {
        let child = Command::new(program)
            .args(arguments)
            .env_clear()
            .envs(ONE_ARENA)
            .current_dir("/")
            // Its own group, so that Ctrl-C reaches the host alone, which then decides.
            .process_group(0)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()?;
        Ok(Self { child, said: Vec::new() })
    }

    /// Sends what goes out and hands on what comes in, until something stops it.
    pub(crate) fn exchange(
        &mut self,
        mut outgoing: &[u8],
        deadline: Option<Instant>,
        watch: &dyn Watch,
        mut take: impl FnMut(&[u8]) -> Result<(), SandboxError>,
    ) -> io::Result<Stop> {
        let mut stdin = self.child.stdin.take();
        let (Some(stdout), Some(stderr)) = (&mut self.child.stdout, &mut self.child.stderr) else {
            return Err(io::ErrorKind::BrokenPipe.into());
        };
        if let Some(stdin) = &stdin {
            do_not_wait(stdin.as_fd())?;
        }
        do_not_wait(stdout.as_fd())?;
        do_not_wait(stderr.as_fd())?;
        let mut piece = vec![0; PIECE];
        let mut hears = true;
        loop {
            if watch.is_cancelled() {
                return Ok(Stop::Cancelled);
            }
            let left = deadline.map_or(TICK, |at| at.saturating_duration_since(Instant::now()));
            if left.is_zero() {
                return Ok(Stop::Late);
            }
            let (reads, hears_now) =
                wait(stdin.as_ref(), stdout.as_fd(), stderr.as_fd(), hears, left)?;
            if hears_now {
                hears = match hear(stderr, &mut self.said, &mut piece) {
                    Ok(count) => count > 0,
                    Err(error) => is_transient(&error),
                };
            }
            if let Some(open) = &mut stdin
                && !send(open, &mut outgoing)
            {
                stdin = None;
            }
            if reads {
                match stdout.read(&mut piece) {
                    Ok(0) => return Ok(Stop::Ended),
                    Ok(count) => {
                        if let Err(error) = take(&piece[..count]) {
                            return Ok(Stop::Refused(error));
                        }
                    }
                    Err(error) if is_transient(&error) => {}
                    Err(error) => return Err(error),
                }
            }
        }
    }

    /// Returns how the child ended, and its last words. It is given a moment to end by itself.
    pub(crate) fn end(mut self) -> (Death, String) {
        let death = match self.wait_a_moment() {
            Some(status) => match (status.code(), status.signal()) {
                (_, Some(signal)) => Death::Signal(signal),
                (code, None) => Death::Exit(code.unwrap_or_default()),
            },
            None => Death::Silent,
        };
        self.kill();
        if let Some(stderr) = &mut self.child.stderr {
            // The writer is gone, so what is left of its words is there at once.
            let mut piece = vec![0; PIECE];
            while let Ok(1..) = hear(stderr, &mut self.said, &mut piece) {}
        }
        (death, String::from_utf8_lossy(&self.said).into_owned())
    }

    fn wait_a_moment(&mut self) -> Option<ExitStatus> {
        let until = Instant::now() + LAST_BREATH;
        let mut pause = Duration::from_micros(50);
        loop {
            match self.child.try_wait() {
                Ok(Some(status)) => return Some(status),
                Ok(None) if Instant::now() < until => thread::sleep(pause),
                Ok(None) | Err(_) => return None,
            }
            pause *= 2;
        }
    }

    /// Kills the group and reaps the child. Until it is reaped, its number is nobody else's.
    fn kill(&mut self) {
        if let Ok(Some(_)) = self.child.try_wait() {
            return;
        }
        if let Some(group) = i32::try_from(self.child.id()).ok().and_then(Pid::from_raw) {
            let _ = kill_process_group(group, Signal::KILL);
        }
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Drop for Host {
    fn drop(&mut self) {
        self.kill();
    }
}

fn do_not_wait(stream: BorrowedFd<'_>) -> io::Result<()> {
    let flags = fcntl_getfl(stream)?;
    Ok(fcntl_setfl(stream, flags | OFlags::NONBLOCK)?)
}

/// Waits until a stream is ready, at most for a tick. Says whether there is something to read of
/// the answer, and of what the child complains about.
fn wait(
    stdin: Option<&ChildStdin>,
    stdout: BorrowedFd<'_>,
    stderr: BorrowedFd<'_>,
    hears: bool,
    left: Duration,
) -> io::Result<(bool, bool)> {
    let mut streams = vec![PollFd::from_borrowed_fd(stdout, PollFlags::IN)];
    if hears {
        streams.push(PollFd::from_borrowed_fd(stderr, PollFlags::IN));
    }
    if let Some(stdin) = stdin {
        streams.push(PollFd::from_borrowed_fd(stdin.as_fd(), PollFlags::OUT));
    }
    let timeout = Timespec::try_from(left.min(TICK)).map_err(|_| Errno::INVAL)?;
    match poll(&mut streams, Some(&timeout)) {
        Ok(_) | Err(Errno::INTR) => {}
        Err(error) => return Err(error.into()),
    }
    let is_ready = |index: usize| streams.get(index).is_some_and(|fd| !fd.revents().is_empty());
    Ok((is_ready(0), hears && is_ready(1)))
}

/// Sends what the pipe takes. Says whether there is more to send.
fn send(stdin: &mut ChildStdin, outgoing: &mut &[u8]) -> bool {
    match stdin.write(outgoing) {
        Ok(count) => *outgoing = &outgoing[count..],
        Err(error) if is_transient(&error) => {}
        // The child reads no more; what it says of that is in the other pipes.
        Err(_) => return false,
    }
    !outgoing.is_empty()
}

/// Keeps the beginning of what is said. Returns how many bytes came.
fn hear(stderr: &mut impl io::Read, said: &mut Vec<u8>, piece: &mut [u8]) -> io::Result<usize> {
    let count = stderr.read(piece)?;
    let room = MAX_SAID.saturating_sub(said.len());
    said.extend_from_slice(&piece[..count.min(room)]);
    Ok(count)
}

fn is_transient(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted)
}
