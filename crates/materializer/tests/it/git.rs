//! Repositories fetched over loopback, from git's own server.

use std::os::unix::fs::PermissionsExt as _;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use kitbag_materializer::{
    Existing, FetchError, FetchedSource, GithubPlan, Links, Remote as _, SourcePlan, SourceRequest,
    Surroundings, resolve,
};
use kitbag_package::{digest, read_all};
use kitbag_types::{Code, Coded as _, Principal, Progress, Unwatched, Watch};
use tempfile::TempDir;

use crate::server::{GitServer, Manner};

/// Short beside a test, long beside an answer on loopback.
const SOON: Duration = Duration::from_millis(400);

fn plan(source: &str) -> GithubPlan {
    let principal = Principal::Cli { user: "ada".to_owned() };
    let asked = SourceRequest { text: source, source: None, principal: &principal };
    let surroundings =
        Surroundings { current_dir: std::path::Path::new("/"), existing: Existing::No };
    match resolve(&asked, &surroundings) {
        Ok(SourcePlan::Github(plan)) => plan,
        other => panic!("`{source}` is a repository, not {other:?}"),
    }
}

struct Fetch {
    _scratch: TempDir,
    source: Box<dyn FetchedSource>,
}

fn fetch(server: &GitServer, source: &str) -> Result<Fetch, FetchError> {
    fetch_with(&server.remote(), source, Arc::new(Unwatched))
}

fn fetch_with(
    remote: &kitbag_materializer::GitRemote,
    source: &str,
    watch: Arc<dyn Watch>,
) -> Result<Fetch, FetchError> {
    let scratch = TempDir::new().expect("a temporary folder");
    let source = remote.fetch(&plan(source), scratch.path(), watch)?;
    Ok(Fetch { _scratch: scratch, source })
}

#[track_caller]
fn check_refused(server: &GitServer, source: &str, code: Code, says: &str) {
    let error = fetch(server, source).err().expect("refused");
    let all = format!("{error}: {:?}", std::error::Error::source(&error).map(ToString::to_string));
    assert_eq!(error.code(), code, "{all}");
    assert!(all.contains(says), "`{all}` does not say `{says}`");
}

fn names(fetch: &Fetch) -> Vec<String> {
    let found = fetch.source.candidates().expect("read");
    found.into_iter().map(|candidate| candidate.subpath).collect()
}

fn text(fetch: &Fetch, subpath: &str, path: &str) -> String {
    let package = fetch.source.open(subpath, Links::Refuse).expect("a package");
    let mut text = None;
    read_all(&*package, &mut |entry, contents| {
        if entry.path.as_str() == path {
            text = Some(String::from_utf8_lossy(contents).into_owned());
        }
    })
    .expect("readable");
    text.expect("the file is there")
}

#[test]
fn the_default_branch_is_what_head_says_whatever_it_is_called() {
    let server = GitServer::new();
    let work = server.repository();
    work.skill("skills/alpha", "stale");
    work.push("main");
    work.skill("skills/alpha", "fresh");
    let commit = work.push("trunk");
    let fetched = fetch(&server, "acme/tools").expect("fetched");
    assert_eq!(fetched.source.resolved().commit, commit);
    assert_eq!(fetched.source.resolved().git_ref, None);
    assert!(text(&fetched, "skills/alpha", "SKILL.md").contains("fresh"));
}

#[test]
fn only_the_commit_comes_not_what_was_before_it() {
    let server = GitServer::new();
    let work = server.repository();
    work.skill("a", "one");
    let first = work.push("trunk");
    work.skill("a", "two");
    work.push("trunk");
    let scratch = TempDir::new().expect("a temporary folder");
    let fetched = server.remote().fetch(&plan("acme/tools"), scratch.path(), Arc::new(Unwatched));
    fetched.expect("fetched");
    let repository =
        git2::Repository::open(scratch.path().join("fetched.git")).expect("a repository");
    assert!(repository.find_object(first.parse().expect("an id"), None).is_err());
}

