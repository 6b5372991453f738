//! The manifest of a skill, as the manifest crate reads it.

use std::collections::BTreeMap;

use kitbag_manifest::{
    Class, Issue, RULES, SkillContext, SkillManifest, find_skill_file, read_skill,
};
use kitbag_package::Contents;
use kitbag_types::{Finding, Severity, printable};

use crate::report::sort;
use crate::rule_table::POSES_AS_TEXT;
use crate::rules::{Family, RuleInfo};
use crate::session::{Mode, Subject};
use crate::{RuleSet, text};

const SKILL_MD_MISSING: &str = "manifest/skill-md-missing";

/// Returns the rules of this family: those of the manifest crate, and one of the package.
pub(crate) fn rules() -> Vec<RuleInfo> {
    let mut rules = vec![RuleInfo::new(
        SKILL_MD_MISSING,
        Family::Manifest,
        Severity::Critical,
        "a skill has no `SKILL.md` at its top",
        Some("add a `SKILL.md` with `name` and `description`, or name the folder that holds it"),
    )];
    rules.extend(RULES.iter().map(|rule| {
        let (lenient, strict) =
            (severity(rule.class, Mode::Lenient), severity(rule.class, Mode::Strict));
        RuleInfo::new(rule.id, Family::Manifest, lenient, rule.meaning, None).strictly(strict)
    }));
    rules
}

/// How much an issue of a class weighs. What breaks the specification but can be read all the
/// same asks for review where a validator was asked for, and is only told to a loader.
fn severity(class: Class, mode: Mode) -> Severity {
    match (class, mode) {
        (Class::Fatal, _) => Severity::Critical,
        (Class::Strict, Mode::Strict) => Severity::High,
        (Class::Strict, Mode::Lenient) | (Class::Warning, _) => Severity::Low,
    }
}

/// Tells whether a file may be the manifest of a skill, in whatever case its name is written.
/// Those in folders are content.
pub(crate) fn may_be_skill_file(path: &str) -> bool {
    path.eq_ignore_ascii_case("SKILL.md")
}

/// What the manifest came to.
pub(crate) struct Judged {
    pub(crate) findings: Vec<Finding>,
    pub(crate) skill: Option<SkillManifest>,
    /// The path of the manifest, where there is one.
    file: Option<String>,
}

impl Judged {
    /// Tells whether a finding of another family says of the manifest what its own rules say.
    pub(crate) fn says_already(&self, finding: &Finding) -> bool {
        self.file.is_some()
            && finding.file == self.file
            && [text::BOM, POSES_AS_TEXT].contains(&finding.rule.as_str())
    }
}

/// Judges the manifest among the files that may be it.
pub(crate) fn judge(
    rules: &RuleSet,
    mode: Mode,
    subject: &Subject,
    candidates: &BTreeMap<String, Contents>,
) -> Judged {
    let found = find_skill_file(candidates.keys().map(String::as_str));
    let told = found.as_ref().map_or_else(Vec::new, |found| found.issues.clone());
    let found = found.and_then(|found| candidates.get_key_value(found.name));
    let Some((file, contents)) = found else {
        let missing = rules.get(SKILL_MD_MISSING).map(|rule| Finding {
            rule: SKILL_MD_MISSING.to_owned(),
            severity: rule.severity(mode),
            message: "there is no `SKILL.md` at the top of the package".to_owned(),
            file: None,
            line: None,
            column: None,
            remedy: rule.remedy().map(str::to_owned),
            evidence: None,
            match_hash: None,
        });
        return Judged { findings: missing.into_iter().collect(), skill: None, file: None };
    };
    let context = SkillContext { file_name: file, folder: subject.folder.as_deref() };
    let reading = read_skill(contents, &context);
    let mut findings: Vec<Finding> =
        told.into_iter().chain(reading.issues).map(|issue| finding(issue, mode, file)).collect();
    sort(&mut findings);
    Judged { findings, skill: reading.manifest, file: Some(file.clone()) }
}

fn finding(issue: Issue, mode: Mode, file: &str) -> Finding {
    Finding {
        rule: issue.rule.to_owned(),
        severity: severity(issue.class, mode),
        message: printable(&issue.message).to_string(),
        file: Some(file.to_owned()),
        line: issue.line,
        column: issue.column,
        remedy: issue.remedy.map(|remedy| printable(&remedy).to_string()),
        evidence: None,
        match_hash: None,
    }
}
