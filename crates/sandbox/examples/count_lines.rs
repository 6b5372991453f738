//! Counts lines in a child that could do nothing else, and says what held it.
//!
//! `cargo run -p kitbag-sandbox --example count_lines`
#![allow(clippy::print_stdout, reason = "an example shows what it does")]

use std::env;
use std::error::Error;
use std::process::ExitCode;

use kitbag_sandbox::{Limits, Sandbox, serve};
use kitbag_types::Unwatched;

/// The hidden argument that makes this program the child.
const CHILD: &str = "--count-lines";

fn main() -> Result<ExitCode, Box<dyn Error>> {
    if env::args_os().nth(1).is_some_and(|first| first == CHILD) {
        return Ok(serve(|request| {
            let lines = request.split(|byte| *byte == b'\n').count();
            lines.to_string().into_bytes()
        }));
    }
    let sandbox = Sandbox::new(env::current_exe()?, [CHILD], Limits::default());
    println!("{}", sandbox.probe(&Unwatched)?);
    let answer = sandbox.run(b"one\ntwo\nthree", &Unwatched)?;
    println!("{} lines", String::from_utf8_lossy(&answer));
    Ok(ExitCode::SUCCESS)
}