#[test]
fn branches_with_slashes_tags_and_commits_are_found() {
    let server = GitServer::new();
    let work = server.repository();
    work.skill("skills/alpha", "one");
    let first = work.push("trunk");
    work.git(&["tag", "v1.0", "--message", "one", "--annotate"]);
    work.git(&["push", "--quiet", "origin", "v1.0"]);
    work.skill("skills/alpha", "two");
    let second = work.push("feat/new-x");
    work.skill("skills/alpha", "three");
    let third = work.push("trunk");

    let commit =
        |source: &str| fetch(&server, source).expect("fetched").source.resolved().commit.clone();
    assert_eq!(commit("acme/tools#v1.0"), first);
    assert_eq!(commit("acme/tools#feat/new-x"), second);
    assert_eq!(commit(&format!("acme/tools#{third}")), third);
    // The server gives a commit by its id only where it is at the tip of something.
    assert_eq!(commit(&format!("acme/tools#{first}")), first);
    let fetched = fetch(&server, "https://github.com/acme/tools/tree/feat/new-x/skills/alpha")
        .expect("fetched");
    let resolved = fetched.source.resolved();
    assert_eq!(resolved.git_ref.as_deref(), Some("refs/heads/feat/new-x"));
    assert_eq!(resolved.subpath.as_deref(), Some("skills/alpha"));
    assert_eq!(names(&fetched), ["skills/alpha"]);

    check_refused(&server, "acme/tools#v2", Code::SourceRefUnknown, "no branch or tag `v2`");
    check_refused(&server, "acme/tools#V1", Code::SourceRefUnknown, "there is `v1.0`");
    let missing = "0123456789abcdef0123456789abcdef01234567";
    check_refused(&server, &format!("acme/tools#{missing}"), Code::SourceCommitMissing, missing);
}

#[test]
fn a_repository_offers_what_its_names_say() {
    let server = GitServer::new();
    let work = server.repository();
    work.skill("skills/alpha", "one");
    work.skill("skills/alpha/examples/inner", "content");
    work.skill("skills/group/beta", "one");
    work.write("tools/echo/index.mjs", "export default 1");
    work.write("other/index.mjs", "no candidate");
    work.write("node_modules/x/SKILL.md", "no candidate");
    work.push("trunk");
    let fetched = fetch(&server, "acme/tools").expect("fetched");
    assert_eq!(names(&fetched), ["skills/alpha", "skills/group/beta", "tools/echo"]);
    let below = fetch(&server, "acme/tools/skills/group").expect("fetched");
    assert_eq!(names(&below), ["skills/group/beta"]);
    let missing = fetch(&server, "acme/tools/skills/nope").expect("fetched");
    let error = missing.source.candidates().expect_err("no such folder");
    assert_eq!(error.code(), Code::SourceSubpathMissing);
}

#[test]
fn the_package_is_the_tree_byte_for_byte_and_never_checked_out() {
    let server = GitServer::new();
    let work = server.repository();
    work.skill("a", "carriage\r\nreturns stay");
    work.write("a/scripts/run.sh", "#!/bin/sh\n");
    work.write("a/.env.example", "A=1\n");
    work.write("a/empty", "");
    work.write("a/.gitattributes", "* text eol=crlf ident filter=evil\n");
    work.write("a/naïve 技.md", "$Id$\n");
    let run = work.path.join("a/scripts/run.sh");
    fs_err::set_permissions(&run, std::fs::Permissions::from_mode(0o755)).expect("our own file");
    work.git(&["config", "core.autocrlf", "false"]);
    fs_err::remove_file(work.path.join("a/.gitattributes")).expect("ours");
    work.push("trunk");
    let fetched = fetch(&server, "acme/tools").expect("fetched");
    let package = fetched.source.open("a", Links::Refuse).expect("a package");
    let from_git = digest(&read_all(&*package, &mut |_, _| {}).expect("readable"));
    let tree = kitbag_package::PackageTree::open(&work.path.join("a")).expect("a package");
    assert_eq!(from_git, digest(&read_all(&tree, &mut |_, _| {}).expect("readable")));
}

