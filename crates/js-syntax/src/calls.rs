//! What a module calls, in clear text: under the names that things have where they come from, with
//! constant texts put together.

mod names;
mod render;
mod texts;

use std::fmt;

use kitbag_types::printable;
use oxc_allocator::Allocator;
use oxc_ast::AstKind;
use oxc_parser::Parser;
use oxc_semantic::SemanticBuilder;
use oxc_span::{GetSpan as _, SourceType};
use serde::{Deserialize, Serialize};

use crate::brackets;
use crate::check::depth;
use crate::place::Lines;
use crate::source::{MAX_BRACKET_DEPTH, MAX_SOURCE_BYTES, MAX_TREE_DEPTH};
use crate::stack::with_stack_for;
use crate::{Language, Source};

use self::render::Renderer;

/// At most this many calls of one module are told: a bundle of a mebibyte has some 30,000.
pub const MAX_CALLS: usize = 50_000;

/// At most this many bytes tell one call: a command line, or what a person would read of it.
pub const MAX_CALL_BYTES: usize = 2_000;

/// At most this many bytes tell the calls of one module together.
pub const MAX_CALLS_BYTES: usize = 2 << 20;

/// One call.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Call {
    /// The line in the file, counted from 1.
    pub line: u32,
    /// The column in characters, counted from 1.
    pub column: u32,
    /// The call, one line, such as `child_process.exec("rm -rf ~")`. It quotes the module: show it
    /// through [`printable`].
    pub text: String,
}

/// What was read of a module.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Reading {
    /// The calls, in the order of the text.
    pub calls: Vec<Call>,
    /// Why the module was not read, or not to its end.
    pub unread: Option<Unread>,
}

/// Why a module was not read, or not to its end.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub enum Unread {
    /// It is neither a module nor a script: no engine runs it.
    Syntax(String),
    /// A limit was met, and an engine may well run it.
    Limit(String),
}

impl fmt::Display for Unread {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (Self::Syntax(why) | Self::Limit(why)) = self;
        f.write_str(why)
    }
}

impl Reading {
    fn unread(why: Unread) -> Self {
        Self { calls: Vec::new(), unread: Some(why) }
    }

    fn over(limit: impl Into<String>) -> Self {
        Self::unread(Unread::Limit(limit.into()))
    }
}

/// Returns what a module or a script calls. It is parsed, never run.
///
/// Names are those of where things come from: `import { exec as run } from 'node:child_process'` and
/// `const { exec: run } = require('child_process')` both make `run(x)` a call of
/// `child_process.exec`. Texts are put together where all of them are constant.
///
/// ```
/// use kitbag_js_syntax::{Language, Source, read_calls};
///
/// let text = "const { ['ex' + 'ec']: run } = require('child_process');\n\
///             run(`rm -rf ${'~'}`);\n";
/// let reading = read_calls(Source { text, language: Language::JavaScript });
/// assert_eq!(reading.calls[0].text, "child_process.exec(\"rm -rf ~\")");
/// assert_eq!((reading.calls[0].line, reading.calls[0].column), (2, 1));
/// ```
pub fn read_calls(source: Source<'_>) -> Reading {
    let read = || read_calls_here(source);
    with_stack_for(source.text.len(), read)
        .unwrap_or_else(|| Reading::over("the parser could not be run over it"))
}

/// As [`read_calls`], on the stack of the caller, which must be of
/// [`stack_for`](crate::stack_for) the text's length.
pub fn read_calls_here(source: Source<'_>) -> Reading {
    let text = source.text.strip_prefix('\u{feff}').unwrap_or(source.text);
    if source.text.len() > MAX_SOURCE_BYTES {
        return Reading::over(format!("it has more than {MAX_SOURCE_BYTES} bytes"));
    }
    if brackets::deeper_than(MAX_BRACKET_DEPTH, text).is_some() {
        return Reading::over(format!("brackets are nested more than {MAX_BRACKET_DEPTH} deep"));
    }
    let mut why = String::new();
    for source_type in source_types(source.language) {
        match parse(text, source_type) {
            Ok(reading) => return reading,
            // What one way of reading can see and is too deep for is no worse in another.
            Err(limit @ Unread::Limit(_)) => return Reading::unread(limit),
            Err(Unread::Syntax(problem)) => why = problem,
        }
    }
    Reading::unread(Unread::Syntax(why))
}

/// A `.js` file may be a module or a script, and a script may return from its top.
fn source_types(language: Language) -> [SourceType; 2] {
    match language {
        // What bundlers read is also markup in `.js`; no program means something else for that.
        Language::JavaScript => [SourceType::mjs().with_jsx(true), SourceType::cjs()],
        Language::Jsx => [SourceType::mjs().with_jsx(true), SourceType::cjs().with_jsx(true)],
        Language::TypeScript => {
            [SourceType::ts().with_module(true), SourceType::ts().with_commonjs(true)]
        }
        Language::Tsx => {
            [SourceType::tsx().with_module(true), SourceType::tsx().with_commonjs(true)]
        }
    }
}

fn parse(text: &str, source_type: SourceType) -> Result<Reading, Unread> {
    let allocator = Allocator::default();
    let parsed = Parser::new(&allocator, text, source_type).parse();
    if let Some(error) = parsed.diagnostics.iter().next() {
        let message = printable(error.message.trim());
        return Err(Unread::Syntax(format!("the parser says: {message}")));
    }
    let program = parsed.program;
    if depth::deeper_than(MAX_TREE_DEPTH, &program).is_some() {
        let message = format!("the syntax is nested more than {MAX_TREE_DEPTH} deep");
        return Err(Unread::Limit(message));
    }
    let semantic = SemanticBuilder::new().with_build_nodes(true).build(&program).semantic;
    let lines = Lines::of_line_feeds(text);
    let mut renderer = Renderer::new(&semantic);
    let mut reading = Reading::default();
    let mut bytes = 0;
    for node in semantic.nodes().iter() {
        let Some(text) = renderer.call(node.kind()) else { continue };
        bytes += text.len();
        if reading.calls.len() == MAX_CALLS || bytes > MAX_CALLS_BYTES || renderer.is_spent() {
            let message = "it has more calls than are looked at".to_owned();
            reading.unread = Some(Unread::Limit(message));
            break;
        }
        let (line, column) = lines.place(place_of(node.kind()));
        reading.calls.push(Call { line, column, text });
    }
    reading.calls.sort_by_key(|call| (call.line, call.column));
    Ok(reading)
}

fn place_of(kind: AstKind<'_>) -> usize {
    kind.span().start as usize
}
