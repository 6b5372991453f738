//! Doctor: is everything where it should be, and can this program work here?

use kitbag_package::read_all;
use kitbag_scanner::SyntaxChild;
use kitbag_types::{Code, Coded as _, DoctorCheck, DoctorResult, VerifyStatus, printable};

use crate::request::{Mend, VerifyRequest};
use crate::service::CapabilityLifecycleService;
use crate::{Chain, LifecycleError, Settings};

/// Looks at a runtime root and says, line by line, what is well and what needs attention. It never
/// fails: what cannot be looked at is a line too.
pub fn doctor(settings: &Settings, principal: kitbag_types::Principal) -> DoctorResult {
    let mut checks = vec![DoctorCheck {
        name: "root".to_owned(),
        ok: true,
        message: if settings.root.exists() {
            settings.root.display().to_string()
        } else {
            format!("{} (made by the first mutation)", settings.root.display())
        },
        hint: None,
    }];
    match CapabilityLifecycleService::open(settings) {
        Ok(service) => {
            checks.push(sound("database", settings.database.display().to_string()));
            checks.push(recovery(&service));
            checks.push(history(&service));
            checks.push(mirror(&service, settings, &principal));
            checks.extend(packages(&service, principal));
            checks.extend(versions(&service));
            checks.extend(folders(&service));
            checks.push(match service.rules() {
                Ok(rules) => sound("rules", format!("{} rules judge", rules.rules().count())),
                Err(error) => failed("rules", &error),
            });
        }
        Err(error) => checks.push(failed("database", &error)),
    }
    checks.extend(settings.syntax.as_ref().map(sandbox));
    DoctorResult { ok: checks.iter().all(|check| check.ok), checks }
}

/// Whether what parses foreign programs can be locked down here.
fn sandbox(child: &SyntaxChild) -> DoctorCheck {
    match child.probe() {
        Ok(lockdown) => sound("sandbox", lockdown.to_string()),
        Err(error) => DoctorCheck {
            name: "sandbox".to_owned(),
            ok: false,
            message: error.to_string(),
            hint: error.code().remedy().map(str::to_owned),
        },
    }
}

fn recovery(service: &CapabilityLifecycleService) -> DoctorCheck {
    let open = match service.registry.open_journal() {
        Ok(open) => open,
        Err(error) => return failed("journal", &error.into()),
    };
    let abandoned = match service.depot.abandoned() {
        Ok(abandoned) => abandoned,
        Err(error) => return failed("journal", &error.into()),
    };
    if open.is_empty() && abandoned.is_empty() {
        return sound("journal", "no operation was interrupted".to_owned());
    }
    DoctorCheck {
        name: "journal".to_owned(),
        ok: false,
        message: format!(
            "{} interrupted operations and {} staging areas are waiting to be cleared",
            open.len(),
            abandoned.len()
        ),
        hint: Some("the next command that changes something clears them".to_owned()),
    }
}

fn history(service: &CapabilityLifecycleService) -> DoctorCheck {
    match service.history(None, Chain::Verify) {
        Ok(result) => match result.first_broken {
            None => sound("history", format!("{} entries, the chain holds", result.entries.len())),
            Some(seq) => DoctorCheck {
                name: "history".to_owned(),
                ok: false,
                message: format!("the chain is broken at entry {seq}"),
                hint: kitbag_types::Code::HistoryBroken.remedy().map(str::to_owned),
            },
        },
        Err(error) => failed("history", &error),
    }
}

/// What the next runtime that opens the root will do with its configuration.
fn mirror(
    service: &CapabilityLifecycleService,
    settings: &Settings,
    principal: &kitbag_types::Principal,
) -> DoctorCheck {
    let result = match service.reconcile(&settings.root, principal, crate::Mode::Plan) {
        Ok(result) => result,
        Err(error) => return failed("mirror", &error),
    };
    let Some(first) = result.results.iter().find_map(|item| Some((item, item.problem.as_ref()?)))
    else {
        let due = result.results.iter().filter(|item| item.inserted).count();
        return sound("mirror", format!("{} entries, {due} to insert", result.results.len()));
    };
    let (item, problem) = first;
    DoctorCheck {
        name: "mirror".to_owned(),
        ok: false,
        message: format!("`capabilities[{}]`: {problem}", item.index),
        hint: Some(format!(
            "correct it in `{}`; the others are not stopped by it",
            crate::CONFIG_FILE
        )),
    }
}

