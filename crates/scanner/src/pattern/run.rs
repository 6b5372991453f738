//! One file against the patterns.

use std::borrow::Cow;
use std::cell::{LazyCell, OnceCell};
use std::ops::Range;

use kitbag_js_syntax::Call;
use kitbag_types::Severity;

use super::check::{entropy, is_placeholder};
use super::context::{Context, is_denied_before, is_quoted};
use super::redact::{self, masked, shown};
use super::surroundings::Surroundings;
use super::{Pattern, Patterns, Spans, Where, decode};
use crate::report::FileReport;
use crate::rules::Layer;
use crate::text::{Place, column_of};

/// How often something encoded is decoded again. Who wraps a text three times wants it unread, and
/// then the wrapping is what a person sees.
const MAX_LAYERS: usize = 2;

/// Looks through one file and reports what the patterns see.
///
/// What part of the file a place is in is asked for only where something was seen: most files are
/// never parsed.
pub(crate) fn inspect(
    path: &str,
    bytes: &[u8],
    spans: impl FnOnce() -> Spans,
    report: &mut FileReport<'_>,
) {
    let context = Context::of(path);
    let lines = Lines::default();
    let spans = LazyCell::new(spans);
    let place = |at| lines.place(bytes, at);
    let look =
        Look { bytes, form: Form::Text, spans: &|| &spans, context, place: &place, suffix: "" };
    for patterns in report.rules().patterns() {
        look.by_all(patterns, windows(patterns, bytes), report);
    }
    for hidden in decode::texts(bytes, MAX_LAYERS) {
        // It is read by whoever decodes it, and by nobody before that: like a comment.
        let spans = Spans::whole(Where::Comment);
        let message = format!(", in a text encoded as {}", hidden.encoding);
        let place = |_| lines.place(bytes, hidden.at);
        // It is short, and the keyword may stand outside of it.
        let bytes = &hidden.text;
        let look = Look {
            bytes,
            form: Form::Text,
            spans: &|| &spans,
            context,
            place: &place,
            suffix: &message,
        };
        for patterns in report.rules().patterns() {
            look.by_all(patterns, vec![vec![0..bytes.len()]; patterns.rules.len()], report);
        }
    }
}

/// Looks through what a program calls, in clear text. What was seen in its own text is not told
/// again.
pub(crate) fn inspect_calls(path: &str, calls: &[Call], report: &mut FileReport<'_>) {
    let mut text = Vec::new();
    let mut starts = Vec::with_capacity(calls.len());
    for call in calls {
        starts.push(text.len());
        text.extend_from_slice(call.text.as_bytes());
        text.push(b'\n');
    }
    let place = |at: usize| {
        let call = &calls[starts.partition_point(|&start| start <= at).saturating_sub(1)];
        Place { line: call.line, column: call.column }
    };
    let spans = Spans::whole(Where::Script);
    let (bytes, context) = (&text[..], Context::of(path));
    let form = Form::Calls;
    let look = Look { bytes, form, spans: &|| &spans, context, place: &place, suffix: "" };
    for patterns in report.rules().patterns() {
        look.by_all(patterns, windows(patterns, bytes), report);
    }
}

/// Looks by one rule alone, everywhere in a text: how a rule proves itself.
pub(super) fn inspect_by<'a>(
    rule: &'a Pattern,
    bytes: &[u8],
    spans: &Spans,
    report: &mut FileReport<'a>,
) {
    let lower = bytes.to_ascii_lowercase();
    let finds = |keyword: &String| memchr::memmem::find(&lower, keyword.as_bytes()).is_some();
    if rule.keywords.iter().any(finds) {
        let place = |_| Place { line: 1, column: 1 };
        let context = Context::of("SKILL.md");
        let look =
            Look { bytes, form: Form::Text, spans: &|| spans, context, place: &place, suffix: "" };
        let (all, none) = (Vec::from([Range { start: 0, end: bytes.len() }]), Vec::new());
        look.by(rule, all, &|| &none, &mut Surroundings::default(), report);
    }
}

/// What a text is of a file.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    /// Its own bytes, or what is encoded in them.
    Text,
    /// What a program calls. What its own text shows as well is not told again.
    Calls,
}

