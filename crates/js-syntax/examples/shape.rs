//! Judges a module: `cargo run -p kitbag-js-syntax --example shape -- tool FILE`.

#![allow(clippy::print_stdout, reason = "an example talks to its reader")]

use kitbag_js_syntax::{Language, ModuleKind, check_shape_bytes};
use kitbag_types::printable;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let kind = match arguments.next().as_deref() {
        Some("tool") => ModuleKind::Tool,
        Some("worker") => ModuleKind::Worker,
        Some("capability") => ModuleKind::Capability,
        _ => return Err("name a kind: tool, worker or capability".into()),
    };
    let path = arguments.next().ok_or("name a file, e.g. tools/greet/index.mjs")?;
    let language = Language::from_file_name(&path).ok_or("the file is no module")?;
    let shape = check_shape_bytes(&fs_err::read(&path)?, language, kind);
    for problem in shape.problems.iter().chain(&shape.warnings) {
        println!("{}:{} {} [{}]", problem.line, problem.column, problem.message, problem.code);
        println!("    {}", problem.remedy);
    }
    for export in &shape.exports {
        println!("{}:{} exports {}", export.line, export.column, printable(&export.name));
    }
    println!("{}", if shape.is_accepted() { "accepted" } else { "refused" });
    Ok(())
}
