//! The forms in which people name a GitHub repository.

use kitbag_types::{Code, InvalidPath, PackagePath};

/// How the repository is reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the words are their own explanation")]
pub enum Transport {
    Https,
    Ssh,
}

/// Which commit is asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum GitRef {
    /// What HEAD of the repository says.
    Default,
    /// A branch or a tag.
    Named(String),
    /// A full commit id.
    Commit(String),
    /// The parts behind `/tree/` or `/blob/`: a ref that may hold slashes, then a path. The
    /// longest ref that exists wins, which only the repository can tell.
    TreePath(Vec<String>),
}

/// A repository, a commit and a place in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GithubPlan {
    /// The owner of the repository.
    pub owner: String,
    /// Its name, without `.git`.
    pub repository: String,
    /// How it is reached.
    pub transport: Transport,
    /// Which commit.
    pub git_ref: GitRef,
    /// The folder inside it, where one was named.
    pub subpath: Option<PackagePath>,
    /// Which of several capabilities.
    pub pick: Option<String>,
}

impl GithubPlan {
    /// Returns the normalised URL that is recorded: https, no credentials, no `.git`.
    pub fn url(&self) -> String {
        format!("https://github.com/{}/{}", self.owner, self.repository)
    }
}

impl GithubPlan {
    /// Returns what is recorded as the source: the normalised URL, by SSH where it was named so,
    /// since a private repository may be reached by nothing else.
    pub fn source_ref(&self) -> String {
        match self.transport {
            Transport::Https => self.url(),
            Transport::Ssh => format!("ssh://git@github.com/{}/{}", self.owner, self.repository),
        }
    }
}

/// Parses every accepted form.
pub(super) fn parse(text: &str) -> Result<GithubPlan, Code> {
    if text.contains("::") {
        return Err(Code::SourceScheme);
    }
    if let Some((scheme, rest)) = text.split_once("://") {
        return match scheme.to_ascii_lowercase().as_str() {
            "https" | "git+https" => https(rest),
            "ssh" | "git+ssh" => ssh(rest),
            _ => Err(Code::SourceScheme),
        };
    }
    if let Some((scheme, rest)) = text.split_once(':') {
        match scheme {
            "github" | "gh" => return shorthand(rest, Transport::Https),
            "npm" | "builtin" => return Err(Code::SourceKind),
            _ => {}
        }
        if let Some((user, host)) = scheme.split_once('@') {
            return scp(user, host, rest);
        }
    }
    shorthand(text, Transport::Https)
}

fn https(rest: &str) -> Result<GithubPlan, Code> {
    let (authority, path) = split_authority(rest)?;
    if authority.contains('@') {
        return Err(Code::SourceCredentials);
    }
    if authority.contains(':') {
        return Err(Code::SourcePort);
    }
    let host = authority.to_ascii_lowercase();
    if host != "github.com" && host != "www.github.com" {
        return Err(Code::SourceHost);
    }
    url_path(path, Transport::Https)
}

fn ssh(rest: &str) -> Result<GithubPlan, Code> {
    let (authority, path) = split_authority(rest)?;
    let host = match authority.rsplit_once('@') {
        Some(("git", host)) => host,
        Some(_) => return Err(Code::SourceCredentials),
        None => authority,
    };
    if host.contains(':') {
        return Err(Code::SourcePort);
    }
    if !host.eq_ignore_ascii_case("github.com") {
        return Err(Code::SourceHost);
    }
    url_path(path, Transport::Ssh)
}

fn scp(user: &str, host: &str, path: &str) -> Result<GithubPlan, Code> {
    if !host.eq_ignore_ascii_case("github.com") {
        return Err(Code::SourceHost);
    }
    if user != "git" {
        return Err(Code::SourceCredentials);
    }
    if path.starts_with(|c: char| c.is_ascii_digit()) && path.split('/').count() > 2 {
        return Err(Code::SourcePort);
    }
    url_path(path, Transport::Ssh)
}

fn split_authority(rest: &str) -> Result<(&str, &str), Code> {
    // A backslash is a path separator to some URL parsers and not to others.
    if rest.contains('\\') {
        return Err(Code::SourceMalformed);
    }
    let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
    Ok((&rest[..end], rest[end..].trim_start_matches('/')))
}

/// `OWNER/REPO[.git][/tree/REF/PATH][?…][#REF][@SKILL]`
fn url_path(path: &str, transport: Transport) -> Result<GithubPlan, Code> {
    let (path, fragment) = split_fragment(path);
    let path = path.split('?').next().unwrap_or(path);
    if path.contains('%') {
        let encoded_dot = path.to_ascii_lowercase().contains("%2e");
        return Err(if encoded_dot { Code::SourceTraversal } else { Code::SourceMalformed });
    }
    let (path, path_pick) = if fragment.is_none() { split_pick(path)? } else { (path, None) };
    let parts: Vec<&str> = path.split('/').filter(|part| !part.is_empty()).collect();
    let (owner, repository, rest) = repository(&parts)?;
    let (mut git_ref, mut pick) = git_ref(fragment)?;
    pick = pick.or(path_pick);
    match rest {
        [] => {}
        ["tree" | "blob"] => return Err(Code::SourceMalformed),
        [form @ ("tree" | "blob"), parts @ ..] => {
            if git_ref != GitRef::Default {
                return Err(Code::SourceMalformed);
            }
            git_ref = GitRef::TreePath(tree_path(form, parts)?);
        }
        _ => return Err(Code::SourceMalformed),
    }
    Ok(GithubPlan { owner, repository, transport, git_ref, subpath: None, pick })
}

