//! Programs, read by their syntax tree: in a child that is locked down, for a parser that meets
//! foreign text may be led astray by it.

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use kitbag_js_syntax::{
    Answer, Language, MAX_SOURCE_BYTES, Question, Reading, Unread, answer, answers_of, request_of,
    stack_of,
};
use kitbag_package::{Contents, Entry};
use kitbag_sandbox::{BrokenProtocol, Limits, Lockdown, Sandbox, SandboxError, serve_on_stack};
use kitbag_types::{Code, Coded as _, Unwatched};

use crate::source::has_shebang;

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

    /// Reads what modules call, all in one child.
    fn read(&self, questions: &[Question]) -> Result<Vec<Reading>, SandboxError> {
        let other = || SandboxError::Protocol(BrokenProtocol::NotAnAnswer);
        self.ask(questions)?
            .into_iter()
            .map(|answer| match answer {
                Answer::Calls(reading) => Ok(reading),
                Answer::Shape(_) => Err(other()),
            })
            .collect()
    }
}

/// What the process does that [`SyntaxChild`] starts: it locks itself down with a stack of that many
/// bytes, parses what it is given, and ends. To be called first of all, and returned from `main`.
#[must_use = "it is what `main` returns"]
pub fn serve_syntax(stack: usize) -> ExitCode {
    serve_on_stack(stack, answer)
}

/// After so many programs of one package that stop the parser, no more of it are parsed: each takes
/// the whole time, and what they are is clear by then.
const MAX_DEFEATS: usize = 3;

/// What came of reading one file by its syntax.
#[derive(Debug)]
pub(crate) enum Syntax {
    /// It is no program of a language that is read so.
    NotRead,
    /// It was read, to its end or not.
    Read(Reading),
    /// Nobody reads it: there is no child to do it, by the choice of the host.
    Nobody,
    /// Others of the package stopped the parser before.
    GivenUp,
    /// Whoever read it did not get through.
    Failed(SandboxError),
}

/// What it means that a program was not read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Gap {
    /// It is no program: no engine runs it.
    NoProgram,
    /// It may run, and nobody has seen what it calls.
    Unseen,
    /// It stopped whoever read it.
    Defeat,
    /// The host parses nothing, and knows it.
    Chosen,
}

impl Syntax {
    /// Returns why the rules of syntax have not seen all of the file, and what that means.
    pub(crate) fn missing(&self) -> Option<(Gap, String)> {
        match self {
            Self::NotRead | Self::Read(Reading { unread: None, .. }) => None,
            Self::Read(Reading { unread: Some(why), .. }) => match why {
                Unread::Syntax(_) => Some((Gap::NoProgram, why.to_string())),
                Unread::Limit(_) => Some((Gap::Unseen, why.to_string())),
            },
            Self::Nobody => Some((Gap::Chosen, "there is no program to parse it".to_owned())),
            Self::GivenUp => {
                let why = "other programs of the package stopped the parser too often";
                Some((Gap::Unseen, why.to_owned()))
            }
            Self::Failed(error) => {
                let gap = if is_defeat(error) { Gap::Defeat } else { Gap::Unseen };
                Some((gap, error.to_string()))
            }
        }
    }
}

/// Tells whether the text itself stopped whoever read it.
fn is_defeat(error: &SandboxError) -> bool {
    matches!(
        error.code(),
        Code::SandboxTimeout | Code::SandboxMemory | Code::SandboxCrashed | Code::SandboxForbidden
    )
}

/// Reads the programs among some files, in the order of the files. `defeats` counts those of the
/// whole package that stopped the parser.
pub(crate) fn read(
    child: Option<&SyntaxChild>,
    files: &[(Entry, Contents)],
    defeats: &mut usize,
) -> Vec<Syntax> {
    let mut all: Vec<Syntax> = files.iter().map(|_| Syntax::NotRead).collect();
    let mut waiting: Vec<(usize, Question)> = Vec::new();
    let mut bytes = 0;
    for (at, (entry, contents)) in files.iter().enumerate() {
        let Some(language) = language_of(entry, contents) else { continue };
        // What is no UTF-8 is told by the rules of text.
        let Ok(text) = std::str::from_utf8(contents) else { continue };
        let Some(child) = child else {
            all[at] = Syntax::Nobody;
            continue;
        };
        if text.len() > MAX_SOURCE_BYTES {
            let why = Unread::Limit(format!("it has more than {MAX_SOURCE_BYTES} bytes"));
            all[at] = Syntax::Read(Reading { calls: Vec::new(), unread: Some(why) });
            continue;
        }
        if bytes + text.len() > MAX_TOGETHER {
            read_waiting(child, &mut waiting, &mut all, defeats);
            bytes = 0;
        }
        bytes += text.len();
        waiting.push((at, Question::Calls { language, text: text.to_owned() }));
    }
    if let Some(child) = child {
        read_waiting(child, &mut waiting, &mut all, defeats);
    }
    all
}

/// Returns the language by the name of a file, or by its `#!` line.
fn language_of(entry: &Entry, contents: &[u8]) -> Option<Language> {
    let by_name = Language::of_program(entry.path.file_name());
    by_name.or_else(|| {
        if !has_shebang(contents) || !entry.path.extension().is_empty() {
            return None;
        }
        let first = contents.split(|&byte| byte == b'\n').next()?;
        let first = String::from_utf8_lossy(first);
        let mut words = first.split(|c: char| c.is_whitespace() || c == '/');
        words.find_map(|word| match word {
            "node" | "nodejs" => Some(Language::JavaScript),
            "deno" | "bun" | "tsx" | "ts-node" => Some(Language::TypeScript),
            _ => None,
        })
    })
}

fn read_waiting(
    child: &SyntaxChild,
    waiting: &mut Vec<(usize, Question)>,
    all: &mut [Syntax],
    defeats: &mut usize,
) {
    let (places, questions): (Vec<usize>, Vec<Question>) = waiting.drain(..).unzip();
    if questions.is_empty() {
        return;
    }
    if *defeats < MAX_DEFEATS
        && let Ok(readings) = child.read(&questions)
    {
        for (at, reading) in places.into_iter().zip(readings) {
            all[at] = Syntax::Read(reading);
        }
        return;
    }
    // One of them is to blame: each gets a child of its own.
    for (at, question) in places.into_iter().zip(questions) {
        all[at] = match *defeats < MAX_DEFEATS {
            true => child.read(&[question]).map_or_else(Syntax::Failed, |mut readings| {
                readings.pop().map_or(Syntax::GivenUp, Syntax::Read)
            }),
            false => Syntax::GivenUp,
        };
        *defeats += usize::from(matches!(&all[at], Syntax::Failed(error) if is_defeat(error)));
    }
}
