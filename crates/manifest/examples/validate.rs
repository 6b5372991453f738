//! Judges a `SKILL.md`: `cargo run -p kitbag-manifest --example validate -- FOLDER/SKILL.md`.

#![allow(clippy::print_stdout, reason = "an example talks to its reader")]

use std::path::Path;

use kitbag_manifest::{SkillContext, read_skill};
use kitbag_types::printable;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let path = std::env::args().nth(1).ok_or("name a file, e.g. skills/tidy/SKILL.md")?;
    let bytes = fs_err::read(&path)?;
    let path = Path::new(&path);
    let text = |name: &std::ffi::OsStr| name.to_string_lossy().into_owned();
    let file_name = path.file_name().map(text).unwrap_or_default();
    let folder = path.parent().and_then(Path::file_name).map(text);
    let context = SkillContext { file_name: &file_name, folder: folder.as_deref() };
    let reading = read_skill(&bytes, &context);
    for issue in &reading.issues {
        let (line, column) = (issue.line.unwrap_or(1), issue.column.unwrap_or(1));
        println!(
            "{line}:{column} {}: {} [{}]",
            issue.class.as_str(),
            printable(&issue.message),
            issue.rule
        );
    }
    match &reading.manifest {
        Some(manifest) if reading.is_valid() => println!("valid: {}", printable(&manifest.name)),
        Some(manifest) => println!("not valid, but can be loaded: {}", printable(&manifest.name)),
        None => println!("cannot be loaded"),
    }
    Ok(())
}