fn tree_path(form: &str, parts: &[&str]) -> Result<Vec<String>, Code> {
    let is_skill_file = parts.last().is_some_and(|last| last.eq_ignore_ascii_case("SKILL.md"));
    let parts = match (form, is_skill_file) {
        ("blob", true) => &parts[..parts.len() - 1],
        ("blob", false) => return Err(Code::SourceMalformed),
        _ => parts,
    };
    if parts.is_empty() {
        return Err(Code::SourceMalformed);
    }
    check_ref(parts[0])?;
    subpath(&parts.join("/"))?;
    Ok(parts.iter().map(|&part| part.to_owned()).collect())
}

/// `OWNER/REPO[/SUB/PATH][#REF][@SKILL]`
fn shorthand(text: &str, transport: Transport) -> Result<GithubPlan, Code> {
    if text.contains('\\') {
        return Err(Code::SourceMalformed);
    }
    let (path, fragment) = split_fragment(text);
    let (path, path_pick) = if fragment.is_none() { split_pick(path)? } else { (path, None) };
    let parts: Vec<&str> = path.split('/').collect();
    let (owner, repository, rest) = repository(&parts)?;
    let (git_ref, pick) = git_ref(fragment)?;
    let rest: Vec<&str> = rest.iter().copied().filter(|part| !part.is_empty()).collect();
    let subpath = if rest.is_empty() { None } else { Some(subpath(&rest.join("/"))?) };
    Ok(GithubPlan { owner, repository, transport, git_ref, subpath, pick: pick.or(path_pick) })
}

fn split_fragment(text: &str) -> (&str, Option<&str>) {
    text.split_once('#').map_or((text, None), |(path, fragment)| (path, Some(fragment)))
}

fn split_pick(text: &str) -> Result<(&str, Option<String>), Code> {
    match text.rsplit_once('@') {
        Some((rest, pick)) => Ok((rest, Some(check_pick(pick)?))),
        None => Ok((text, None)),
    }
}

fn check_pick(pick: &str) -> Result<String, Code> {
    if pick.starts_with('-') {
        return Err(Code::SourceOption);
    }
    if pick.is_empty() || pick.contains(['/', '\\', ' ', ':']) {
        return Err(Code::SourceMalformed);
    }
    Ok(pick.to_owned())
}

fn repository<'p>(parts: &'p [&'p str]) -> Result<(String, String, &'p [&'p str]), Code> {
    if parts.iter().any(|&part| part == ".." || part == ".") {
        return Err(Code::SourceTraversal);
    }
    let [owner, repository, rest @ ..] = parts else {
        return Err(Code::SourceRepository);
    };
    let repository = repository.strip_suffix(".git").unwrap_or(repository);
    if owner.is_empty() || repository.is_empty() {
        return Err(Code::SourceRepository);
    }
    if owner.starts_with('-') || repository.starts_with('-') {
        return Err(Code::SourceOption);
    }
    let word = |text: &str, extra: &[char]| {
        text.len() <= 100 && text.chars().all(|c| c.is_ascii_alphanumeric() || extra.contains(&c))
    };
    if !word(owner, &['-', '_']) || !word(repository, &['-', '_', '.']) {
        return Err(Code::SourceMalformed);
    }
    Ok(((*owner).to_owned(), repository.to_owned(), rest))
}

fn git_ref(fragment: Option<&str>) -> Result<(GitRef, Option<String>), Code> {
    let Some(fragment) = fragment else {
        return Ok((GitRef::Default, None));
    };
    let (name, pick) = split_pick(fragment)?;
    if name.is_empty() {
        return Ok((GitRef::Default, pick));
    }
    check_ref(name)?;
    let is_commit = name.len() == 40 && name.bytes().all(|b| b.is_ascii_hexdigit());
    let git_ref = if is_commit {
        GitRef::Commit(name.to_ascii_lowercase())
    } else {
        GitRef::Named(name.to_owned())
    };
    Ok((git_ref, pick))
}

/// The rules of `git check-ref-format`, and no leading hyphen.
fn check_ref(name: &str) -> Result<(), Code> {
    if name.split('/').any(|part| part.starts_with('-')) {
        return Err(Code::SourceOption);
    }
    if name.contains("..") {
        return Err(Code::SourceTraversal);
    }
    let malformed = name.contains(['~', '^', ':', '?', '*', '[', '\\', ' '])
        || name.contains("@{")
        || name.split('/').any(|part| {
            part.is_empty()
                || part.starts_with('.')
                || part.ends_with(".lock")
                || part.ends_with('.')
        });
    if malformed { Err(Code::SourceMalformed) } else { Ok(()) }
}

fn subpath(text: &str) -> Result<PackagePath, Code> {
    PackagePath::new(text).map_err(|InvalidPath { code, .. }| match code {
        Code::PackagePathTraversal | Code::PackagePathEmpty => Code::SourceTraversal,
        _ => Code::SourceMalformed,
    })
}