#[test]
fn what_a_package_may_not_hold_is_refused_by_the_same_codes() {
    let server = GitServer::new();
    let work = server.repository();
    for (name, path) in
        [("case", "README.md"), ("case", "readme.md"), ("windows", "aux.md"), ("deep", "x")]
    {
        work.skill(name, "one");
        let deep = if name == "deep" { "d/".repeat(33) } else { String::new() };
        work.write(&format!("{name}/{deep}{path}"), "x");
    }
    work.skill("linked", "one");
    std::os::unix::fs::symlink("/etc/passwd", work.path.join("linked/pw")).expect("linked");
    work.skill("fine", "one");
    work.push("trunk");
    let fetched = fetch(&server, "acme/tools").expect("fetched");
    let code =
        |subpath| fetched.source.open(subpath, Links::Resolve).err().map(|error| error.code());
    assert_eq!(code("case"), Some(Code::PackageCaseCollision));
    assert_eq!(code("windows"), Some(Code::PackagePathWindows));
    assert_eq!(code("deep"), Some(Code::PackageTooDeep));
    assert_eq!(code("linked"), Some(Code::PackageSymlink));
    assert_eq!(code("fine"), None);
    let error = fetched.source.open("linked", Links::Refuse).err().expect("refused");
    assert!(error.to_string().contains("to `/etc/passwd`"), "{error}");
}

#[test]
fn links_inside_the_commit_become_files_where_a_person_says_so() {
    let server = GitServer::new();
    let work = server.repository();
    work.skill("skills/alpha", "one");
    work.write("shared/text.md", "shared\n");
    let link = |target: &str, name: &str| {
        std::os::unix::fs::symlink(target, work.path.join("skills/alpha").join(name))
            .expect("linked");
    };
    link("../../shared/text.md", "text.md");
    link("text.md", "again.md");
    work.push("trunk");
    let fetched = fetch(&server, "acme/tools").expect("fetched");
    let refused = fetched.source.open("skills/alpha", Links::Refuse).err().expect("refused");
    assert_eq!(refused.problems().len(), 2);
    let package = fetched.source.open("skills/alpha", Links::Resolve).expect("a package");
    let mut texts = Vec::new();
    read_all(&*package, &mut |entry, contents| {
        texts.push((entry.path.as_str().to_owned(), contents.len()));
    })
    .expect("readable");
    assert_eq!(texts[1..], [("again.md".to_owned(), 7), ("text.md".to_owned(), 7)]);
    assert_eq!(
        package.left_out(),
        [
            "again.md (a link, taken as the file `shared/text.md`)",
            "text.md (a link, taken as the file `shared/text.md`)"
        ]
    );
    for target in ["../../../outside", "/etc/passwd", "nowhere", "../../shared", "loop.md"] {
        link(target, "loop.md");
        work.push("trunk");
        let fetched = fetch(&server, "acme/tools").expect("fetched");
        let error = fetched.source.open("skills/alpha", Links::Resolve).err().expect("refused");
        assert_eq!(error.problems().len(), 1, "{target}");
        fs_err::remove_file(work.path.join("skills/alpha/loop.md")).expect("ours");
    }
}

#[test]
fn a_submodule_is_named_and_no_content() {
    let server = GitServer::new();
    let work = server.repository();
    work.skill("a", "one");
    let commit = work.push("trunk");
    work.git(&["update-index", "--add", "--cacheinfo", &format!("160000,{commit},a/vendor")]);
    work.git(&["commit", "--quiet", "--message", "a submodule"]);
    work.git(&["push", "--quiet", "origin", "HEAD:trunk"]);
    let fetched = fetch(&server, "acme/tools").expect("fetched");
    let package = fetched.source.open("a", Links::Refuse).expect("a package");
    assert_eq!(package.entries().len(), 1);
    assert_eq!(
        package.left_out(),
        ["a/vendor".trim_start_matches("a/").to_owned() + " (a submodule)"]
    );
}

#[test]
fn of_thirty_thousand_files_one_is_wanted() {
    let server = GitServer::new();
    let work = server.repository();
    for folder in 0..150 {
        for file in 0..200 {
            work.write(&format!("d{folder}/f{file}"), "");
        }
    }
    work.skill("d7/skills/wanted", "one");
    work.push("trunk");
    let fetched = fetch(&server, "acme/tools").expect("fetched");
    assert_eq!(names(&fetched), ["d7/skills/wanted"]);
    assert!(text(&fetched, "d7/skills/wanted", "SKILL.md").contains("one"));
}

