//! Git's own `http-backend` behind a server on loopback, which misbehaves on demand.

#![allow(dead_code, reason = "the tests of two crates share it, and each uses a part")]

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use kitbag_materializer::GitRemote;
use tempfile::TempDir;
use tiny_http::{Header, Method, Request, Response, Server};

/// How the server behaves.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) enum Manner {
    #[default]
    Good,
    /// Asks for this user and secret.
    Private(&'static str, &'static str),
    /// Breaks off in the middle of the pack.
    Breaks,
    /// Flips bits in the pack.
    Garbles,
    /// Never answers.
    Silent,
    /// Begins the pack and then says nothing.
    Stalls,
    /// Answers with a status.
    Status(u16),
    /// Sends every first request to this address.
    Redirects(String),
    /// Answers with a page.
    Page,
}

pub(crate) struct GitServer {
    pub(crate) folder: TempDir,
    address: String,
    manner: Arc<Mutex<Manner>>,
    /// Each request: method, path, and whether it carried a credential.
    requests: Arc<Mutex<Vec<String>>>,
    server: Arc<Server>,
}

impl GitServer {
    pub(crate) fn new() -> Self {
        let folder = TempDir::new().expect("a temporary folder");
        let server = Arc::new(Server::http("127.0.0.1:0").expect("a port on loopback"));
        let address = format!("http://{}", server.server_addr().to_ip().expect("an address"));
        let manner = Arc::new(Mutex::new(Manner::Good));
        let requests = Arc::new(Mutex::new(Vec::new()));
        let root = folder.path().join("served");
        fs_err::create_dir(&root).expect("a folder");
        let (acceptor, manners, log) =
            (Arc::clone(&server), Arc::clone(&manner), Arc::clone(&requests));
        thread::spawn(move || {
            for request in acceptor.incoming_requests() {
                let manner = manners.lock().expect("not poisoned").clone();
                let credential =
                    request.headers().iter().any(|header| header.field.equiv("Authorization"));
                let mark = if credential { " with a credential" } else { "" };
                let line = format!("{} {}{mark}", request.method(), request.url());
                log.lock().expect("not poisoned").push(line);
                let root = root.clone();
                thread::spawn(move || answer(request, &root, &manner));
            }
        });
        Self { folder, address, manner, requests, server }
    }

    pub(crate) fn behave(&self, manner: Manner) {
        *self.manner.lock().expect("not poisoned") = manner;
    }

    pub(crate) fn address(&self) -> &str {
        &self.address
    }

    pub(crate) fn requests(&self) -> Vec<String> {
        self.requests.lock().expect("not poisoned").clone()
    }

    /// A remote that comes here instead of to github.com.
    pub(crate) fn remote(&self) -> GitRemote {
        self.remote_within(Duration::from_secs(20), 1 << 30)
    }

    pub(crate) fn remote_within(&self, silence: Duration, bytes: u64) -> GitRemote {
        let ssh = self.folder.path().join("ssh");
        let config = self.folder.path().join("gitconfig");
        GitRemote::on_loopback(&self.address, &ssh, &config, silence, bytes)
    }

    /// Makes `acme/tools`, served bare, and returns where it is worked on.
    pub(crate) fn repository(&self) -> Work {
        let bare = self.folder.path().join("served/acme/tools.git");
        fs_err::create_dir_all(&bare).expect("a folder");
        let work = Work { path: self.folder.path().join("work"), bare };
        fs_err::create_dir(&work.path).expect("a folder");
        git(&work.bare, &["init", "--quiet", "--bare", "--initial-branch=trunk"]);
        git(&work.path, &["init", "--quiet", "--initial-branch=trunk"]);
        let served = work.bare.display().to_string();
        git(&work.path, &["remote", "add", "origin", &served]);
        work
    }
}

impl Drop for GitServer {
    fn drop(&mut self) {
        self.server.unblock();
    }
}

/// A repository that is worked on.
pub(crate) struct Work {
    pub(crate) path: PathBuf,
    bare: PathBuf,
}

impl Work {
    pub(crate) fn write(&self, path: &str, text: &str) {
        let path = self.path.join(path);
        fs_err::create_dir_all(path.parent().expect("a parent")).expect("a folder");
        fs_err::write(path, text).expect("a file");
    }

    pub(crate) fn skill(&self, path: &str, body: &str) {
        let name = path.rsplit('/').next().expect("a name");
        let text = format!("---\nname: {name}\ndescription: Does one thing.\n---\n{body}\n");
        self.write(&format!("{path}/SKILL.md"), &text);
    }

    /// Commits everything and pushes the branch; returns the commit.
    pub(crate) fn push(&self, branch: &str) -> String {
        git(&self.path, &["add", "--all"]);
        git(&self.path, &["commit", "--quiet", "--allow-empty", "--message", "work"]);
        git(
            &self.path,
            &["push", "--quiet", "--force", "origin", &format!("HEAD:refs/heads/{branch}")],
        );
        git(&self.path, &["rev-parse", "HEAD"]).trim().to_owned()
    }

    pub(crate) fn git(&self, arguments: &[&str]) -> String {
        git(&self.path, arguments)
    }

    /// Runs git in the repository that is served.
    pub(crate) fn served(&self, arguments: &[&str]) -> String {
        git(&self.bare, arguments)
    }
}

