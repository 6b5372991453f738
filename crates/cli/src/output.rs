//! Where words go: data to stdout, all else to stderr, nothing untrusted raw.

use std::fmt::Write as _;
use std::io::{self, Write as _};
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};

use anstyle::{AnsiColor, Style};
use kitbag_lifecycle::LifecycleError;
use kitbag_types::{
    Code, Coded as _, ErrorKind, ErrorReport, FileChange, Printable, Warning, escape_json,
    printable,
};
use serde::Serialize;

use crate::args::Global;
use crate::exit::{self, Exit};
use crate::findings::show_findings;
use crate::names::show_renamed;

const ERROR: Style = AnsiColor::Red.on_default().bold();
const WARNING: Style = AnsiColor::Yellow.on_default().bold();
const HINT: Style = AnsiColor::Cyan.on_default().bold();

/// Where words go, in which form.
pub(crate) struct Output {
    json: bool,
    quiet: bool,
}

impl Output {
    pub(crate) fn new(global: &Global) -> Self {
        Self { json: global.json, quiet: global.quiet }
    }

    pub(crate) fn is_json(&self) -> bool {
        self.json
    }

    /// Prints the result of a command: as JSON, or as a person reads it.
    pub(crate) fn result(&self, value: &impl Serialize, human: impl FnOnce() -> String) {
        if self.json {
            print_json(value);
        } else {
            self.text(&human());
        }
    }

    /// Prints text that a person reads, on stdout. Whatever in it is not ours was escaped, and
    /// here only line feeds and tabs are left as they are.
    pub(crate) fn text(&self, text: &str) {
        if !text.is_empty() {
            let end = if text.ends_with('\n') { "" } else { "\n" };
            write_or_stop(&format!("{}{end}", Printable::keep_lines(text)));
        }
    }

    /// Says something beside the result, on stderr. What reads JSON reads it from the result.
    pub(crate) fn note(&self, text: &str) {
        if !self.quiet && !self.json {
            let _ = writeln!(anstream::stderr(), "{}", Printable::keep_lines(text));
        }
    }

    /// Warns, on stderr, unless the result carries the warning already.
    pub(crate) fn warnings(&self, warnings: &[Warning]) {
        if self.json {
            return;
        }
        for warning in warnings {
            let _ = writeln!(
                anstream::stderr(),
                "{WARNING}warning:{WARNING:#} {} [{}]",
                printable(&warning.message),
                warning.code
            );
        }
    }

    /// Prints an error with its causes and its hint, and returns the exit code.
    pub(crate) fn error(&self, error: &LifecycleError) -> Exit {
        if self.json {
            print_json(&error.envelope());
        } else {
            let findings = error.findings();
            // Findings that are one package problem each are the message already.
            if error.refusal().is_some() || findings.len() > 1 {
                let _ = write!(
                    anstream::stderr(),
                    "{}",
                    Printable::keep_lines(&show_findings(&findings))
                );
            }
            if let Some(refusal) = error.refusal() {
                let _ = write!(
                    anstream::stderr(),
                    "{}",
                    Printable::keep_lines(&show_changes(&refusal.files))
                );
                // A person who reads why an update was refused sees what else is new in it.
                if let Some(change) = &refusal.inventory_change {
                    let _ = write!(
                        anstream::stderr(),
                        "{}",
                        Printable::keep_lines(&show_renamed(change))
                    );
                }
            }
            report(&error.report());
        }
        exit::of_error(error.code())
    }

    /// Says that the thing asked about is not so, where the result does not say it already, and
    /// returns the exit code.
    pub(crate) fn negative(&self, code: Code) -> Exit {
        if !self.json {
            report(&ErrorReport {
                code: code.as_str().to_owned(),
                kind: code.kind(),
                message: code.meaning().to_owned(),
                hint: code.remedy().map(str::to_owned),
                causes: Vec::new(),
            });
        }
        exit::code_of(code.kind())
    }

    /// Flushes, and turns the exit code into the process's.
    pub(crate) fn finish(&self, exit: Exit) -> ExitCode {
        if let Err(error) = io::stdout().flush() {
            not_written(&error);
        }
        let lost = exit == exit::DONE && NOT_WRITTEN.load(Ordering::Relaxed);
        if lost { exit::code_of(ErrorKind::Environment).into() } else { exit.into() }
    }
}

/// Prints `error: …`, the causes, then `hint: …`.
pub(crate) fn report(report: &ErrorReport) {
    let mut stderr = anstream::stderr();
    let _ =
        writeln!(stderr, "{ERROR}error:{ERROR:#} {} [{}]", printable(&report.message), report.code);
    for cause in &report.causes {
        let _ = writeln!(stderr, "  caused by: {}", printable(cause));
    }
    if let Some(hint) = &report.hint {
        let _ = writeln!(stderr, "{HINT}hint:{HINT:#} {}", printable(hint));
    }
}

/// Prints one JSON document, on one line where it is one of many.
pub(crate) fn print_json(value: &impl Serialize) {
    let document = serde_json::to_string_pretty(value).expect("results are plain data");
    write_or_stop(&format!("{}\n", escape_json(&document)));
}

