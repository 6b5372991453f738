//! Bytes from a server, read on a thread of their own, so that whoever waits for them can be called
//! off, and does not wait for a server that says nothing.

use std::io::{self, Read};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::time::{Duration, Instant};

use kitbag_types::{Code, Watch};

/// How long a waiter sleeps between two looks at whether it was called off.
const LOOK_AGAIN: Duration = Duration::from_millis(20);

/// How much is read at once, and how many such pieces may wait: a megabyte for each connection.
const PIECE: usize = 64 * 1024;
const WAITING: usize = 16;

/// What went wrong below git: a code and a message.
pub(super) type Trouble = (Code, String);

/// The reading end.
pub(super) struct Pump {
    pieces: Receiver<io::Result<Vec<u8>>>,
    piece: Vec<u8>,
    at: usize,
    ended: bool,
    watch: Arc<dyn Watch>,
    silence: Duration,
    received: Arc<AtomicU64>,
    limit: u64,
}

/// The bounds that a pump keeps.
pub(super) struct Bounds {
    pub(super) watch: Arc<dyn Watch>,
    pub(super) silence: Duration,
    /// Counts over all connections of one fetch.
    pub(super) received: Arc<AtomicU64>,
    pub(super) limit: u64,
}

impl Pump {
    /// Reads `source` on a thread until it ends.
    pub(super) fn new(source: impl Read + Send + 'static, bounds: Bounds) -> Self {
        let (sender, pieces) = sync_channel(WAITING);
        std::thread::spawn(move || pump(source, &sender));
        let Bounds { watch, silence, received, limit } = bounds;
        Self { pieces, piece: Vec::new(), at: 0, ended: false, watch, silence, received, limit }
    }

    /// Waits for the next piece. False at the end.
    fn next(&mut self) -> Result<bool, Trouble> {
        let piece = wait(&self.pieces, &*self.watch, self.silence)?;
        let Some(piece) = piece else { return Ok(false) };
        self.piece = piece
            .map_err(|error| (Code::SourceBroken, format!("the connection broke: {error}")))?;
        self.at = 0;
        let size = self.piece.len() as u64;
        if self.received.fetch_add(size, Ordering::Relaxed) + size > self.limit {
            let message = format!("more than {} bytes came", self.limit);
            return Err((Code::SourceTooLarge, message));
        }
        Ok(true)
    }

    /// As [`Read::read`], with the trouble by its code.
    pub(super) fn take(&mut self, buffer: &mut [u8]) -> Result<usize, Trouble> {
        while self.at == self.piece.len() {
            if self.ended {
                return Ok(0);
            }
            self.ended = !self.next()?;
        }
        let count = buffer.len().min(self.piece.len() - self.at);
        buffer[..count].copy_from_slice(&self.piece[self.at..self.at + count]);
        self.at += count;
        Ok(count)
    }
}

/// Waits for something from another thread: none when it is gone.
pub(super) fn wait<T>(
    receiver: &Receiver<T>,
    watch: &dyn Watch,
    silence: Duration,
) -> Result<Option<T>, Trouble> {
    let start = Instant::now();
    loop {
        match receiver.recv_timeout(LOOK_AGAIN) {
            Ok(thing) => return Ok(Some(thing)),
            Err(RecvTimeoutError::Disconnected) => return Ok(None),
            Err(RecvTimeoutError::Timeout) if watch.is_cancelled() => {
                return Err((Code::OperationCancelled, "it was interrupted".to_owned()));
            }
            Err(RecvTimeoutError::Timeout) if start.elapsed() > silence => {
                let message = format!("the server said nothing for {} s", silence.as_secs_f32());
                return Err((Code::SourceUnreachable, message));
            }
            Err(RecvTimeoutError::Timeout) => {}
        }
    }
}

fn pump(mut source: impl Read, sender: &SyncSender<io::Result<Vec<u8>>>) {
    loop {
        let mut piece = vec![0; PIECE];
        let outcome = match source.read(&mut piece) {
            Ok(0) => return,
            Ok(count) => {
                piece.truncate(count);
                Ok(piece)
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => Err(error),
        };
        let failed = outcome.is_err();
        // A reader that was called off is gone, and nobody wants the rest.
        if sender.send(outcome).is_err() || failed {
            return;
        }
    }
}