/// Runs git, untouched by the person's configuration.
fn git(folder: &Path, arguments: &[&str]) -> String {
    let output = Command::new("git")
        .current_dir(folder)
        .args([
            "-c",
            "user.name=Ada",
            "-c",
            "user.email=ada@example.org",
            "-c",
            "commit.gpgsign=false",
        ])
        .args(arguments)
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_AUTHOR_DATE", "2026-01-01T00:00:00Z")
        .env("GIT_COMMITTER_DATE", "2026-01-01T00:00:00Z")
        .output()
        .expect("git is installed");
    assert!(
        output.status.success(),
        "git {arguments:?}: {}",
        String::from_utf8_lossy(&output.stderr)
    );
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn answer(mut request: Request, root: &Path, manner: &Manner) {
    let url = request.url().to_owned();
    let is_first = *request.method() == Method::Get;
    let header = |name: &str, value: &str| Header::from_bytes(name, value).expect("a header");
    match manner {
        // Nobody waits for this thread.
        Manner::Silent => loop {
            thread::park();
        },
        Manner::Status(status) => {
            let _ = request.respond(Response::empty(*status));
            return;
        }
        Manner::Page => {
            let page = Response::from_string("<html>hello</html>")
                .with_header(header("Content-Type", "text/html"));
            let _ = request.respond(page);
            return;
        }
        Manner::Redirects(to) if is_first && !url.contains("moved") => {
            let _ = request.respond(Response::empty(301).with_header(header("Location", to)));
            return;
        }
        Manner::Private(user, secret) => {
            let expected = format!("{user}:{secret}");
            let sent = request.headers().iter().find(|header| header.field.equiv("Authorization"));
            let sent = sent.map(|header| header.value.as_str().to_owned()).unwrap_or_default();
            if decode(sent.strip_prefix("Basic ").unwrap_or_default()) != expected.as_bytes() {
                let challenge = header("WWW-Authenticate", "Basic realm=\"git\"");
                let _ = request.respond(Response::empty(401).with_header(challenge));
                return;
            }
        }
        _ => {}
    }
    let (headers, body) = backend(&mut request, root, &url.replace("moved", "acme"));
    let spoils = !is_first && !body.is_empty();
    match manner {
        Manner::Garbles if spoils => {
            let mut body = body;
            let middle = body.len() / 2;
            body[middle..middle + 20].iter_mut().for_each(|byte| *byte ^= 0x55);
            respond(request, &headers, body);
        }
        Manner::Breaks | Manner::Stalls if spoils => {
            let kind = headers.iter().find(|(name, _)| name == "Content-Type");
            let kind = kind.map_or("", |(_, value)| value);
            let half = &body[..body.len() / 2];
            let mut writer = request.into_writer();
            let head = format!(
                "HTTP/1.1 200 OK\r\nContent-Type: {kind}\r\nTransfer-Encoding: chunked\r\n\r\n{:x}\r\n",
                half.len()
            );
            let _ = writer.write_all(head.as_bytes()).and_then(|()| writer.write_all(half));
            if *manner == Manner::Breaks {
                // What comes is no chunk: the connection is of no use any more.
                let _ = writer.write_all(b"\r\nbroken\r\n");
            }
            let _ = writer.flush();
            if *manner == Manner::Stalls {
                loop {
                    thread::park();
                }
            }
        }
        _ => respond(request, &headers, body),
    }
}

fn respond(request: Request, headers: &[(String, String)], body: Vec<u8>) {
    let status = headers
        .iter()
        .find(|(name, _)| name == "Status")
        .and_then(|(_, value)| value.split(' ').next()?.parse().ok())
        .unwrap_or(200_u16);
    let mut response = Response::from_data(body).with_status_code(status);
    for (name, value) in headers.iter().filter(|(name, _)| name != "Status") {
        response.add_header(Header::from_bytes(name.as_str(), value.as_str()).expect("a header"));
    }
    let _ = request.respond(response);
}

/// Runs git's CGI program for one request.
fn backend(request: &mut Request, root: &Path, url: &str) -> (Vec<(String, String)>, Vec<u8>) {
    let (path, query) = url.split_once('?').unwrap_or((url, ""));
    let content_type = request.headers().iter().find(|header| header.field.equiv("Content-Type"));
    let content_type =
        content_type.map(|header| header.value.as_str().to_owned()).unwrap_or_default();
    let mut sent = Vec::new();
    request.as_reader().read_to_end(&mut sent).expect("a body");
    let mut child = Command::new("git")
        .args(["-c", "safe.directory=*", "http-backend"])
        .env("GIT_PROJECT_ROOT", root)
        .env("GIT_HTTP_EXPORT_ALL", "1")
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("REQUEST_METHOD", request.method().to_string())
        .env("PATH_INFO", path)
        .env("QUERY_STRING", query)
        .env("CONTENT_TYPE", content_type)
        .env("CONTENT_LENGTH", sent.len().to_string())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("git is installed");
    let mut stdin = child.stdin.take().expect("a pipe");
    let writer = thread::spawn(move || {
        let _ = stdin.write_all(&sent);
    });
    let output = child.wait_with_output().expect("it ends").stdout;
    writer.join().expect("written");
    let end = output.windows(4).position(|window| window == b"\r\n\r\n").unwrap_or(0);
    let headers = String::from_utf8_lossy(&output[..end])
        .lines()
        .filter_map(|line| line.split_once(": "))
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .collect();
    (headers, output.get(end + 4..).unwrap_or_default().to_vec())
}

fn decode(text: &str) -> Vec<u8> {
    let digit = |c: u8| match c {
        b'A'..=b'Z' => Some(c - b'A'),
        b'a'..=b'z' => Some(c - b'a' + 26),
        b'0'..=b'9' => Some(c - b'0' + 52),
        b'+' => Some(62),
        b'/' => Some(63),
        _ => None,
    };
    let bits: Vec<bool> = text
        .bytes()
        .filter_map(digit)
        .flat_map(|value| (0..6).rev().map(move |bit| value >> bit & 1 == 1))
        .collect();
    bits.chunks_exact(8)
        .map(|byte| byte.iter().fold(0, |all, &bit| all << 1 | u8::from(bit)))
        .collect()
}