#[test]
fn a_server_that_misbehaves_ends_in_one_clear_error() {
    let server = GitServer::new();
    let work = server.repository();
    work.skill("a", &"long ".repeat(20_000));
    work.push("trunk");
    let check = |manner: Manner, code: Code, says: &str| {
        server.behave(manner);
        check_refused(&server, "acme/tools", code, says);
    };
    check(Manner::Breaks, Code::SourceBroken, "");
    check(Manner::Garbles, Code::SourceBroken, "");
    check(Manner::Page, Code::SourceBroken, "`text/html`");
    check(Manner::Status(500), Code::SourceUnreachable, "status 500");
    check(Manner::Status(403), Code::SourceAccessDenied, "status 403");
    check(Manner::Status(404), Code::SourceRepositoryUnknown, "or it is private");
    server.behave(Manner::Good);
    check_refused(&server, "acme/nothing", Code::SourceRepositoryUnknown, "or it is private");
}

#[test]
fn a_server_that_says_nothing_is_given_up_on() {
    let server = GitServer::new();
    let work = server.repository();
    work.skill("a", &"long ".repeat(50_000));
    work.push("trunk");
    server.behave(Manner::Stalls);
    let error = fetch_with(&server.remote_within(SOON, 1 << 30), "acme/tools", Arc::new(Unwatched));
    let error = error.err().expect("given up");
    assert_eq!(error.code(), Code::SourceUnreachable, "{error:?}");
    assert!(error.to_string().contains("said nothing for 0.4 s"), "{error}");
}

#[test]
fn more_bytes_than_are_fetched_end_the_fetch() {
    let server = GitServer::new();
    let work = server.repository();
    // Bytes that do not compress, so that the pack is as large as they are.
    let mut state = 1_u64;
    let noise: String = (0..100_000)
        .map(|_| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            char::from(b' ' + u8::try_from(state >> 58).expect("six bits"))
        })
        .collect();
    work.write("a/noise", &noise);
    work.skill("a", "one");
    work.push("trunk");
    let remote = |bytes| server.remote_within(Duration::from_secs(20), bytes);
    let error =
        fetch_with(&remote(20_000), "acme/tools", Arc::new(Unwatched)).err().expect("too large");
    assert_eq!(error.code(), Code::SourceTooLarge);
    assert!(fetch_with(&remote(400_000), "acme/tools", Arc::new(Unwatched)).is_ok());
}

#[test]
fn a_redirect_is_followed_on_the_same_host_and_refused_to_another() {
    let server = GitServer::new();
    let work = server.repository();
    work.skill("a", "one");
    let commit = work.push("trunk");
    let elsewhere = GitServer::new();
    let info = "info/refs?service=git-upload-pack";
    server.behave(Manner::Redirects(format!("/moved/tools.git/{info}")));
    assert_eq!(fetch(&server, "acme/tools").expect("fetched").source.resolved().commit, commit);
    server.behave(Manner::Redirects(format!("{}/acme/tools.git/{info}", elsewhere.address())));
    check_refused(&server, "acme/tools", Code::SourceRedirected, "`127.0.0.1`");
    assert!(elsewhere.requests().is_empty(), "not even asked");
    server.behave(Manner::Redirects(format!("/acme/tools.git/{info}")));
    check_refused(&server, "acme/tools", Code::SourceRedirected, "from one place to the next");
}

/// A credential helper as git runs it.
fn helper(server: &GitServer, user: &str, secret: &str) {
    let text = format!(
        "[credential]\n\thelper = \"!f() {{ echo username={user}; echo password={secret}; }}; f\"\n"
    );
    fs_err::write(server.folder.path().join("gitconfig"), text).expect("a file");
}

#[test]
fn a_private_repository_is_read_with_the_credential_helper() {
    let server = GitServer::new();
    let work = server.repository();
    work.skill("a", "one");
    let commit = work.push("trunk");
    server.behave(Manner::Private("ada", "s3cret"));
    fs_err::write(server.folder.path().join("gitconfig"), "").expect("a file");
    check_refused(&server, "acme/tools", Code::SourceAccessDenied, "who is there");
    helper(&server, "ada", "wrong");
    check_refused(&server, "acme/tools", Code::SourceAccessDenied, "does not take");
    helper(&server, "ada", "s3cret");
    assert_eq!(fetch(&server, "acme/tools").expect("fetched").source.resolved().commit, commit);
    // Only once it was asked for.
    assert!(!server.requests()[0].contains("credential"), "{:?}", server.requests());
    let error = fetch(&server, "acme/nothing").err().expect("refused");
    assert!(!format!("{error:?}").contains("s3cret"), "{error:?}");
}

