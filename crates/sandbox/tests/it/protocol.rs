//! What a child may send, and what is not taken from it.

use kitbag_sandbox::{BrokenProtocol, Limits, MAX_FRAME, Sandbox, SandboxError};
use kitbag_types::Unwatched;
use proptest::prelude::*;

use crate::support::{answer, error, run};

#[track_caller]
fn check(request: &str, limits: Limits, expected: BrokenProtocol) {
    match error(request, limits) {
        SandboxError::Protocol(broken) => assert_eq!(broken, expected, "`{request}`"),
        error => panic!("`{request}`: {error:?}"),
    }
}

#[test]
fn garbage_is_not_an_answer() {
    // "garb" as a length.
    let length = 0x6761_7262;
    let expected = BrokenProtocol::TooLong { length, most: MAX_FRAME };
    check("raw 103,97,114,98,97,103,101", Limits::default(), expected);
}

#[test]
fn half_a_frame_is_not_an_answer() {
    check("raw 0,0,0,9,120", Limits::default(), BrokenProtocol::BrokenOff);
    check("raw 0,0", Limits::default(), BrokenProtocol::BrokenOff);
}

#[test]
fn nothing_follows_an_answer() {
    check("two ", Limits::default(), BrokenProtocol::Trailing);
}

#[test]
fn an_answer_has_a_length() {
    let limits = Limits { answer: 1000, ..Limits::default() };
    assert_eq!(answer("answer-of 1000", limits.clone()).len(), 1000);
    let expected = BrokenProtocol::TooLong { length: 1001, most: 1000 };
    check("answer-of 1001", limits.clone(), expected);
    // Who does not hold to it is not believed either.
    check("raw 0,0,3,233,120", limits, expected);
}

#[test]
fn a_request_has_a_length() {
    let longest = format!("length {}", "x".repeat(MAX_FRAME - "length ".len()));
    assert_eq!(answer(&longest, Limits::default()), (MAX_FRAME - 7).to_string());
    let error = error(&format!("{longest}x"), Limits::default());
    assert!(
        matches!(error, SandboxError::RequestTooLong { length } if length == MAX_FRAME + 1),
        "{error:?}"
    );
}

#[test]
fn another_program_is_not_a_child() {
    let sandbox = Sandbox::new("/bin/echo", ["hello, hello, hello"], Limits::default());
    let error = sandbox.run(b"", &Unwatched).expect_err("no child");
    assert!(matches!(error, SandboxError::Protocol(BrokenProtocol::NoReport)), "{error:?}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn whatever_it_sends_is_an_answer_or_an_error(
        bytes in proptest::collection::vec(prop_oneof![Just(0_u8), 0..8_u8, any::<u8>()], 1..40),
    ) {
        let list: Vec<_> = bytes.iter().map(u8::to_string).collect();
        match run(&format!("raw {}", list.join(",")), Limits::default()) {
            Ok(answer) => {
                let (length, body) = bytes.split_at(4);
                prop_assert_eq!(length, (answer.len() as u32).to_be_bytes());
                prop_assert_eq!(body, answer);
            }
            Err(SandboxError::Protocol(_)) => {}
            Err(error) => prop_assert!(false, "{:?}", error),
        }
    }
}