/// One look through a text.
struct Look<'t, 's> {
    bytes: &'t [u8],
    form: Form,
    spans: &'t dyn Fn() -> &'s Spans,
    context: Context,
    place: &'t dyn Fn(usize) -> Place,
    /// What is added to each message.
    suffix: &'t str,
}

impl Look<'_, '_> {
    /// Looks by all rules, each in the parts of the text that it has to look at.
    fn by_all<'a>(
        &self,
        patterns: &'a Patterns,
        windows: Vec<Vec<Range<usize>>>,
        report: &mut FileReport<'a>,
    ) {
        let values = LazyCell::new(|| redact::values(self.bytes));
        let mut surroundings = Surroundings::default();
        for (rule, windows) in patterns.rules.iter().zip(windows) {
            self.by(rule, windows, &|| &values, &mut surroundings, report);
        }
    }

    fn by<'a, 'v>(
        &self,
        rule: &'a Pattern,
        windows: Vec<Range<usize>>,
        values: &dyn Fn() -> &'v Vec<redact::Value>,
        surroundings: &mut Surroundings,
        report: &mut FileReport<'a>,
    ) {
        let Self { bytes, form, spans, context, place, suffix } = *self;
        let mut nearby = None;
        for window in windows {
            for captures in rule.regex().captures_iter(&bytes[window.clone()]) {
                let (whole, value) = places(&captures, window.start);
                let at = value.start;
                let secret = &bytes[value.clone()];
                let role = spans().at(at);
                let fits = rule.fits(bytes, whole.clone(), secret, role)
                    && rule.is_near(bytes, whole.clone(), &mut nearby);
                if !fits {
                    continue;
                }
                let Some(severity) = report.severity_of(&rule.id) else { continue };
                let severity = match (report.is_executable(), rule.executable) {
                    (true, Some(executable)) => executable.max(severity),
                    _ => rule.weigh(severity, bytes, whole.start, role, spans(), context),
                };
                match form {
                    Form::Text => report.remember(&rule.id, secret, severity),
                    Form::Calls if report.remembers(&rule.id, secret, severity) => continue,
                    Form::Calls => {}
                }
                let matched = match rule.is_secret() || !report.is_keyed() {
                    true => Cow::Borrowed(secret),
                    false => Cow::Owned(surroundings.of(bytes, &whole, secret)),
                };
                report.see_as(&rule.id, severity, &|| place(at), Some(&matched), || {
                    let evidence = match rule.is_secret() {
                        true => shown(secret, rule.prefix),
                        // Who wrote it is nobody's business.
                        false if rule.is_path() => "<redacted>".to_owned(),
                        false => brief(&masked(bytes, value, values())),
                    };
                    (rule.meaning.clone() + suffix, Some(evidence))
                });
            }
        }
    }
}

/// Returns where a match is, and in it the value, where the rule names one. Both are places in the
/// file, of which the window that was searched begins at `start`.
pub(super) fn places(
    captures: &regex::bytes::Captures<'_>,
    start: usize,
) -> (Range<usize>, Range<usize>) {
    let found = captures.get_match();
    let value = captures.name("s").or_else(|| captures.name("x")).unwrap_or(found);
    (start + found.start()..start + found.end(), start + value.start()..start + value.end())
}

/// Returns a match as evidence: on one line, and no longer than it takes to recognise it.
fn brief(text: &str) -> String {
    /// How many characters of a match are shown.
    const SHOWN: usize = 80;
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let line: String = line.chars().take(SHOWN).collect();
    kitbag_types::printable(&line).to_string()
}

/// Returns the parts of a file that each rule has to look at, in order and apart: as far around its
/// keywords as a match may reach. So a rule reads little of most files, and no more than a fixed
/// number of bytes for each keyword of the worst.
pub(super) fn windows(patterns: &Patterns, bytes: &[u8]) -> Vec<Vec<Range<usize>>> {
    let mut all: Vec<Vec<Range<usize>>> = vec![Vec::new(); patterns.rules.len()];
    for found in patterns.keywords.find_overlapping_iter(bytes) {
        let owner = patterns.owner[found.pattern().as_usize()];
        let reach = patterns.rules[owner].reach;
        let start = found.start().saturating_sub(reach);
        let end = found.end().saturating_add(reach).min(bytes.len());
        match all[owner].last_mut() {
            Some(last) if start <= last.end => last.end = last.end.max(end),
            _ => all[owner].push(start..end),
        }
    }
    all
}

