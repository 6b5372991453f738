//! The table of source forms.

use std::path::Path;

use kitbag_types::{Principal, RequestSource};
use proptest::prelude::*;

use super::{Existing, GitRef, SourcePlan, SourceRequest, Surroundings, resolve};

fn person() -> Principal {
    Principal::Cli { user: "ada".to_owned() }
}

fn agent() -> Principal {
    Principal::Agent { agent: "helper".to_owned(), event_id: None }
}

fn outcome(text: &str, source: Option<RequestSource>, principal: &Principal) -> String {
    let request = SourceRequest { text, source, principal };
    let surroundings = Surroundings { current_dir: Path::new("/home/ada"), existing: Existing::No };
    match resolve(&request, &surroundings) {
        Err(error) => error.code.as_str().to_owned(),
        Ok(SourcePlan::Local(path)) => path.display().to_string(),
        Ok(SourcePlan::Workspace(path)) => format!("workspace:{path}"),
        Ok(SourcePlan::Github(plan)) => {
            let mut out = format!("{} {:?}", plan.url(), plan.transport).to_lowercase();
            match &plan.git_ref {
                GitRef::Default => {}
                GitRef::Named(name) => out += &format!(" ref={name}"),
                GitRef::Commit(id) => out += &format!(" commit={id}"),
                GitRef::TreePath(parts) => out += &format!(" tree={}", parts.join(",")),
            }
            if let Some(subpath) = &plan.subpath {
                out += &format!(" subpath={subpath}");
            }
            if let Some(pick) = &plan.pick {
                out += &format!(" pick={pick}");
            }
            out
        }
    }
}

#[track_caller]
fn cli(text: &str, expected: &str) {
    assert_eq!(outcome(text, None, &person()), expected, "{text}");
}

#[test]
fn a_person_names_a_repository_in_the_usual_forms() {
    let plain = "https://github.com/acme/tools https";
    for text in [
        "https://github.com/acme/tools",
        "https://github.com/acme/tools.git",
        "https://github.com/acme/tools/",
        "https://github.com/acme/tools?tab=readme-ov-file",
        "HTTPS://GitHub.com/acme/tools",
        "https://www.github.com/acme/tools",
        "git+https://github.com/acme/tools.git",
        "github:acme/tools",
        "gh:acme/tools",
        "acme/tools",
    ] {
        cli(text, plain);
    }
    for text in [
        "git@github.com:acme/tools.git",
        "ssh://git@github.com/acme/tools.git",
        "git+ssh://git@github.com/acme/tools.git",
    ] {
        cli(text, "https://github.com/acme/tools ssh");
    }
    cli("acme/tools/skills/pdf", &format!("{plain} subpath=skills/pdf"));
    cli("acme/tools@pdf", &format!("{plain} pick=pdf"));
    cli("acme/tools#v1.2.0", &format!("{plain} ref=v1.2.0"));
    cli("acme/tools#feat/new-x@pdf", &format!("{plain} ref=feat/new-x pick=pdf"));
    let commit = "0123456789abcdef0123456789abcdef01234567";
    cli(&format!("acme/tools#{commit}"), &format!("{plain} commit={commit}"));
    cli(
        "https://github.com/acme/tools/tree/feat/new-x/skills/alpha",
        &format!("{plain} tree=feat,new-x,skills,alpha"),
    );
    cli(
        "https://github.com/acme/tools/blob/v1.2.0/skills/pdf/SKILL.md",
        &format!("{plain} tree=v1.2.0,skills,pdf"),
    );
}

#[test]
fn what_may_not_be_fetched_is_refused_by_its_own_code() {
    for (text, code) in [
        ("http://github.com/acme/tools", "source/scheme-not-allowed"),
        ("git://github.com/acme/tools", "source/scheme-not-allowed"),
        ("file:///srv/skills/pdf", "source/scheme-not-allowed"),
        ("ext::sh -c id", "source/scheme-not-allowed"),
        ("fd::17", "source/scheme-not-allowed"),
        ("https://user:token@github.com/acme/tools", "source/credentials-in-url"),
        ("https://github.com@evil.org/acme/tools", "source/credentials-in-url"),
        ("ssh://root@github.com/acme/tools", "source/credentials-in-url"),
        ("https://github.com:8443/acme/tools", "source/port-not-allowed"),
        ("https://gitlab.com/acme/tools", "source/host-not-allowed"),
        ("https://github.com.evil.org/acme/tools", "source/host-not-allowed"),
        ("https://github.com./acme/tools", "source/host-not-allowed"),
        ("https://xn--gthub-n4a.com/acme/tools", "source/host-not-allowed"),
        ("https://g\u{456}thub.com/acme/tools", "source/host-not-allowed"),
        ("https://raw.githubusercontent.com/a/b/main/SKILL.md", "source/host-not-allowed"),
        ("git@evil.org:acme/tools.git", "source/host-not-allowed"),
        ("https://github.com\\.evil.org/acme", "source/malformed"),
        ("https://github.com/acme", "source/repository-missing"),
        ("https://github.com/acme/tools/issues/1", "source/malformed"),
        ("https://github.com/acme/tools/../other", "source/path-traversal"),
        ("https://github.com/acme/%2e%2e/other", "source/path-traversal"),
        ("https://github.com/acme/tools/tree/main/../../x", "source/path-traversal"),
        ("acme/tools/skills/..", "source/path-traversal"),
        ("acme/tools#--upload-pack=touch", "source/option-look-alike"),
        ("--upload-pack=touch", "source/option-look-alike"),
        ("-oProxyCommand=x", "source/option-look-alike"),
        ("npm:left-pad", "source/kind-not-allowed"),
        ("builtin:greeting", "source/kind-not-allowed"),
        ("", "source/empty"),
        ("   ", "source/empty"),
        ("acme/tools\nother", "source/control-character"),
    ] {
        cli(text, code);
    }
}

