//! Programs, read by their syntax tree: in a child that is locked down, for a parser that meets
//! foreign text may be led astray by it.

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use kitbag_js_syntax::{
    Answer, Language, MAX_SOURCE_BYTES, Question, Reading, answer, answers_of, request_of, stack_of,
};
use kitbag_package::{Contents, Entry};
use kitbag_sandbox::{BrokenProtocol, Limits, Lockdown, Sandbox, SandboxError, serve_on_stack};
use kitbag_types::{Coded as _, Unwatched};

/// How long one child may parse. A large bundle takes a tenth of a second.
const PARSE_TIME: Duration = Duration::from_secs(5);

/// How much memory it may take beside its stack: a syntax tree is some fifty times its text.
const PARSE_MEMORY: u64 = 768 << 20;

/// How many bytes of text are given to one child: with their answers they fit into a frame.
const MAX_TOGETHER: usize = 1 << 20;

/// How a program is started that parses for us and calls [`serve_syntax`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SyntaxChild {
    program: PathBuf,
    arguments: Vec<OsString>,
    time: Duration,
}

impl SyntaxChild {
    /// Names the program, usually the one that runs, and the arguments that make it call
    /// [`serve_syntax`] with the number that follows them.
    pub fn new(
        program: impl Into<PathBuf>,
        arguments: impl IntoIterator<Item = impl Into<OsString>>,
    ) -> Self {
        let arguments = arguments.into_iter().map(Into::into).collect();
        Self { program: program.into(), arguments, time: PARSE_TIME }
    }

    /// Returns the same with another limit of time for each child.
    #[must_use]
    pub fn within(self, time: Duration) -> Self {
        Self { time, ..self }
    }

    /// Returns what locks a child down on this system.
    ///
    /// # Errors
    /// [`SandboxError`] if a child cannot be started, or not be locked down.
    pub fn probe(&self) -> Result<Lockdown, SandboxError> {
        let arguments = self.arguments.iter().cloned().chain([stack_of(&[]).to_string().into()]);
        Sandbox::new(&self.program, arguments, Limits::default()).probe(&Unwatched)
    }

    /// Asks questions, all of one child.
    ///
    /// # Errors
    /// [`SandboxError`], for all of them.
    pub fn ask(&self, questions: &[Question]) -> Result<Vec<Answer>, SandboxError> {
        let stack = stack_of(questions);
        let limits = Limits {
            wall: self.time,
            cpu: self.time,
            memory: PARSE_MEMORY.saturating_add(stack as u64),
            ..Limits::default()
        };
        let arguments = self.arguments.iter().cloned().chain([stack.to_string().into()]);
        let sandbox = Sandbox::new(&self.program, arguments, limits);
        let bytes = sandbox.run(&request_of(questions), &Unwatched)?;
        answers_of(questions, &bytes).ok_or(SandboxError::Protocol(BrokenProtocol::NotAnAnswer))
    }

    /// Reads what modules call, one after the other or several at once; of each, or why not.
    fn read(&self, questions: &[Question]) -> Vec<Result<Reading, SandboxError>> {
        match self.ask(questions) {
            Ok(answers) => answers
                .into_iter()
                .map(|answer| match answer {
                    Answer::Calls(reading) => Ok(reading),
                    Answer::Shape(_) => Err(SandboxError::Protocol(BrokenProtocol::NotAnAnswer)),
                })
                .collect(),
            // One of them is to blame: each gets a child of its own.
            Err(_) if questions.len() > 1 => {
                questions.chunks(1).flat_map(|question| self.read(question)).collect()
            }
            Err(error) => vec![Err(error)],
        }
    }
}

/// What the process does that [`SyntaxChild`] starts: it locks itself down with a stack of that many
/// bytes, parses what it is given, and ends. To be called first of all, and returned from `main`.
#[must_use = "it is what `main` returns"]
pub fn serve_syntax(stack: usize) -> ExitCode {
    serve_on_stack(stack, answer)
}

/// What came of reading one file by its syntax.
#[derive(Debug)]
pub(crate) enum Syntax {
    /// It is no program of a language that is read so.
    NotRead,
    /// It was read, to its end or not.
    Read(Reading),
    /// Nobody reads it: there is no child to do it.
    Nobody,
    /// Whoever read it did not get through.
    Failed(SandboxError),
}

impl Syntax {
    /// Returns why the rules of syntax have not seen all of the file.
    pub(crate) fn missing(&self) -> Option<String> {
        match self {
            Self::NotRead => None,
            Self::Read(reading) => reading.unread.clone(),
            Self::Nobody => Some("there is no program to parse it".to_owned()),
            Self::Failed(error) => Some(error.to_string()),
        }
    }

    /// Tells whether the text itself stopped whoever read it.
    pub(crate) fn is_defeat(&self) -> bool {
        use kitbag_types::Code;
        matches!(self, Self::Failed(error) if matches!(
            error.code(),
            Code::SandboxTimeout | Code::SandboxMemory | Code::SandboxCrashed | Code::SandboxForbidden
        ))
    }
}

/// Reads the programs among some files, in the order of the files.
pub(crate) fn read(child: Option<&SyntaxChild>, files: &[(Entry, Contents)]) -> Vec<Syntax> {
    let mut all: Vec<Syntax> = files.iter().map(|_| Syntax::NotRead).collect();
    let mut waiting: Vec<(usize, Question)> = Vec::new();
    let mut bytes = 0;
    for (at, (entry, contents)) in files.iter().enumerate() {
        let Some(language) = Language::of_program(entry.path.file_name()) else { continue };
        // What is no UTF-8 is told by the rules of text.
        let Ok(text) = std::str::from_utf8(contents) else { continue };
        let Some(child) = child else {
            all[at] = Syntax::Nobody;
            continue;
        };
        if text.len() > MAX_SOURCE_BYTES {
            let unread = Some(format!("it has more than {MAX_SOURCE_BYTES} bytes"));
            all[at] = Syntax::Read(Reading { calls: Vec::new(), unread });
            continue;
        }
        if bytes + text.len() > MAX_TOGETHER {
            read_waiting(child, &mut waiting, &mut all);
            bytes = 0;
        }
        bytes += text.len();
        waiting.push((at, Question::Calls { language, text: text.to_owned() }));
    }
    if let Some(child) = child {
        read_waiting(child, &mut waiting, &mut all);
    }
    all
}

fn read_waiting(child: &SyntaxChild, waiting: &mut Vec<(usize, Question)>, all: &mut [Syntax]) {
    if waiting.is_empty() {
        return;
    }
    let (places, questions): (Vec<usize>, Vec<Question>) = waiting.drain(..).unzip();
    for (at, reading) in places.into_iter().zip(child.read(&questions)) {
        all[at] = reading.map_or_else(Syntax::Failed, Syntax::Read);
    }
}
