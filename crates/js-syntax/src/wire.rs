//! Questions and answers as bytes, for whoever asks in another process.
//!
//! The one who answers has read foreign text, so an answer is not to be trusted: it is read with
//! limits, and only rules that exist are in it.

use serde::{Deserialize, Serialize};

use crate::calls::{MAX_CALL_BYTES, MAX_CALLS, Reading, read_calls_here};
use crate::rules::RULES;
use crate::stack::stack_for;
use crate::{Export, Language, ModuleKind, Problem, Shape, Source, check_shape_here};

/// What is asked of one module.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub enum Question {
    /// What it calls.
    Calls {
        /// Its language.
        language: Language,
        /// Its text.
        text: String,
    },
    /// Whether its exports have the shape of a kind.
    Shape {
        /// Its language.
        language: Language,
        /// What it is to be.
        kind: ModuleKind,
        /// Its text.
        text: String,
    },
}

impl Question {
    fn text(&self) -> &str {
        match self {
            Self::Calls { text, .. } | Self::Shape { text, .. } => text,
        }
    }
}

/// The answer to one question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// To [`Question::Calls`].
    Calls(Reading),
    /// To [`Question::Shape`].
    Shape(Shape),
}

/// Returns the questions as bytes.
pub fn request_of(questions: &[Question]) -> Vec<u8> {
    serde_json::to_vec(questions).expect("plain data serialises")
}

/// Returns how many bytes of stack [`answer`] needs for these questions.
pub fn stack_of(questions: &[Question]) -> usize {
    stack_for(questions.iter().map(|question| question.text().len()).max().unwrap_or_default())
}

/// Answers questions, on the stack of the caller. Bytes that are no questions have no answer.
pub fn answer(request: &[u8]) -> Vec<u8> {
    let Ok(questions) = serde_json::from_slice::<Vec<Question>>(request) else { return Vec::new() };
    let answers: Vec<Wire> = questions
        .iter()
        .map(|question| match question {
            Question::Calls { language, text } => {
                Wire::Calls(read_calls_here(Source { text, language: *language }))
            }
            Question::Shape { language, kind, text } => {
                Wire::of(check_shape_here(Source { text, language: *language }, *kind))
            }
        })
        .collect();
    serde_json::to_vec(&answers).expect("plain data serialises")
}

/// Reads the answers to questions. `None`: these are not the answers to them.
pub fn answers_of(questions: &[Question], bytes: &[u8]) -> Option<Vec<Answer>> {
    let answers: Vec<Wire> = serde_json::from_slice(bytes).ok()?;
    if answers.len() != questions.len() {
        return None;
    }
    let read = |(question, answer): (&Question, Wire)| match (question, answer) {
        (Question::Calls { .. }, Wire::Calls(reading)) => {
            let sound = reading.calls.len() <= MAX_CALLS
                && reading.calls.iter().all(|call| call.text.len() <= MAX_CALL_BYTES);
            sound.then_some(Answer::Calls(reading))
        }
        (Question::Shape { .. }, Wire::Shape { exports, problems, warnings }) => {
            let all = |problems: Vec<WireProblem>| -> Option<Vec<Problem>> {
                problems.into_iter().map(WireProblem::known).collect()
            };
            let exports = exports.into_iter().map(Into::into).collect();
            let (problems, warnings) = (all(problems)?, all(warnings)?);
            Some(Answer::Shape(Shape { exports, problems, warnings }))
        }
        _ => None,
    };
    questions.iter().zip(answers).map(read).collect()
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
enum Wire {
    Calls(Reading),
    Shape { exports: Vec<WireExport>, problems: Vec<WireProblem>, warnings: Vec<WireProblem> },
}

impl Wire {
    fn of(shape: Shape) -> Self {
        let all = |problems: Vec<Problem>| problems.into_iter().map(Into::into).collect();
        Self::Shape {
            exports: shape.exports.into_iter().map(Into::into).collect(),
            problems: all(shape.problems),
            warnings: all(shape.warnings),
        }
    }
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct WireExport {
    name: String,
    array_length: Option<usize>,
    line: u32,
    column: u32,
}

impl From<Export> for WireExport {
    fn from(it: Export) -> Self {
        let Export { name, array_length, line, column } = it;
        Self { name, array_length, line, column }
    }
}

impl From<WireExport> for Export {
    fn from(it: WireExport) -> Self {
        let WireExport { name, array_length, line, column } = it;
        Self { name, array_length, line, column }
    }
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct WireProblem {
    line: u32,
    column: u32,
    code: String,
    message: String,
    remedy: String,
}

impl WireProblem {
    /// Only a rule that there is can be broken.
    fn known(self) -> Option<Problem> {
        let Self { line, column, code, message, remedy } = self;
        let rule = RULES.iter().find(|rule| rule.code == code)?;
        Some(Problem { line, column, code: rule.code, message, remedy })
    }
}

impl From<Problem> for WireProblem {
    fn from(it: Problem) -> Self {
        let Problem { line, column, code, message, remedy } = it;
        Self { line, column, code: code.to_owned(), message, remedy }
    }
}