#[test]
fn no_credential_follows_a_redirect_to_another_host() {
    let server = GitServer::new();
    let elsewhere = GitServer::new();
    helper(&server, "ada", "s3cret");
    let info = "info/refs?service=git-upload-pack";
    server.behave(Manner::Redirects(format!("{}/acme/tools.git/{info}", elsewhere.address())));
    check_refused(&server, "acme/tools", Code::SourceRedirected, "");
    assert!(elsewhere.requests().is_empty());
}

/// Calls it off once so many reports of progress came.
struct CallsOff {
    after: u64,
    reports: AtomicU64,
}

impl Watch for CallsOff {
    fn is_cancelled(&self) -> bool {
        self.reports.load(Ordering::Relaxed) >= self.after
    }

    fn progress(&self, progress: &Progress) {
        assert!(matches!(progress, Progress::Fetching { .. }));
        self.reports.fetch_add(1, Ordering::Relaxed);
    }
}

#[test]
fn a_fetch_that_is_called_off_ends_at_once() {
    let server = GitServer::new();
    let work = server.repository();
    work.skill("a", &"long ".repeat(50_000));
    work.push("trunk");
    for (manner, after) in [(Manner::Silent, 0), (Manner::Good, 0), (Manner::Good, 1)] {
        server.behave(manner);
        let watch = Arc::new(CallsOff { after, reports: AtomicU64::new(0) });
        let error = fetch_with(&server.remote(), "acme/tools", watch).err().expect("called off");
        assert_eq!(error.code(), Code::OperationCancelled, "{error}");
    }
}

/// A program in the place of `ssh`: it runs what it is asked to on this machine.
fn ssh(server: &GitServer, script: &str) {
    let path = server.folder.path().join("ssh");
    fs_err::write(&path, format!("#!/bin/sh\n{script}\n")).expect("a file");
    fs_err::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).expect("our own file");
}

#[test]
fn a_repository_behind_ssh_is_read_by_the_persons_own_program() {
    let server = GitServer::new();
    let work = server.repository();
    work.skill("a", "one");
    let commit = work.push("trunk");
    let served = server.folder.path().join("served").display().to_string();
    ssh(
        &server,
        &format!(
            "echo \"$@\" > '{served}/asked'; for last; do :; done; cd '{served}'; exec sh -c \"$last\""
        ),
    );
    let fetched = fetch(&server, "git@github.com:acme/tools.git").expect("fetched");
    assert_eq!(fetched.source.resolved().commit, commit);
    assert!(text(&fetched, "a", "SKILL.md").contains("one"));
    let asked = fs_err::read_to_string(format!("{served}/asked")).expect("written");
    assert!(asked.contains("BatchMode=yes"), "{asked}");
    assert!(asked.contains("-- git@github.com git-upload-pack 'acme/tools.git'"), "{asked}");
    assert!(server.requests().is_empty());

    ssh(&server, "echo 'git@github.com: Permission denied (publickey).' >&2; exit 255");
    check_refused(
        &server,
        "git@github.com:acme/tools",
        Code::SourceAccessDenied,
        "Permission denied",
    );
    ssh(&server, "echo 'ERROR: Repository not found.' >&2; exit 128");
    check_refused(&server, "git@github.com:acme/tools", Code::SourceRepositoryUnknown, "not found");
    ssh(&server, "exit 1");
    check_refused(
        &server,
        "git@github.com:acme/tools",
        Code::SourceUnreachable,
        "the connection ended",
    );
    fs_err::remove_file(server.folder.path().join("ssh")).expect("ours");
    check_refused(
        &server,
        "git@github.com:acme/tools",
        Code::SourceUnreachable,
        "cannot be started",
    );
}

#[test]
fn an_empty_repository_has_no_commit() {
    let server = GitServer::new();
    server.repository();
    check_refused(&server, "acme/tools", Code::SourceRefUnknown, "empty");
}
