//! From what a person or an agent wrote to a plan: which bytes are meant. Pure: nothing is read.

mod github;

use std::path::{Component, Path, PathBuf};

use kitbag_types::{Code, Coded, Principal, RequestSource, printable};

pub use github::{GitRef, GithubPlan, Transport};

/// What was asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceRequest<'a> {
    /// The text as it was written.
    pub text: &'a str,
    /// The source that the request names; none on a command line, where the text decides.
    pub source: Option<RequestSource>,
    /// Who asks.
    pub principal: &'a Principal,
}

/// The facts of the surface that a plan may depend on.
#[derive(Clone, Copy, Debug)]
pub struct Surroundings<'a> {
    /// The folder that a person's relative path starts from.
    pub current_dir: &'a Path,
    /// Whether the text, taken as a path from there, names something that exists. It decides
    /// between a folder `a/b` and the repository `a/b` on a command line.
    pub existing: Existing,
}

/// Whether a path exists.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the words are their own explanation")]
pub enum Existing {
    Yes,
    No,
}

/// Which bytes are meant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SourcePlan {
    /// A folder that a person named: any absolute path.
    Local(PathBuf),
    /// A folder that an agent named, relative to the workspace; `.` is the workspace itself.
    Workspace(String),
    /// A GitHub repository.
    Github(GithubPlan),
}

/// A source that is refused before a byte is touched.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{}`: {}", printable(.text), .code.meaning())]
pub struct SourceRefused {
    /// The source as it was written, without any credential in it.
    pub text: String,
    /// Which rule refuses it.
    pub code: Code,
}

impl Coded for SourceRefused {
    fn code(&self) -> Code {
        self.code
    }
}

/// Decides which bytes a request means.
///
/// # Errors
/// [`SourceRefused`] with a `source/…` code. The text in it is shortened to its first `@` or `?`
/// where it may hold a credential.
pub fn resolve(
    request: &SourceRequest<'_>,
    surroundings: &Surroundings<'_>,
) -> Result<SourcePlan, SourceRefused> {
    let text = request.text.trim();
    plan(text, request, surroundings)
        .map_err(|code| SourceRefused { text: without_secret(text, code), code })
}

fn plan(
    text: &str,
    request: &SourceRequest<'_>,
    surroundings: &Surroundings<'_>,
) -> Result<SourcePlan, Code> {
    if text.is_empty() {
        return Err(Code::SourceEmpty);
    }
    if text.chars().any(char::is_control) {
        return Err(Code::SourceControlCharacter);
    }
    if text.starts_with('-') {
        return Err(Code::SourceOption);
    }
    match request.source {
        Some(RequestSource::Github) => github::parse(text).map(SourcePlan::Github),
        Some(RequestSource::Local) => local(text, request.principal, surroundings),
        None if is_local(text, surroundings.existing) => {
            local(text, request.principal, surroundings)
        }
        None => github::parse(text).map(SourcePlan::Github),
    }
}

/// Tells whether a text on a command line is a path: it is spelt like one, it exists, or it has
/// neither a scheme nor the shape of a repository.
fn is_local(text: &str, existing: Existing) -> bool {
    if text.contains("://") || text.contains("::") {
        return false;
    }
    let spelt_like_one = text == "."
        || text == ".."
        || text == "~"
        || ["./", "../", "/", "~/"].iter().any(|start| text.starts_with(start));
    spelt_like_one
        || existing == Existing::Yes
        || !(text.contains('/') || text.contains(':') || text.contains('@'))
}

fn local(
    text: &str,
    principal: &Principal,
    surroundings: &Surroundings<'_>,
) -> Result<SourcePlan, Code> {
    if text.contains("://") || text.contains("::") {
        return Err(Code::SourceScheme);
    }
    if principal.is_agent() {
        workspace_relative(text).map(SourcePlan::Workspace)
    } else {
        Ok(SourcePlan::Local(surroundings.current_dir.join(text)))
    }
}

fn workspace_relative(text: &str) -> Result<String, Code> {
    if text.starts_with('~') || text.contains('\\') {
        return Err(Code::SourceOutside);
    }
    let mut parts = Vec::new();
    for component in Path::new(text).components() {
        match component {
            Component::CurDir => {}
            Component::Normal(part) => parts.push(part.to_string_lossy().into_owned()),
            Component::ParentDir | Component::RootDir | Component::Prefix(_) => {
                return Err(Code::SourceOutside);
            }
        }
    }
    Ok(if parts.is_empty() { ".".to_owned() } else { parts.join("/") })
}

/// Shortens a refused source so that no credential in it reaches a message or a log.
fn without_secret(text: &str, code: Code) -> String {
    let Some((scheme, rest)) = text.split_once("://") else {
        return text.to_owned();
    };
    let authority = rest.split(['/', '?', '#']).next().unwrap_or(rest);
    match authority.rsplit_once('@') {
        Some((_, host)) => format!(
            "{scheme}://…@{host}{}",
            if code == Code::SourceCredentials { "/…" } else { "" }
        ),
        None => rest
            .split(['?', '#'])
            .next()
            .map_or_else(String::new, |path| format!("{scheme}://{path}")),
    }
}

#[cfg(test)]
mod tests;
