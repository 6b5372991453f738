//! JavaScript and TypeScript, parsed and never run.
//!
//! [`check_shape`] says whether a module's exports have the one shape that a loader accepts: direct
//! results of the factory that the module imports from an authoring module. What is not so is a
//! [`Problem`] with a code, a place and what to write instead.
//!
//! ```
//! use kitbag_js_syntax::{Language, ModuleKind, Source, check_shape};
//!
//! let text = "import { defineTool } from '@flue/runtime';\n\
//!             export const greet = () => defineTool({ name: 'greet', run() {} });\n";
//! let language = Language::from_file_name("greet.mjs").expect("the language is known");
//! let shape = check_shape(Source { text, language }, ModuleKind::Tool);
//!
//! assert!(!shape.is_accepted());
//! let problem = &shape.problems[0];
//! assert_eq!((problem.code, problem.line, problem.column), ("shape/function", 2, 22));
//! assert_eq!(problem.remedy, "export the call's result: `export const x = defineTool({ … })`");
//! ```
//!
//! **Errors.** Checking never fails: what is wrong is a [`Problem`], and [`RULES`] is the table of
//! all of them. `docs/js-shape.md` explains each with an example.
//!
//! **Limitations.** It reads one module and follows no import. It sees what is written, so code that
//! is reached through `(() => {}).constructor('…')` is not found, nor what happens to a result after
//! it was made. It does not know whether the module loads: constants that are used before their line
//! and a definition that the factory refuses come out at load.
//!
//! The parser recurses, so the check runs on a thread with a stack that fits the text, and refuses
//! what nests deeper than its limits. It has no limit of time or memory, which is the work of the
//! process that calls it: a few hundred bytes of nested patterns and type arguments
//! (`({a=A<({a=A<…`) keep the parser busy for ever. A panic in the parser is caught and told as
//! `shape/not-checked`, after the hook of the process has printed it.

#![deny(missing_docs)]

mod factory;
mod rules;
mod shape;
mod source;

mod brackets;
mod place;
mod stack;

mod check;

mod calls;
mod wire;

pub use calls::{
    Call, MAX_CALL_BYTES, MAX_CALLS, MAX_CALLS_BYTES, Reading, Unread, read_calls, read_calls_here,
};
pub use check::{check_shape, check_shape_bytes, check_shape_here};
pub use factory::ModuleKind;
pub use rules::{Class, RULES, Rule};
pub use shape::{Export, Problem, Shape};
pub use source::{
    Language, MAX_BRACKET_DEPTH, MAX_SOURCE_BYTES, MAX_SYNTAX_PROBLEMS, MAX_TREE_DEPTH, Source,
};
pub use stack::stack_for;
pub use wire::{Answer, Question, answer, answers_of, request_of, stack_of};