#[test]
fn a_person_may_name_any_folder() {
    cli("./skills/pdf", "/home/ada/./skills/pdf");
    cli("../skills/pdf", "/home/ada/../skills/pdf");
    cli("/srv/skills/pdf", "/srv/skills/pdf");
    cli("pdf", "/home/ada/pdf");
}

#[test]
fn a_folder_that_exists_is_meant_before_a_repository_of_that_name() {
    let principal = person();
    let request =
        SourceRequest { text: "fixtures/quickstart", source: None, principal: &principal };
    let surroundings =
        Surroundings { current_dir: Path::new("/home/ada"), existing: Existing::Yes };
    assert_eq!(
        resolve(&request, &surroundings),
        Ok(SourcePlan::Local("/home/ada/fixtures/quickstart".into()))
    );
}

#[test]
fn an_agent_stays_in_the_workspace() {
    for (text, expected) in [
        ("projects/pdf", "workspace:projects/pdf"),
        ("./projects/pdf", "workspace:projects/pdf"),
        (".", "workspace:."),
        ("/srv/skills/pdf", "source/outside-workspace"),
        ("../outside", "source/outside-workspace"),
        ("projects/../../outside", "source/outside-workspace"),
        ("~/skills/pdf", "source/outside-workspace"),
        ("file:///srv/skills/pdf", "source/scheme-not-allowed"),
    ] {
        assert_eq!(outcome(text, Some(RequestSource::Local), &agent()), expected, "{text}");
    }
    assert_eq!(
        outcome("/srv/repo", Some(RequestSource::Github), &agent()),
        "source/repository-missing"
    );
}

#[test]
fn a_refused_source_never_repeats_a_credential() {
    for text in [
        "https://ada:hunter2@github.com/a/b",
        "https://hunter2@evil.org/a?t=hunter2",
        "http://github.com/a/b?t=hunter2",
    ] {
        let principal = person();
        let request = SourceRequest { text, source: None, principal: &principal };
        let surroundings = Surroundings { current_dir: Path::new("/"), existing: Existing::No };
        let error = resolve(&request, &surroundings).expect_err("refused");
        assert!(!error.to_string().contains("hunter2"), "{error}");
    }
}

proptest! {
    #[test]
    fn no_text_panics_and_what_is_accepted_is_safe(text in "[-a-zA-Z0-9:/@#.?%~^ \\\\éп_]{0,60}") {
        for principal in [person(), agent()] {
            for source in [None, Some(RequestSource::Github), Some(RequestSource::Local)] {
                let request = SourceRequest { text: &text, source, principal: &principal };
                let surroundings = Surroundings { current_dir: Path::new("/w"), existing: Existing::No };
                match resolve(&request, &surroundings) {
                    Ok(SourcePlan::Github(plan)) => {
                        prop_assert!(plan.url().starts_with("https://github.com/"));
                        prop_assert!(!plan.url().contains(['@', '#', '?', '%', ' ']));
                        prop_assert!(!plan.owner.starts_with('-') && !plan.repository.starts_with('-'));
                        if let GitRef::Named(name) = &plan.git_ref {
                            prop_assert!(!name.starts_with('-') && !name.contains(".."));
                        }
                    }
                    Ok(SourcePlan::Workspace(path)) => {
                        prop_assert!(!path.starts_with('/'));
                        prop_assert!(path.split('/').all(|part| part != ".."));
                    }
                    Ok(SourcePlan::Local(_)) => prop_assert!(!principal.is_agent()),
                    Err(error) => prop_assert!(error.code.as_str().starts_with("source/")),
                }
            }
        }
    }
}
