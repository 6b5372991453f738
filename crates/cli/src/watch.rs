//! What a person at a terminal sees of work that takes a while, and how they call it off.

use std::io::{self, IsTerminal as _, Write as _};
use std::sync::Arc;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use kitbag_types::{Progress, Watch, printable};
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::flag;

use crate::exit::INTERRUPTED;

/// How often the line is drawn anew: faster than an eye follows is wasted.
const REDRAW: Duration = Duration::from_millis(100);

/// Shows progress on a terminal, and hears of Ctrl-C.
pub(crate) struct Terminal {
    interrupted: Arc<AtomicBool>,
    /// When the line was last drawn; none where nobody sees it.
    drawn: Option<Mutex<Option<Instant>>>,
}

impl Terminal {
    /// Begins to listen. The first Ctrl-C asks the work to stop and put everything back; the
    /// second ends the program where it stands, and the next command puts everything back.
    pub(crate) fn listen(quiet: bool) -> Self {
        let interrupted = Arc::new(AtomicBool::new(false));
        for signal in [SIGINT, SIGTERM] {
            let exit = i32::from(INTERRUPTED.0);
            let registered =
                flag::register_conditional_shutdown(signal, exit, Arc::clone(&interrupted))
                    .and_then(|_| flag::register(signal, Arc::clone(&interrupted)));
            if let Err(error) = registered {
                tracing::debug!(%error, "the signal cannot be listened to");
            }
        }
        let seen = !quiet && io::stderr().is_terminal();
        Self { interrupted, drawn: seen.then(Mutex::default) }
    }

    fn draw(&self, line: &str, at_once: bool) {
        let Some(drawn) = &self.drawn else { return };
        let Ok(mut drawn) = drawn.lock() else { return };
        if !at_once && drawn.is_some_and(|drawn| drawn.elapsed() < REDRAW) {
            return;
        }
        *drawn = Some(Instant::now());
        let _ = write!(io::stderr(), "\r\u{1b}[2K{line}");
        let _ = io::stderr().flush();
    }

    /// Clears the line, so that what follows stands alone.
    pub(crate) fn clear(&self) {
        let was_drawn = self
            .drawn
            .as_ref()
            .is_some_and(|drawn| drawn.lock().is_ok_and(|drawn| drawn.is_some()));
        if was_drawn {
            self.draw("", true);
        }
    }
}

impl Watch for Terminal {
    fn is_cancelled(&self) -> bool {
        self.interrupted.load(Ordering::Relaxed)
    }

    fn progress(&self, progress: &Progress) {
        match progress {
            Progress::Fetching { objects, total: 0, bytes } => {
                self.draw(
                    &format!("fetching: {objects} objects, {}", crate::output::show_bytes(*bytes)),
                    false,
                );
            }
            Progress::Fetching { objects, total, bytes } => {
                let bytes = crate::output::show_bytes(*bytes);
                self.draw(
                    &format!("fetching: {objects} of {total} objects, {bytes}"),
                    objects == total,
                );
            }
            Progress::Item { done, total, name } => {
                self.draw(&format!("{} of {total}: {}", done + 1, printable(name)), false);
            }
        }
    }
}
