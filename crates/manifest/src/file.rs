//! Which file is the manifest.

use crate::Issue;
use crate::issue::Place;
use crate::rules::TWO_FILES;

/// The name that the specification gives.
pub(crate) const SKILL_MD: &str = "SKILL.md";

/// The manifest of a skill among the files at its top.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SkillFile<'a> {
    /// Its name as it is written.
    pub name: &'a str,
    /// What is to be said of the choice.
    pub issues: Vec<Issue>,
}

/// Finds the manifest among file names: `SKILL.md` as it is written, else the first in any case.
/// Names with a `/` are content and never it.
pub fn find_skill_file<'a>(names: impl IntoIterator<Item = &'a str>) -> Option<SkillFile<'a>> {
    let mut found: Vec<&str> =
        names.into_iter().filter(|name| name.eq_ignore_ascii_case(SKILL_MD)).collect();
    found.sort_by_key(|name| (*name != SKILL_MD, *name));
    let (&name, others) = found.split_first()?;
    let issues = others
        .iter()
        .map(|other| {
            Issue::new(&TWO_FILES, format!("`{other}` is there too, and is not read"), Place::START)
                .remedy("keep one of them, called `SKILL.md`")
        })
        .collect();
    Some(SkillFile { name, issues })
}
