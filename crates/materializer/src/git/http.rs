//! Git's smart protocol over HTTPS (source: git's documentation, `gitprotocol-http`).

use std::path::PathBuf;
use std::sync::mpsc::sync_channel;
use std::sync::{Mutex, PoisonError};

use git2::CredentialHelper;
use kitbag_types::Code;
use ureq::http::{Response, StatusCode};
use ureq::tls::{RootCerts, TlsConfig};
use ureq::{Agent, Body};
use url::Url;

use super::Limits;
use super::pump::{Pump, Trouble, wait};
use super::session::Session;

/// How many times a server may say that a repository has another name.
const MAX_REDIRECTS: usize = 5;

const ADVERTISEMENT: &str = "application/x-git-upload-pack-advertisement";
const REQUEST: &str = "application/x-git-upload-pack-request";
const RESULT: &str = "application/x-git-upload-pack-result";
const INFO: &str = "/info/refs?service=git-upload-pack";

/// A repository behind HTTPS.
pub(super) struct Http {
    /// Made by the first request: only then is there a TLS stack.
    agent: Mutex<Option<Agent>>,
    /// The address of the repository; another one on the same host after a redirect.
    base: Mutex<String>,
    /// The git configuration that names the credential helper; the person's if none.
    config: Option<PathBuf>,
    /// What a credential helper had. Never shown, never stored.
    credentials: Mutex<Option<Secret>>,
    limits: Limits,
}

/// A value of the `Authorization` header.
struct Secret(String);

impl Http {
    pub(super) fn new(base: String, config: Option<PathBuf>, limits: Limits) -> Self {
        let base = Mutex::new(base);
        Self { agent: Mutex::new(None), base, config, credentials: Mutex::new(None), limits }
    }

    fn agent(&self) -> Agent {
        let mut agent = self.agent.lock().unwrap_or_else(PoisonError::into_inner);
        agent.get_or_insert_with(|| make_agent(self.limits)).clone()
    }

    /// Sends one request and waits for its answer: a stream of the type that is expected.
    fn request(&self, session: &Session, body: Option<&[u8]>) -> Result<Pump, Trouble> {
        let mut asked_helper = false;
        let mut redirects = 0;
        loop {
            let base = self.base.lock().unwrap_or_else(PoisonError::into_inner).clone();
            let response = self.send(session, &base, body.map(<[u8]>::to_vec))?;
            match response.status() {
                StatusCode::OK => {
                    let expected = if body.is_some() { RESULT } else { ADVERTISEMENT };
                    check_type(&response, expected)?;
                    return Ok(Pump::new(response.into_body().into_reader(), session.bounds()));
                }
                status if status.is_redirection() && body.is_none() => {
                    redirects += 1;
                    if redirects > MAX_REDIRECTS {
                        return Err((
                            Code::SourceRedirected,
                            "it is sent from one place to the next".to_owned(),
                        ));
                    }
                    let next = redirected(&base, &response)?;
                    *self.base.lock().unwrap_or_else(PoisonError::into_inner) = next;
                }
                StatusCode::UNAUTHORIZED if !asked_helper => {
                    asked_helper = true;
                    self.ask_helper(&base)?;
                }
                status => return Err(refusal(status, asked_helper)),
            }
        }
    }

    /// Sends a request on a thread of its own, so that it can be called off.
    fn send(
        &self,
        session: &Session,
        base: &str,
        body: Option<Vec<u8>>,
    ) -> Result<Response<Body>, Trouble> {
        let agent = self.agent();
        let credentials = self.credentials.lock().unwrap_or_else(PoisonError::into_inner);
        let header = credentials.as_ref().map(|Secret(value)| value.clone());
        drop(credentials);
        let base = base.to_owned();
        let (sender, receiver) = sync_channel(1);
        std::thread::spawn(move || {
            let outcome = match body {
                None => {
                    let mut request =
                        agent.get(format!("{base}{INFO}")).header("Git-Protocol", "version=0");
                    if let Some(header) = header {
                        request = request.header("Authorization", header);
                    }
                    request.call()
                }
                Some(body) => {
                    let mut request = agent
                        .post(format!("{base}/git-upload-pack"))
                        .header("Content-Type", REQUEST);
                    if let Some(header) = header {
                        request = request.header("Authorization", header);
                    }
                    request.send(&body[..])
                }
            };
            // Whoever was called off does not want it any more.
            let _ = sender.send(outcome);
        });
        // Connecting may take its time before the server has said anything.
        let patience = self.limits.connect + self.limits.silence;
        match wait(&receiver, &*session.watch, patience)? {
            Some(Ok(response)) => Ok(response),
            Some(Err(error)) => Err((Code::SourceUnreachable, error.to_string())),
            None => Err((Code::SourceUnreachable, "the connection ended".to_owned())),
        }
    }