impl Pattern {
    fn fits(&self, bytes: &[u8], whole: Range<usize>, secret: &[u8], role: Where) -> bool {
        let in_role = self.roles.is_empty() || self.roles.contains(&role);
        in_role && self.is_value(bytes, whole.start, secret)
    }

    /// Tells whether what was matched is taken for what the rule is about, wherever it stands.
    pub(super) fn is_value(&self, bytes: &[u8], start: usize, secret: &[u8]) -> bool {
        (self.entropy == 0.0 || entropy(secret) >= self.entropy)
            && !(self.is_secret() && is_placeholder(secret, self.placeholders))
            && !self.allows(secret, line_around(bytes, start))
    }

    /// Tells whether what has to stand near a match does. What it may be is looked for once in the
    /// file, so that many matches cost no more than one.
    pub(super) fn is_near(
        &self,
        bytes: &[u8],
        whole: Range<usize>,
        nearby: &mut Option<Vec<Range<usize>>>,
    ) -> bool {
        let Some(near) = &self.near else { return true };
        let all = nearby.get_or_insert_with(|| {
            near.regex().find_iter(bytes).map(|found| found.range()).collect()
        });
        let from = whole.start.saturating_sub(near.bytes);
        let to = whole.end.saturating_add(near.bytes);
        let first = all.partition_point(|found| found.start < from);
        all[first..].first().is_some_and(|found| found.start < to)
    }

    /// Returns how much a match weighs: a sign that is denied, quoted or shown as an example weighs
    /// one step less, never nothing. A fact weighs what it weighs, and so does what a program does.
    /// An instruction in a comment, which a model reads and a person does not, weighs one more.
    fn weigh(
        &self,
        severity: Severity,
        bytes: &[u8],
        start: usize,
        role: Where,
        spans: &Spans,
        context: Context,
    ) -> Severity {
        if self.layer == Layer::Contract || role == Where::Script {
            return severity;
        }
        if role == Where::Comment && self.is_prompt() {
            return one_more(severity);
        }
        let is_mention = self.is_prompt() && role != Where::FrontMatter && is_quoted(bytes, start);
        let is_denied = is_denied_before(bytes, start) || spans.is_denied(start);
        if context.is_example || is_mention || is_denied { one_less(severity) } else { severity }
    }
}

fn one_less(severity: Severity) -> Severity {
    match severity {
        Severity::Critical => Severity::High,
        Severity::High => Severity::Medium,
        Severity::Medium => Severity::Low,
        Severity::Low | Severity::Info => Severity::Info,
    }
}

/// What asks for review stays a matter of review: no sign blocks but by its own weight.
fn one_more(severity: Severity) -> Severity {
    match severity {
        Severity::Info => Severity::Low,
        Severity::Low => Severity::Medium,
        Severity::Medium | Severity::High => Severity::High,
        Severity::Critical => Severity::Critical,
    }
}

fn line_around(bytes: &[u8], at: usize) -> &[u8] {
    /// A line that is longer is one line all the same; nobody reads on.
    const MOST: usize = 1024;
    let from = at.saturating_sub(MOST);
    let start = memchr::memrchr(b'\n', &bytes[from..at]).map_or(from, |found| from + found + 1);
    let to = (at + MOST).min(bytes.len());
    let end = memchr::memchr(b'\n', &bytes[at..to]).map_or(to, |found| at + found);
    &bytes[start..end]
}

/// Where the lines of a file begin. They are looked for when a place is first asked for.
#[derive(Default)]
struct Lines {
    starts: OnceCell<Vec<usize>>,
}

impl Lines {
    fn place(&self, bytes: &[u8], at: usize) -> Place {
        let starts = self.starts.get_or_init(|| {
            let ends = memchr::memchr_iter(b'\n', bytes).map(|at| at + 1);
            std::iter::once(0).chain(ends).collect()
        });
        let line = starts.partition_point(|&start| start <= at);
        let column = column_of(bytes, starts[line - 1], at);
        Place { line: u32::try_from(line).unwrap_or(u32::MAX), column }
    }
}
