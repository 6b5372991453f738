//! A handler with a stack of its own: as deep as was asked for, and held by the same locks.

use kitbag_sandbox::{Death, Limits, Sandbox, SandboxError};
use kitbag_types::Unwatched;

use crate::support::{child, without_calls};

const STACK: u64 = 256 << 20;

fn run(request: &str, limits: &Limits) -> Result<String, SandboxError> {
    let limits = Limits { memory: limits.memory + STACK, ..limits.clone() };
    let sandbox = Sandbox::new(child(), [format!("stack={STACK}")], limits);
    let answer = sandbox.run(request.as_bytes(), &Unwatched)?;
    Ok(String::from_utf8(answer).expect("UTF-8"))
}

#[test]
fn it_is_as_deep_as_was_asked_for() {
    assert_eq!(run("echo hello", &Limits::default()).expect("answered"), "hello");
    // A hundred thousand levels of a kilobyte each: far more than a main thread has.
    assert_eq!(run("recurse-to 100000", &Limits::default()).expect("answered"), "100000");
    let error = run("recurse ", &Limits::default()).expect_err("no stack is endless");
    assert!(matches!(error, SandboxError::Crashed { death: Death::Signal(_), .. }), "{error:?}");
}

#[test]
fn every_lock_holds_it() {
    for request in [
        "read /etc/passwd",
        "create-folder /tmp/x",
        "start true",
        "thread ",
        "pair ",
        "bind-udp [::1]:0",
    ] {
        let error = run(request, &Limits::default()).expect_err("forbidden");
        assert!(matches!(error, SandboxError::Forbidden { .. }), "`{request}`: {error:?}");
    }
    // Landlock alone: the thread has it, not only the one that put it on.
    for request in ["read /etc/passwd", "create-folder /tmp/x"] {
        let told = run(request, &without_calls()).expect("answered");
        assert!(told.starts_with("error: "), "`{request}` without the list of calls: {told}");
    }
}

#[test]
fn memory_and_panics_end_it_as_without() {
    let error = run("memory ", &Limits::default()).expect_err("no end");
    assert!(matches!(error, SandboxError::Memory { .. }), "{error:?}");
    let error = run("panic of it", &Limits::default()).expect_err("no answer");
    let SandboxError::Crashed { death: Death::Exit(101), said } = &error else {
        panic!("{error:?}");
    };
    assert!(said.contains("panic of it") || said.contains("of it"), "{said}");
}
