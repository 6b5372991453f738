//! What a package names: read off its text, without a judgement.

mod files;
mod hosts;
mod shell;

use std::sync::LazyLock;

use kitbag_js_syntax::Call;
use kitbag_types::{Inventory, Named};
use regex::bytes::{Captures, Regex, RegexBuilder};

pub(crate) use files::Blob;

use crate::source::{Identifiers, Role};

/// One way to name something: what is looked for (the group is the name), and what it is.
struct Sign {
    sort: Named,
    regex: Regex,
}

impl Sign {
    fn new(sort: Named, pattern: &str) -> Self {
        let regex = RegexBuilder::new(pattern).unicode(false).build();
        Self { sort, regex: regex.expect("a test compiles every sign") }
    }
}

/// What is looked for in every text.
static ANYWHERE: LazyLock<Vec<Sign>> = LazyLock::new(|| {
    vec![
        Sign::new(
            Named::Environment,
            r#"(?:process\.env\.|process\.env\[["']|os\.environ\[["']|os\.environ\.get\(["']|os\.getenv\(["']|\bENV\[["']|\$env:|Deno\.env\.get\(["']|import\.meta\.env\.)([A-Z][A-Z0-9_]{1,80})\b"#,
        ),
        Sign::new(
            Named::Writes,
            r#"\bopen\(\s*["']([^"'\n]{1,200})["']\s*,\s*(?:mode\s*=\s*)?["'][wax]"#,
        ),
        Sign::new(
            Named::Commands,
            r#"\bsubprocess\.(?:run|call|check_call|check_output|Popen)\(\s*\[\s*["']([A-Za-z0-9_./+-]{1,80})["']"#,
        ),
    ]
});

/// What is looked for in the calls of modules, under their own names.
static CALLS: LazyLock<Vec<Sign>> = LazyLock::new(|| {
    vec![
        Sign::new(
            Named::Writes,
            r#"^(?:new )?fs\.(?:promises\.)?(?:write|append|createWrite)\w*\("([^"]{1,200})""#,
        ),
        Sign::new(
            Named::Commands,
            r#"^child_process\.(?:spawn|spawnSync|execFile|execFileSync|fork)\("([A-Za-z0-9_./+-]{1,80})""#,
        ),
    ]
});

/// A shell that a module starts with a line of commands.
static SHELL_CALL: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r#"^child_process\.exec(?:Sync)?\("(.*)"\)?"#).expect("a test compiles it")
});

/// Returns what one text names.
pub(crate) fn of_text(role: Role, is_shell: bool, bytes: &[u8]) -> Inventory {
    let mut inventory = Inventory::default();
    hosts::read(bytes, &mut inventory);
    for sign in ANYWHERE.iter() {
        for found in sign.regex.captures_iter(bytes) {
            note(&mut inventory, sign.sort, &found);
        }
    }
    match role {
        Role::Source { identifiers: Identifiers::Yes } if is_shell => {
            shell::read(&String::from_utf8_lossy(bytes), &mut inventory);
        }
        Role::Prose => shell::read_fences(&String::from_utf8_lossy(bytes), &mut inventory),
        _ => {}
    }
    inventory
}

/// Returns what the calls of a module name.
pub(crate) fn of_calls(calls: &[Call]) -> Inventory {
    let mut inventory = Inventory::default();
    for call in calls {
        let text = call.text.as_bytes();
        hosts::read(text, &mut inventory);
        for sign in CALLS.iter().chain(ANYWHERE.iter()) {
            if let Some(found) = sign.regex.captures(text) {
                note(&mut inventory, sign.sort, &found);
            }
        }
        if let Some(line) = SHELL_CALL.captures(text).and_then(|found| found.get(1)) {
            shell::read(&String::from_utf8_lossy(line.as_bytes()), &mut inventory);
        }
    }
    inventory
}

fn note(inventory: &mut Inventory, sort: Named, found: &Captures<'_>) {
    let Some(name) = found.get(1) else { return };
    inventory.insert(sort, &String::from_utf8_lossy(name.as_bytes()));
}
