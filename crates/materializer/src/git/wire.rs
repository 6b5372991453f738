//! Our transports, made known to libgit2 under a scheme that nobody else uses.
//!
//! libgit2's own ones would bring a TLS stack and an SSH client in C, follow redirects with the
//! credentials in hand, and wait for ever. It finds a transport by the scheme of the address; the
//! address that it gets from us is the number of a session.

use std::collections::BTreeMap;
use std::io::{self, Read, Write};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use git2::transport::{Service, SmartSubtransport, SmartSubtransportStream, Transport};
use git2::{Remote, Repository};
use kitbag_types::Code;

use super::http::Exchange;
use super::session::{Session, Wire};
use crate::remote::FetchError;

const SCHEME: &str = "kitbag-session";

static SESSIONS: Mutex<BTreeMap<u64, Arc<Session>>> = Mutex::new(BTreeMap::new());
static NEXT: AtomicU64 = AtomicU64::new(1);

/// A session that libgit2 can find, as long as this lives.
pub(super) struct Wired {
    number: u64,
    session: Arc<Session>,
}

impl Wired {
    pub(super) fn new(session: Session) -> Result<Self, FetchError> {
        let url = session.url.clone();
        register().map_err(|error| {
            FetchError::new(Code::InternalBug, &url, "libgit2 does not take a transport")
                .because(error)
        })?;
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let session = Arc::new(session);
        SESSIONS
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .insert(number, Arc::clone(&session));
        Ok(Self { number, session })
    }

    pub(super) fn url(&self) -> &str {
        &self.session.url
    }

    pub(super) fn remote<'r>(&self, repository: &'r Repository) -> Result<Remote<'r>, FetchError> {
        repository
            .remote_anonymous(&format!("{SCHEME}://{}/", self.number))
            .map_err(|error| self.failure(error))
    }

    pub(super) fn failure(&self, error: git2::Error) -> FetchError {
        self.session.failure(error)
    }
}

impl Drop for Wired {
    fn drop(&mut self) {
        SESSIONS.lock().unwrap_or_else(PoisonError::into_inner).remove(&self.number);
    }
}

/// Makes the scheme known, once for the process.
fn register() -> Result<(), git2::Error> {
    static DONE: OnceLock<Result<(), String>> = OnceLock::new();
    let done = DONE.get_or_init(|| {
        #[expect(unsafe_code, reason = "the one door to libgit2 for a transport of one's own")]
        // SAFETY: the call must not run beside another registration of a transport or the creation
        // of one. It runs once, guarded by the lock above and before the first session exists, and
        // the scheme is ours: no address of a host's own libgit2 leads to it.
        let registered = unsafe { git2::transport::register(SCHEME, transport) };
        registered.map_err(|error| error.message().to_owned())
    });
    done.clone().map_err(|message| git2::Error::from_str(&message))
}

fn transport(remote: &Remote<'_>) -> Result<Transport, git2::Error> {
    let url = remote.url().unwrap_or_default();
    let number = url
        .strip_prefix("kitbag-session://")
        .and_then(|rest| rest.trim_end_matches('/').parse::<u64>().ok());
    let sessions = SESSIONS.lock().unwrap_or_else(PoisonError::into_inner);
    let session = number
        .and_then(|number| sessions.get(&number))
        .ok_or_else(|| git2::Error::from_str("no such session"))?;
    let stateless = matches!(session.wire, Wire::Http(_));
    Transport::smart(remote, stateless, Subtransport(Arc::clone(session)))
}

struct Subtransport(Arc<Session>);

impl SmartSubtransport for Subtransport {
    fn action(
        &self,
        _url: &str,
        action: Service,
    ) -> Result<Box<dyn SmartSubtransportStream>, git2::Error> {
        let session = &self.0;
        match (&session.wire, action) {
            (Wire::Http(_), Service::UploadPackLs | Service::UploadPack) => {
                let exchange = Exchange::new(action == Service::UploadPack);
                Ok(Box::new(HttpStream { session: Arc::clone(session), exchange }))
            }
            (Wire::Ssh(ssh), Service::UploadPackLs) => {
                let connection =
                    ssh.connect(session.bounds()).map_err(|trouble| session.note(trouble))?;
                Ok(Box::new(SshStream { session: Arc::clone(session), connection }))
            }
            _ => Err(git2::Error::from_str("nothing is ever pushed")),
        }
    }

    fn close(&self) -> Result<(), git2::Error> {
        Ok(())
    }
}

struct HttpStream {
    session: Arc<Session>,
    exchange: Exchange,
}

impl Read for HttpStream {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let Wire::Http(http) = &self.session.wire else { return Ok(0) };
        self.exchange
            .read(http, &self.session, buffer)
            .map_err(|trouble| io::Error::other(self.session.note(trouble).message().to_owned()))
    }
}

impl Write for HttpStream {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.exchange.write(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

struct SshStream {
    session: Arc<Session>,
    connection: super::ssh::Connection,
}

impl Read for SshStream {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.connection
            .read(buffer)
            .map_err(|trouble| io::Error::other(self.session.note(trouble).message().to_owned()))
    }
}

impl Write for SshStream {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.connection.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.connection.flush()
    }
}
