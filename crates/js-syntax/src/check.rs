//! The check: parse, refuse what nests too deeply, bind names, judge the exports, look for hazards.

mod bindings;
pub(crate) mod depth;
mod diagnose;
mod exports;
mod hazards;
mod judge;
mod notes;

use std::fmt::Display;

use kitbag_types::printable;
use oxc_allocator::Allocator;
use oxc_ast::ast::Program;
use oxc_parser::{ParseOptions, Parser};
use oxc_semantic::{Scoping, SemanticBuilder};
use oxc_span::{LabeledSpan, SourceType, Span};

use crate::brackets;
use crate::place::Lines;
use crate::rules::{self, Rule};
use crate::source::{MAX_BRACKET_DEPTH, MAX_SOURCE_BYTES, MAX_SYNTAX_PROBLEMS, MAX_TREE_DEPTH};
use crate::stack::with_stack_for;
use crate::{Language, ModuleKind, Problem, Shape, Source};

use self::bindings::Bindings;
use self::notes::Notes;

/// Returns whether the exports of a module have the shape that a loader accepts for that kind, and
/// if not, why. The module is parsed, never run.
///
/// The call may come from a thread with a small stack: the parse has a thread of its own.
pub fn check_shape(source: Source<'_>, kind: ModuleKind) -> Shape {
    check_on(source, kind, |work| with_stack_for(source.text.len(), work))
}

/// As [`check_shape`], on the stack of the caller, which must be of
/// [`stack_for`](crate::stack_for) the text's length.
pub fn check_shape_here(source: Source<'_>, kind: ModuleKind) -> Shape {
    check_on(source, kind, |work| Some(work()))
}

fn check_on(
    source: Source<'_>,
    kind: ModuleKind,
    on_its_stack: impl FnOnce(Box<dyn FnOnce() -> Shape + Send + '_>) -> Option<Shape>,
) -> Shape {
    let text = source.text.strip_prefix('\u{feff}').unwrap_or(source.text);
    if source.text.len() > MAX_SOURCE_BYTES {
        let message = format!("the module has {} bytes", source.text.len());
        return Shape::refused(Problem::of_file(&rules::TOO_LARGE, message, kind));
    }
    let lines = Lines::new(text);
    let mut notes = Notes::new(&lines, kind);
    if let Some(offset) = text.find('\0') {
        notes.at(&rules::NUL, offset, "there is a NUL character");
        return notes.into_shape();
    }
    if let Some(offset) = brackets::deeper_than(MAX_BRACKET_DEPTH, text) {
        let message = format!("brackets are nested more than {MAX_BRACKET_DEPTH} deep");
        notes.at(&rules::TOO_DEEP, offset, message);
        return notes.into_shape();
    }
    let work = Box::new(move || {
        let mut notes = Notes::new(&lines, kind);
        parse_and_check(text, source.language, &mut notes);
        notes.into_shape()
    });
    on_its_stack(work).unwrap_or_else(|| {
        let message = "the parser could not be run over the module";
        Shape::refused(Problem::of_file(&rules::NOT_CHECKED, message, kind))
    })
}

/// As [`check_shape`], for a file's bytes as they are: what is not UTF-8 is a problem of its own.
pub fn check_shape_bytes(bytes: &[u8], language: Language, kind: ModuleKind) -> Shape {
    let error = match str::from_utf8(bytes) {
        Ok(text) => return check_shape(Source { text, language }, kind),
        Err(error) => error,
    };
    let valid = &bytes[..error.valid_up_to()];
    let text = str::from_utf8(valid).expect("the standard library says it is valid up to there");
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let lines = Lines::new(text);
    let mut notes = Notes::new(&lines, kind);
    let message = format!("byte 0x{:02x} begins no character", bytes[valid.len()]);
    notes.at(&rules::NOT_UTF8, text.len(), message);
    notes.into_shape()
}

fn parse_and_check(text: &str, language: Language, notes: &mut Notes<'_>) {
    let allocator = Allocator::default();
    let options = ParseOptions { parse_regular_expression: true, ..ParseOptions::default() };
    let parsed = Parser::new(&allocator, text, source_type(language)).with_options(options).parse();
    let program = parsed.program;
    let place = |labels: &[LabeledSpan]| labels.first().map(LabeledSpan::span);
    syntax(notes, parsed.diagnostics.iter().map(|error| (&error.message, place(&error.labels))));
    if notes.is_refused() {
        return;
    }
    if let Some(span) = depth::deeper_than(MAX_TREE_DEPTH, &program) {
        let message = format!("the syntax is nested more than {MAX_TREE_DEPTH} deep");
        notes.at(&rules::TOO_DEEP, span.start as usize, message);
        return;
    }
    let built = SemanticBuilder::new().with_check_syntax_error(true).build(&program);
    syntax(notes, built.diagnostics.iter().map(|error| (&error.message, place(&error.labels))));
    if notes.is_refused() {
        return;
    }
    check_program(&program, built.semantic.scoping(), notes);
}

fn check_program(program: &Program<'_>, scoping: &Scoping, notes: &mut Notes<'_>) {
    let bindings = Bindings::of(program, scoping);
    hazards::find(program, &bindings, notes);
    exports::check(program, &bindings, notes);
}

fn source_type(language: Language) -> SourceType {
    match language {
        Language::JavaScript => SourceType::mjs(),
        Language::Jsx => SourceType::mjs().with_jsx(true),
        Language::TypeScript => SourceType::ts().with_module(true),
        Language::Tsx => SourceType::tsx().with_module(true),
    }
}

fn syntax<M: Display>(notes: &mut Notes<'_>, errors: impl Iterator<Item = (M, Option<Span>)>) {
    for (message, span) in errors.take(MAX_SYNTAX_PROBLEMS) {
        let message = message.to_string();
        let start = span.map_or(0, |span| span.start as usize);
        notes.at(&rules::SYNTAX, start, format!("the parser says: {}", printable(message.trim())));
    }
}

/// One thing that is wrong, before its place is known in lines.
struct Fault {
    rule: &'static Rule,
    span: Span,
    message: String,
}

impl Fault {
    fn new(rule: &'static Rule, span: Span, message: impl Into<String>) -> Self {
        Self { rule, span, message: message.into() }
    }

    /// A fault that needs no more words than its rule has.
    fn plain(rule: &'static Rule, span: Span) -> Self {
        Self::new(rule, span, rule.meaning)
    }
}
