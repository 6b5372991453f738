//! Digests a folder: `cargo run -p kitbag-package --example digest -- FOLDER`.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "an example talks to its reader")]

use std::error::Error;
use std::path::Path;
use std::process::ExitCode;

use kitbag_package::{PackageError, PackageReader as _, PackageTree, digest, read_all};
use kitbag_types::printable;

fn main() -> ExitCode {
    let Some(folder) = std::env::args_os().nth(1) else {
        eprintln!("error: name a folder, e.g. `skills/tidy`");
        return ExitCode::from(2);
    };
    match show(Path::new(&folder)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            // The first of them is the error itself, and it says how many more there are.
            eprintln!("error: {error}");
            for problem in error.problems().iter().skip(1) {
                eprintln!("  also: {problem}");
            }
            if let Some(cause) = error.source() {
                eprintln!("  caused by: {cause}");
            }
            ExitCode::FAILURE
        }
    }
}

fn show(folder: &Path) -> Result<(), PackageError> {
    let package = PackageTree::open(folder)?;
    let listing = read_all(&package, &mut |_entry, _contents| {})?;
    println!("{}", digest(&listing));
    println!("{} files", listing.len());
    println!("{} bytes", listing.iter().map(|file| file.size).sum::<u64>());
    for path in package.left_out() {
        println!("left out: {}", printable(path));
    }
    Ok(())
}
