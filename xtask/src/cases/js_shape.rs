//! js-shape.txt: modules, each accepted or refused by the shape of its exports, judged in the
//! locked-down child.

use std::path::Path;

use anyhow::{Context as _, Result, bail};
use kitbag_js_syntax::{Answer, Language, ModuleKind, Question, Shape};
use kitbag_scanner::SyntaxChild;

/// What `$PRE` stands for.
const PRELUDE: &str =
    "import { defineTool, defineAgentProfile, defineCapability } from '@flue/runtime';";

/// What `$D` stands for.
const DEFINITION: &str = "{ name: 'a', description: 'd', run() {} }";

/// Cases that are judged otherwise, as docs/js-shape.md says under "Deviations".
const DEVIATIONS: &[&str] = &["ident-arg"];

/// Returns how many verdicts differ.
pub(super) fn run(path: &Path, child: &SyntaxChild) -> Result<usize> {
    let text = fs_err::read_to_string(path)?;
    let (mut names, mut accepts, mut questions) = (Vec::new(), Vec::new(), Vec::new());
    for block in text.split("\n=== ").skip(1) {
        let (head, body) = block.split_once('\n').unwrap_or((block, ""));
        let columns: Vec<&str> = head.splitn(4, '|').map(str::trim).collect();
        let [name, verdict, extension, _] = columns[..] else {
            bail!("`{head}` does not have four columns")
        };
        let (kind, extension) = match extension.split_once(':') {
            None => (ModuleKind::Tool, extension),
            Some(("w", extension)) => (ModuleKind::Worker, extension),
            Some(("c", extension)) => (ModuleKind::Capability, extension),
            Some((other, _)) => bail!("`{other}` is no kind"),
        };
        let language = Language::from_file_name(&format!("a.{extension}"))
            .with_context(|| format!("`{extension}` is no module"))?;
        names.push(name);
        accepts.push(match verdict {
            "accept" => true,
            "reject" => false,
            other => bail!("`{other}` is no verdict"),
        });
        // A NUL byte is written as an escape, so that the file is a text.
        let text = body.replace("$PRE", PRELUDE).replace("$D", DEFINITION).replace("\\0", "\0");
        questions.push(Question::Shape { language, kind, text });
    }
    let answers = child.ask(&questions)?;
    let mut mismatches = 0;
    for ((name, accepts), answer) in names.iter().zip(&accepts).zip(answers) {
        let Answer::Shape(shape) = answer else { bail!("`{name}` has no answer") };
        if shape.is_accepted() == *accepts {
            continue;
        }
        if DEVIATIONS.contains(name) {
            println!("js-shape: {name} is judged otherwise, as documented");
            continue;
        }
        mismatches += 1;
        println!("{name}: accepted is {}, should be {accepts}\n{}", !accepts, show(&shape));
    }
    println!("js-shape: {} modules, {mismatches} mismatches", names.len());
    Ok(mismatches)
}

fn show(shape: &Shape) -> String {
    let line = |problem: &kitbag_js_syntax::Problem| {
        format!("    {}:{} {} [{}]\n", problem.line, problem.column, problem.message, problem.code)
    };
    shape.problems.iter().map(line).collect()
}