fn packages(
    service: &CapabilityLifecycleService,
    principal: kitbag_types::Principal,
) -> Vec<DoctorCheck> {
    let request = VerifyRequest {
        principal,
        ids: Vec::new(),
        mend: Mend::Nothing,
        review: crate::Review::Refuse,
    };
    let result = match service.verify(&request) {
        Ok(result) => result,
        Err(error) => return vec![failed("packages", &error)],
    };
    let is_sound =
        |status: VerifyStatus| matches!(status, VerifyStatus::Ok | VerifyStatus::Unpromoted);
    let good = result.results.iter().filter(|item| is_sound(item.status)).count();
    let mut checks = vec![sound("packages", format!("{good} as recorded"))];
    for item in result.results.iter().filter(|item| !is_sound(item.status)) {
        let note = item.note.as_ref().map_or_else(String::new, |note| format!(": {note}"));
        checks.push(DoctorCheck {
            name: "packages".to_owned(),
            ok: false,
            message: format!("`{}` is {}{note}", item.id, item.status.as_str()),
            hint: hint(item.status, &item.id),
        });
    }
    checks
}

/// Whether `revert` could bring back what it says it can.
fn versions(service: &CapabilityLifecycleService) -> Vec<DoctorCheck> {
    let digests = match service.registry.kept_digests() {
        Ok(digests) => digests,
        Err(error) => return vec![failed("versions", &error.into())],
    };
    let mut checks = vec![sound("versions", String::new())];
    for digest in &digests {
        let what = match service.depot.kept(digest) {
            Ok(None) => "is gone".to_owned(),
            Err(error) => format!("cannot be read: {error}"),
            Ok(Some(package)) => match read_all(&*package, &mut |_, _| {}) {
                Ok(listing) if kitbag_package::digest(&listing) == *digest => continue,
                Ok(_) => "was edited".to_owned(),
                Err(error) => format!("cannot be read: {error}"),
            },
        };
        checks.push(DoctorCheck {
            name: "versions".to_owned(),
            ok: false,
            message: format!("the kept version {digest} {what}"),
            hint: Some("`revert` cannot bring it back; `kitbag gc` lets go of it".to_owned()),
        });
    }
    checks[0].message = format!("{} kept as recorded", digests.len() + 1 - checks.len());
    checks
}

/// Whether anybody else could change packages.
fn folders(service: &CapabilityLifecycleService) -> Vec<DoctorCheck> {
    match service.depot.survey() {
        Ok(survey) => survey
            .exposed
            .iter()
            .map(|folder| DoctorCheck {
                name: "folders".to_owned(),
                ok: false,
                message: format!(
                    "`{}` belongs to another user or can be written by others",
                    printable(folder)
                ),
                hint: Code::DepotUntrusted.remedy().map(str::to_owned),
            })
            .collect(),
        Err(error) => vec![failed("folders", &error.into())],
    }
}

fn hint(status: VerifyStatus, id: &str) -> Option<String> {
    match status {
        VerifyStatus::Missing => Some(format!("run `kitbag verify --repair {id}`")),
        VerifyStatus::NoBaseline => Some(format!("run `kitbag verify --baseline {id}`")),
        VerifyStatus::Modified => Some(format!(
            "see the edits with `kitbag verify {id}`; `kitbag update --force {id}` keeps them as a version"
        )),
        VerifyStatus::Stranger => Some("move it away, or add it as a source".to_owned()),
        VerifyStatus::Unreadable => Some("move away what does not belong there".to_owned()),
        VerifyStatus::Ok | VerifyStatus::Unpromoted | VerifyStatus::BrokenRecord => None,
    }
}

fn sound(name: &str, message: String) -> DoctorCheck {
    DoctorCheck { name: name.to_owned(), ok: true, message, hint: None }
}

fn failed(name: &str, error: &LifecycleError) -> DoctorCheck {
    DoctorCheck { name: name.to_owned(), ok: false, message: error.to_string(), hint: error.hint() }
}
