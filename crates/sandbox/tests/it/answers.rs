//! What a child can do: compute, and answer.

use std::thread;

use kitbag_sandbox::{Held, Limits, Lock, Need};
use kitbag_types::Unwatched;

use crate::support::{answer, bare, sandbox, without_calls};

#[test]
fn echoes() {
    assert_eq!(answer("echo hello", Limits::default()), "hello");
    assert_eq!(answer("echo ", Limits::default()), "");
}

#[test]
fn computes() {
    assert_eq!(answer("compute c a b a", Limits::default()), "a b c");
}

#[test]
fn answers_more_than_a_pipe_holds() {
    let text = "x".repeat(3 << 20);
    assert_eq!(answer(&format!("echo {text}"), Limits::default()), text);
}

#[test]
fn shouting_does_not_hold_it_up() {
    assert_eq!(answer("shout ", Limits::default()), "done");
}

#[test]
fn many_at_once() {
    let sandbox = sandbox(Limits::default());
    thread::scope(|scope| {
        let runs: Vec<_> = (0..32)
            .map(|number| {
                let sandbox = &sandbox;
                scope.spawn(move || {
                    let request = format!("echo {number}");
                    (number, sandbox.run(request.as_bytes(), &Unwatched))
                })
            })
            .collect();
        for run in runs {
            let (number, answer) = run.join().expect("no panic");
            assert_eq!(answer.expect("answered"), number.to_string().into_bytes());
        }
    });
}

#[test]
fn says_what_holds() {
    let lockdown = sandbox(Limits::default()).probe(&Unwatched).expect("locked");
    assert_eq!(lockdown.held(Lock::Calls), Held::Full);
    assert_ne!(lockdown.held(Lock::Files), Held::No);

    let lockdown = sandbox(without_calls()).probe(&Unwatched).expect("locked");
    assert_eq!(lockdown.held(Lock::Calls), Held::No);
    assert!(!lockdown.is_full());

    let lockdown = sandbox(bare()).probe(&Unwatched).expect("locked");
    assert_eq!(lockdown.to_string(), "privileges: full, files: no, resources: full, calls: no");

    let tolerant =
        Limits { files: Need::IfAvailable, calls: Need::IfAvailable, ..Limits::default() };
    let lockdown = sandbox(tolerant).probe(&Unwatched).expect("locked");
    assert_eq!(lockdown.held(Lock::Calls), Held::Full, "what is there is taken");
}