/// Prints one line of JSON Lines.
pub(crate) fn print_json_line(value: &impl Serialize) {
    let document = serde_json::to_string(value).expect("results are plain data");
    write_or_stop(&format!("{}\n", escape_json(&document)));
}

/// Whether a result did not reach stdout: then nothing may look as if all went well.
static NOT_WRITTEN: AtomicBool = AtomicBool::new(false);

fn write_or_stop(text: &str) {
    let mut stdout = io::stdout().lock();
    // Text is held back up to the end of a line, so the error of this one may come with the flush.
    if let Err(error) = stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()) {
        not_written(&error);
    }
}

/// A reader that went away (`kitbag list | head`) is no error of ours.
fn not_written(error: &io::Error) {
    if error.kind() != io::ErrorKind::BrokenPipe && !NOT_WRITTEN.swap(true, Ordering::Relaxed) {
        let _ = writeln!(io::stderr(), "error: failed to write to stdout: {error}");
    }
}

/// Shows a text of ours that quotes what somebody typed: as it is, colours and all, unless there is
/// something in it that a terminal would obey.
pub(crate) fn show_usage(error: &clap::Error, stream: &mut impl io::Write) {
    let plain = error.render().to_string();
    let safe = Printable::keep_lines(&plain).to_string();
    let _ = match safe == plain {
        true => write!(stream, "{}", error.render().ansi()),
        false => write!(stream, "{safe}"),
    };
}

/// Standard error for what the libraries log: a field may hold a path or a name of anybody's.
struct SafeStderr;

impl io::Write for SafeStderr {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let text = String::from_utf8_lossy(bytes);
        write!(io::stderr(), "{}", Printable::keep_lines(&text))?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        io::stderr().flush()
    }
}

/// Shows which files differ, a line each.
pub(crate) fn show_changes(changes: &[FileChange]) -> String {
    let mut out = String::new();
    for change in changes {
        writeln!(out, "  {:<8} {}", change.change, change.path)
            .expect("writing to a string cannot fail");
    }
    out
}

/// Shows a number of files with the bytes in them.
pub(crate) fn show_size(files: u64, bytes: u64) -> String {
    let word = if files == 1 { "file" } else { "files" };
    format!("{files} {word}, {}", show_bytes(bytes))
}

/// Shows a number of bytes as a person reads it.
pub(crate) fn show_bytes(bytes: u64) -> String {
    const UNITS: [&str; 3] = ["KiB", "MiB", "GiB"];
    if bytes < 1024 {
        return format!("{bytes} B");
    }
    let mut value = bytes;
    let mut unit = 0;
    while value >= 1024 * 1024 && unit + 1 < UNITS.len() {
        value /= 1024;
        unit += 1;
    }
    format!("{}.{} {}", value / 1024, value % 1024 * 10 / 1024, UNITS[unit])
}

/// Shows rows under a head, each column as wide as its widest cell.
pub(crate) fn show_table(head: &[&str], rows: &[Vec<String>]) -> String {
    let mut widths: Vec<usize> = head.iter().map(|cell| width(cell)).collect();
    for row in rows {
        for (widest, cell) in widths.iter_mut().zip(row) {
            *widest = (*widest).max(width(cell));
        }
    }
    let mut out = String::new();
    let head: Vec<String> = head.iter().map(|cell| (*cell).to_owned()).collect();
    for row in std::iter::once(&head).chain(rows) {
        for (widest, cell) in widths.iter().zip(row) {
            out.push_str(cell);
            out.extend(std::iter::repeat_n(' ', widest - width(cell) + 2));
        }
        out.truncate(out.trim_end_matches(' ').len());
        out.push('\n');
    }
    out
}

/// How many places of a terminal a cell takes. Cells hold no control characters.
pub(crate) fn width(cell: &str) -> usize {
    use unicode_width::UnicodeWidthStr as _;
    if cell.is_ascii() { cell.len() } else { cell.width() }
}

/// Shortens text to a number of characters.
pub(crate) fn shorten(text: &str, limit: usize) -> String {
    let text = text.trim();
    // Each character takes a place at least, so what is behind these is not looked at.
    let seen = text.char_indices().nth(limit + 1).map_or(text, |(end, _)| &text[..end]);
    let line = printable(seen).to_string().replace("\\n", " ");
    if line.chars().count() <= limit {
        return line;
    }
    line.chars().take(limit - 1).chain(['…']).collect()
}

/// Sends what the libraries say to stderr: warnings, with `-v` more.
pub(crate) fn log_to_stderr(global: &Global) {
    let level = match (global.quiet, global.verbose) {
        (true, _) => tracing::Level::ERROR,
        (_, 0) => tracing::Level::WARN,
        (_, 1) => tracing::Level::INFO,
        (_, 2) => tracing::Level::DEBUG,
        _ => tracing::Level::TRACE,
    };
    let subscriber = tracing_subscriber::fmt()
        .with_max_level(level)
        .with_writer(|| SafeStderr)
        .with_ansi(false)
        .without_time()
        .with_target(false)
        .finish();
    // Only one program sets it, once.
    let _ = tracing::subscriber::set_global_default(subscriber);
}
