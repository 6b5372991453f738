//! The program that the tests start to parse.

use std::process::ExitCode;

fn main() -> ExitCode {
    let stack = std::env::args().nth(1).and_then(|stack| stack.parse().ok());
    stack.map_or(ExitCode::FAILURE, kitbag_scanner::serve_syntax)
}
