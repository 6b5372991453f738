//! `kitbag doctor`

use std::fmt::Write as _;

use kitbag_types::{Code, DoctorResult, printable};

use crate::exit::{DONE, Exit, code_of};
use crate::output::Output;

pub(super) fn show(result: &DoctorResult, output: &Output) -> Exit {
    output.result(result, || {
        let mut out = String::new();
        for check in &result.checks {
            let state = if check.ok { "ok" } else { "attention" };
            writeln!(out, "{:<10} {state:<10} {}", check.name, printable(&check.message))
                .expect("writing to a string cannot fail");
            if let Some(hint) = &check.hint {
                writeln!(out, "{:<21} hint: {}", "", printable(hint))
                    .expect("writing to a string cannot fail");
            }
        }
        out
    });
    if result.ok { DONE } else { code_of(Code::DoctorProblems.kind()) }
}
