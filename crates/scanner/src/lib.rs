//! Packages in, findings out. Never executes, never touches the network.
//!
//! The scanner reads each file of a package once and says what it saw: facts about its bytes and
//! shape, each a [`Finding`](kitbag_types::Finding) with a rule, a severity, a place and a remedy.
//! From the severities follows the verdict: `pass`, `review` or `block`.
//!
//! [`scan`] reads a package by itself. Whoever reads the files anyway (to hash or to copy them)
//! opens a [`Session`] instead and shows it each file, so that the bytes judged are the bytes
//! hashed and written.
//!
//! ```
//! use kitbag_package::{Contents, Entry};
//! use kitbag_scanner::{Options, RuleSet, Session, Subject};
//! use kitbag_types::{Kind, PackagePath, Verdict};
//!
//! let rules = RuleSet::builtin();
//! let mut session = Session::new(&rules, Subject::new(Kind::Skill), Options::default());
//! for (path, text) in [
//!     ("SKILL.md", "---\nname: greet\ndescription: Greets people by name.\n---\n\n# Greet\n"),
//!     ("scripts/greet.sh", "#!/bin/sh\n# \u{202e} reads backwards\necho hello\n"),
//! ] {
//!     let contents = Contents::new(text.as_bytes().to_vec());
//!     let path = PackagePath::new(path).expect("the path is relative and plain");
//!     session.visit(&Entry { path, executable: true, size: contents.len() as u64 }, &contents);
//! }
//! let report = session.finish().report;
//! assert_eq!(report.verdict, Verdict::Block);
//! assert_eq!(report.findings[0].rule, "text/bidi-control");
//! assert_eq!(report.findings[0].line, Some(2));
//! ```
//!
//! **Limitations.** A pass says that no fact the rules know of was seen, not that the package means
//! well: deterministic rules are a weak judge of intent. JavaScript and TypeScript are parsed in a child
//! where the host names one ([`RuleSet::with_syntax`]), other languages are read by pattern. A look-alike
//! letter in a comment counts like one in an identifier, and a word made of look-alikes only is
//! not told from an ordinary word of its script. Archives are not opened.
//!
//! **Errors.** Scanning itself cannot fail. Reading can, with the errors of [`kitbag_package`];
//! [`package_findings`] turns those that are about the package into findings.

#![deny(missing_docs)]

mod matching;
mod rule_table;
mod rules;

mod content;
mod inventory;
mod manifest;
mod package;
mod pattern;
mod source;
mod syntax;
mod text;

mod report;
mod session;

pub mod docs;
pub mod sarif;

pub use matching::MatchKey;
pub use package::{package_findings, package_report};
pub use pattern::{InvalidRules, MAX_OWN_RULES, MAX_RULES_BYTES, redact};
pub use rules::{Family, Layer, RuleInfo, RuleSet};
pub use session::{Mode, Options, Outcome, Session, Subject, scan};
pub use syntax::{SyntaxChild, serve_syntax};
