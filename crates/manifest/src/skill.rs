//! `SKILL.md`: the front matter of the Agent Skills specification.

mod fields;
mod front_matter;
mod indentation;
mod recover;

use std::collections::BTreeMap;

use crate::issue::Place;
use crate::rules::FILE_NAME;
use crate::{Class, Issue, file};

/// The most characters of a description (source: the Agent Skills specification).
pub const MAX_DESCRIPTION_CHARS: usize = 1024;

/// The most characters of `compatibility` (source: the Agent Skills specification).
pub const MAX_COMPATIBILITY_CHARS: usize = 500;

/// The most bytes of front matter: real ones have a few hundred, and a reader of thousands of
/// skills parses each of them.
pub const MAX_FRONT_MATTER_BYTES: usize = 64 * 1024;

/// What is known of a manifest from outside it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SkillContext<'a> {
    /// The name of the file.
    pub file_name: &'a str,
    /// The name of the folder it lies in, where that is known.
    pub folder: Option<&'a str>,
}

/// What a loader can use of a `SKILL.md`. Text is as it was written: show it through
/// [`printable`](kitbag_types::printable).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SkillManifest {
    /// `name`, not yet checked to be an id.
    pub name: String,
    /// `description`.
    pub description: String,
    /// `license`.
    pub license: Option<String>,
    /// `compatibility`.
    pub compatibility: Option<String>,
    /// `metadata`: its texts; lists and mappings in it are left out.
    pub metadata: BTreeMap<String, String>,
    /// `allowed-tools`, in whatever form it was written.
    pub allowed_tools: Vec<String>,
    /// `metadata.version`, else the unknown key `version`.
    pub version: Option<String>,
    /// The keys at the top that the specification does not know.
    pub unknown_keys: Vec<String>,
    /// Where the body begins, in bytes of the file.
    pub body_offset: usize,
}

/// What reading a `SKILL.md` came to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SkillReading {
    /// What can be used; none exactly where an issue is fatal.
    pub manifest: Option<SkillManifest>,
    /// Everything that is wrong, by place.
    pub issues: Vec<Issue>,
}

impl SkillReading {
    /// Tells whether the specification is kept: there may be warnings.
    pub fn is_valid(&self) -> bool {
        self.issues.iter().all(|issue| issue.class == Class::Warning)
    }
}

/// Reads a `SKILL.md`. It never fails: what is wrong is among the issues.
pub fn read_skill(bytes: &[u8], context: &SkillContext<'_>) -> SkillReading {
    let mut issues = Vec::new();
    if context.file_name != file::SKILL_MD {
        let message = format!("the file is called `{}`", context.file_name);
        let issue = Issue::new(&FILE_NAME, message, Place::START);
        issues.push(issue.remedy("rename it to `SKILL.md`: most programs look for no other"));
    }
    let manifest = front_matter::read(bytes, &mut issues)
        .and_then(|front_matter| fields::read(&front_matter, context, &mut issues));
    let fatal = issues.iter().any(|issue| issue.class == Class::Fatal);
    issues.sort_by_key(|issue| (issue.line, issue.column));
    SkillReading { manifest: manifest.filter(|_| !fatal), issues }
}
