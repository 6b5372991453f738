//! Reads the fixtures and shows what was found.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use kitbag_js_syntax::{Language, ModuleKind, Shape, check_shape_bytes};
use kitbag_types::printable;

pub(crate) fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/js-shape")
}

/// A module of fixtures/js-shape, and what its comment says of it.
pub(crate) struct Fixture {
    pub(crate) name: String,
    pub(crate) bytes: Vec<u8>,
    pub(crate) kind: ModuleKind,
    pub(crate) accepted: bool,
    /// The codes of its problems, or of its warnings when it is accepted.
    pub(crate) codes: Vec<String>,
}

impl Fixture {
    pub(crate) fn check(&self) -> Shape {
        let language = Language::from_file_name(&self.name).expect("fixtures are modules");
        check_shape_bytes(&self.bytes, language, self.kind)
    }
}

pub(crate) fn fixtures() -> Vec<Fixture> {
    let mut fixtures: Vec<Fixture> = fs_err::read_dir(folder())
        .expect("the fixtures are there")
        .map(|entry| entry.expect("the folder can be read").path())
        .filter(|path| path.extension().is_some_and(|it| it != "snap" && it != "new" && it != "md"))
        .map(|path| {
            let name = path.file_name().expect("it is a file").to_string_lossy().into_owned();
            let bytes = fs_err::read(&path).expect("a fixture can be read");
            fixture(name, bytes)
        })
        .collect();
    fixtures.sort_by(|a, b| a.name.cmp(&b.name));
    fixtures
}

/// Reads `// VERDICT KIND CODES…: why` from the first comment of the form.
fn fixture(name: String, bytes: Vec<u8>) -> Fixture {
    let text = String::from_utf8_lossy(&bytes).into_owned();
    let head = text
        .lines()
        .take(2)
        .find_map(|line| line.split_once("// ").map(|(_, head)| head))
        .and_then(|head| head.split_once(": "))
        .unwrap_or_else(|| panic!("`{name}` begins with no verdict"));
    let mut words = head.0.split(' ');
    let accepted = match words.next() {
        Some("accept") => true,
        Some("refuse") => false,
        other => panic!("`{name}` has the verdict {other:?}"),
    };
    let kind = match words.next() {
        Some("tool") => ModuleKind::Tool,
        Some("worker") => ModuleKind::Worker,
        Some("capability") => ModuleKind::Capability,
        other => panic!("`{name}` is of the kind {other:?}"),
    };
    let codes = words.map(str::to_owned).collect();
    Fixture { name, bytes, kind, accepted, codes }
}

/// Shows what was found, one line each.
pub(crate) fn show(shape: &Shape) -> String {
    let mut out = String::new();
    for export in &shape.exports {
        let name = printable(&export.name);
        let array = export.array_length.map(|length| format!(" [{length}]")).unwrap_or_default();
        writeln!(out, "  {}:{} exports {name}{array}", export.line, export.column)
            .expect("writing to a string cannot fail");
    }
    for problem in shape.problems.iter().chain(&shape.warnings) {
        writeln!(
            out,
            "  {}:{} {}: {}",
            problem.line, problem.column, problem.code, problem.message
        )
        .expect("writing to a string cannot fail");
        writeln!(out, "      {}", problem.remedy).expect("writing to a string cannot fail");
    }
    out
}
