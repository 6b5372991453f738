//! Git's smart protocol over the person's own `ssh`, with their agent, keys and known hosts.

use std::io::{self, Read as _, Write as _};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use kitbag_types::Code;

use super::pump::{Bounds, Pump, Trouble};

/// The most bytes of what `ssh` says that are kept for a message.
const MAX_SAID: u64 = 4096;

/// How long the end of what `ssh` says is waited for, once it has failed.
const LAST_WORDS: Duration = Duration::from_secs(2);

/// A repository behind SSH.
pub(super) struct Ssh {
    pub(super) program: PathBuf,
    pub(super) host: String,
    pub(super) path: String,
    pub(super) connect: Duration,
}

/// A running `ssh`.
pub(super) struct Connection {
    child: Child,
    stdin: Option<ChildStdin>,
    answer: Pump,
    said: Receiver<String>,
    has_answered: bool,
}

impl Ssh {
    /// Starts `ssh`. It may not ask anybody anything: who is there decides with the agent.
    pub(super) fn connect(&self, bounds: Bounds) -> Result<Connection, Trouble> {
        let mut child = Command::new(&self.program)
            .args(["-o", "BatchMode=yes", "-o"])
            .arg(format!("ConnectTimeout={}", self.connect.as_secs()))
            .args(["-o", "ForwardAgent=no", "-o", "PermitLocalCommand=no", "-T", "--"])
            .arg(&self.host)
            // The path is two words of letters, digits, `-`, `_` and `.`: the plan saw to that.
            .arg(format!("git-upload-pack '{}'", self.path))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(|error| {
                let program = self.program.display();
                (Code::SourceUnreachable, format!("`{program}` cannot be started: {error}"))
            })?;
        let (Some(stdout), Some(stderr)) = (child.stdout.take(), child.stderr.take()) else {
            return Err((Code::InternalBug, "ssh has no streams".to_owned()));
        };
        let (sender, said) = channel();
        std::thread::spawn(move || {
            let mut bytes = Vec::new();
            let _ = stderr.take(MAX_SAID).read_to_end(&mut bytes);
            let _ = sender.send(String::from_utf8_lossy(&bytes).into_owned());
        });
        let stdin = child.stdin.take();
        Ok(Connection {
            child,
            stdin,
            answer: Pump::new(stdout, bounds),
            said,
            has_answered: false,
        })
    }
}

impl Connection {
    pub(super) fn read(&mut self, buffer: &mut [u8]) -> Result<usize, Trouble> {
        let count = self.answer.take(buffer)?;
        if count == 0 && !self.has_answered {
            return Err(self.last_words());
        }
        self.has_answered = true;
        Ok(count)
    }

    /// Says why nothing came.
    fn last_words(&mut self) -> Trouble {
        let said = self.said.recv_timeout(LAST_WORDS).unwrap_or_default();
        let line = said.lines().map(str::trim).rfind(|line| !line.is_empty());
        let lower = said.to_lowercase();
        let code = if lower.contains("permission denied") {
            Code::SourceAccessDenied
        } else if lower.contains("not found")
            || lower.contains("does not appear to be a git repository")
        {
            Code::SourceRepositoryUnknown
        } else {
            Code::SourceUnreachable
        };
        (code, format!("ssh: {}", line.unwrap_or("the connection ended")))
    }

    pub(super) fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match &mut self.stdin {
            Some(stdin) => stdin.write(bytes),
            None => Err(io::ErrorKind::BrokenPipe.into()),
        }
    }

    pub(super) fn flush(&mut self) -> io::Result<()> {
        self.stdin.as_mut().map_or(Ok(()), io::Write::flush)
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        self.stdin = None;
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