    /// Asks the helper that git is configured with. What it has goes to the host it is for.
    fn ask_helper(&self, base: &str) -> Result<(), Trouble> {
        let config = match &self.config {
            Some(path) => git2::Config::open(path),
            None => git2::Config::open_default(),
        };
        let denied = || (Code::SourceAccessDenied, "the server asks who is there".to_owned());
        let config = config.map_err(|_| denied())?;
        let Some((user, secret)) = CredentialHelper::new(base).config(&config).execute() else {
            return Err(denied());
        };
        let value = format!("Basic {}", base64(format!("{user}:{secret}").as_bytes()));
        *self.credentials.lock().unwrap_or_else(PoisonError::into_inner) = Some(Secret(value));
        Ok(())
    }
}

fn make_agent(limits: Limits) -> Agent {
    Agent::config_builder()
        // Redirects are ours to judge, and so is every status.
        .max_redirects(0)
        .http_status_as_error(false)
        .timeout_connect(Some(limits.connect))
        // The pump gives up first; this only ends the thread that it leaves behind.
        .timeout_per_read(Some(limits.silence * 2))
        .timeout_per_write(Some(limits.silence * 2))
        .user_agent(concat!("git/2 kitbag/", env!("CARGO_PKG_VERSION")))
        .tls_config(TlsConfig::builder().root_certs(RootCerts::PlatformVerifier).build())
        .build()
        .new_agent()
}

fn check_type(response: &Response<Body>, expected: &str) -> Result<(), Trouble> {
    let found = response.headers().get("content-type").and_then(|value| value.to_str().ok());
    let found = found.unwrap_or("nothing").split(';').next().unwrap_or_default().trim();
    if found == expected {
        return Ok(());
    }
    Err((Code::SourceBroken, format!("the server sent `{found}` instead of what git sends")))
}

/// Returns the new address of the repository, if it is on the same host: no credential and no trust
/// goes to another.
fn redirected(base: &str, response: &Response<Body>) -> Result<String, Trouble> {
    let broken = || (Code::SourceBroken, "the server redirects to nowhere".to_owned());
    let location = response.headers().get("location").and_then(|value| value.to_str().ok());
    let from = Url::parse(base).map_err(|_| broken())?;
    let to = from.join(location.ok_or_else(broken)?).map_err(|_| broken())?;
    if to.origin() != from.origin() || !to.username().is_empty() || to.password().is_some() {
        let host = to.host_str().unwrap_or("another place");
        return Err((Code::SourceRedirected, format!("the server sends the request to `{host}`")));
    }
    to.as_str().strip_suffix(INFO).map(str::to_owned).ok_or_else(broken)
}

fn refusal(status: StatusCode, asked_helper: bool) -> Trouble {
    match status {
        StatusCode::NOT_FOUND => (
            Code::SourceRepositoryUnknown,
            "there is no such repository, or it is private".to_owned(),
        ),
        StatusCode::UNAUTHORIZED if asked_helper => (
            Code::SourceAccessDenied,
            "the server does not take what the credential helper has".to_owned(),
        ),
        StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN => (
            Code::SourceAccessDenied,
            format!("the server refuses with status {}", status.as_u16()),
        ),
        status => {
            (Code::SourceUnreachable, format!("the server answers with status {}", status.as_u16()))
        }
    }
}

/// One request with its answer. The request is sent when the answer is first read.
pub(super) struct Exchange {
    body: Option<Vec<u8>>,
    answer: Option<Pump>,
}

impl Exchange {
    pub(super) fn new(has_body: bool) -> Self {
        Self { body: has_body.then(Vec::new), answer: None }
    }

    pub(super) fn write(&mut self, bytes: &[u8]) {
        if let Some(body) = &mut self.body {
            body.extend_from_slice(bytes);
        }
    }

    pub(super) fn read(
        &mut self,
        http: &Http,
        session: &Session,
        buffer: &mut [u8],
    ) -> Result<usize, Trouble> {
        let answer = match &mut self.answer {
            Some(answer) => answer,
            None => {
                let answer = http.request(session, self.body.as_deref())?;
                self.answer.insert(answer)
            }
        };
        answer.take(buffer)
    }
}

/// Base 64 with padding (source: RFC 4648, section 4), for one header.
fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut out = String::new();
    for chunk in bytes.chunks(3) {
        let group = chunk.iter().fold(0_u32, |group, &byte| group << 8 | u32::from(byte))
            << (8 * (3 - chunk.len()));
        for place in 0..4 {
            let digit = DIGITS[(group >> (18 - 6 * place) & 63) as usize];
            out.push(if place <= chunk.len() { char::from(digit) } else { '=' });
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::base64;

    #[test]
    fn base64_of_the_rfc() {
        for (text, expected) in
            [("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foobar", "Zm9vYmFy")]
        {
            assert_eq!(base64(text.as_bytes()), expected);
        }
    }
}
