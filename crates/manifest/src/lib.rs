//! Manifests: what a package says of itself.
//!
//! [`read_skill`] reads a `SKILL.md` once and says two things at the same time: what a loader can
//! use of it, and everything that is wrong with it, each with a [`Class`] and a place. A strict
//! judge asks [`SkillReading::is_valid`]; a lenient loader takes [`SkillReading::manifest`].
//!
//! ```
//! use kitbag_manifest::{SkillContext, read_skill};
//!
//! let text = "---\nname: tidy-notes\ndescription: Use when: notes are rough\n---\n\nTidy them.\n";
//! let context = SkillContext { file_name: "SKILL.md", folder: Some("tidy-notes") };
//! let reading = read_skill(text.as_bytes(), &context);
//!
//! assert!(!reading.is_valid()); // an unquoted `: ` is no YAML
//! let manifest = reading.manifest.expect("but what was meant can be recovered");
//! assert_eq!(manifest.description, "Use when: notes are rough");
//! assert_eq!((reading.issues[0].rule, reading.issues[0].line), ("manifest/unquoted-value", Some(3)));
//! ```
//!
//! [`yaml`] is the one door by which YAML of others comes in.
//!
//! **Errors.** Reading never fails: what is wrong is an [`Issue`], and [`RULES`] is the table of all of them.
//! `docs/skill-md.md` lists where the verdict differs from the reference validator's, and why.
//!
//! **Limitations.** The body is not looked at. The manifests of the other kinds are not read yet.

#![deny(missing_docs)]

mod file;
mod issue;
mod rules;
mod skill;
pub mod yaml;

pub use file::{SkillFile, find_skill_file};
pub use issue::{Class, Issue, Rule};
pub use rules::RULES;
pub use skill::{
    MAX_COMPATIBILITY_CHARS, MAX_DESCRIPTION_CHARS, MAX_FRONT_MATTER_BYTES, SkillContext,
    SkillManifest, SkillReading, read_skill,
};
