//! Calls in clear text: one fixture a case, and what no module may do to whoever reads it.

use std::path::Path;

use kitbag_js_syntax::{
    Answer, Language, MAX_CALL_BYTES, MAX_SOURCE_BYTES, ModuleKind, Question, Source, Unread,
    answer, answers_of, read_calls, request_of,
};
use kitbag_types::printable;
use proptest::prelude::*;

#[test]
fn each_fixture_calls_what_its_golden_lines_say() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/js-calls");
    let mut names: Vec<String> = fs_err::read_dir(&folder)
        .expect("fixtures")
        .map(|entry| entry.expect("an entry").file_name().into_string().expect("UTF-8"))
        .filter(|name| Language::of_program(name).is_some())
        .collect();
    names.sort();
    assert!(names.len() >= 9, "{names:?}");
    let mut lines = String::new();
    for name in names {
        let text = fs_err::read_to_string(folder.join(&name)).expect("readable");
        let language = Language::of_program(&name).expect("it was chosen by it");
        let reading = read_calls(Source { text: &text, language });
        lines += &format!("{name}\n");
        for call in reading.calls {
            lines += &format!("  {}:{} {}\n", call.line, call.column, printable(&call.text));
        }
        if let Some(why) = reading.unread {
            lines += &format!("  unread: {why}\n");
        }
    }
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path(&folder);
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.bind(|| insta::assert_snapshot!("calls", lines));
}

#[test]
fn what_is_too_large_or_too_deep_is_said_to_be_unread() {
    let read = |text: &str| read_calls(Source { text, language: Language::JavaScript });
    let call = "f();\n";
    let most = call.repeat(MAX_SOURCE_BYTES / call.len());
    assert_eq!(
        read(&most).unread.map(|why| why.to_string()).as_deref(),
        Some("it has more calls than are looked at")
    );
    assert_eq!(read(&(most + call)).calls, []);
    let deep = format!("f({}1{})", "[".repeat(300), "]".repeat(300));
    let why = read(&deep).unread.expect("it is not read");
    assert!(matches!(&why, Unread::Limit(why) if why.contains("nested")), "{why}");
    assert!(matches!(read("const = ;").unread, Some(Unread::Syntax(_))));
    let long = format!("fetch('{}')", "é".repeat(MAX_CALL_BYTES));
    assert!(read(&long).calls[0].text.len() <= MAX_CALL_BYTES);
}

#[test]
fn answers_are_read_only_to_the_questions_that_were_asked() {
    let text =
        "import { defineTool } from '@flue/runtime';\nexport let a = defineTool({});\nf('x');";
    let questions = [
        Question::Calls { language: Language::JavaScript, text: text.to_owned() },
        Question::Shape {
            language: Language::JavaScript,
            kind: ModuleKind::Tool,
            text: text.to_owned(),
        },
    ];
    let bytes = answer(&request_of(&questions));
    let answers = answers_of(&questions, &bytes).expect("its own answers");
    let [Answer::Calls(reading), Answer::Shape(shape)] = &answers[..] else {
        panic!("{answers:?}")
    };
    assert_eq!(reading.calls.last().expect("two calls").text, "f(\"x\")");
    assert!(!shape.is_accepted() && !shape.problems[0].message.is_empty());

    assert_eq!(answers_of(&questions[..1], &bytes), None);
    let turned = [questions[1].clone(), questions[0].clone()];
    assert_eq!(answers_of(&turned, &bytes), None);
    let forged = String::from_utf8(bytes).expect("JSON").replace("shape/", "shade/");
    assert_eq!(answers_of(&questions, forged.as_bytes()), None);
    assert_eq!(answer(b"no questions"), b"");
}

proptest! {
    #[test]
    fn no_text_makes_it_panic(text in "(const |let |[a-c] |= |=> |'[a-z]{0,3}' |\\+ |[\\[\\](){};,.`$] ?){0,60}") {
        let reading = read_calls(Source { text: &text, language: Language::TypeScript });
        prop_assert!(reading.calls.iter().all(|call| !call.text.contains('\n')));
    }
}
