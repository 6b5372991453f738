//! Lines of commands: which programs they run, which variables they read, which files they write.
//!
//! It is a reader of lines, not a shell: what it takes for a command is a word where a command
//! begins. Nothing hangs on it but what a person is shown.

mod words;

use kitbag_types::{Inventory, Named};

use words::Part;

/// Languages of code blocks that hold commands.
const SHELLS: &[&str] = &["sh", "bash", "shell", "zsh", "console", "shell-session", "fish", "ksh"];

/// Words of the language itself, and commands that touch nothing.
const WORDS: &[&str] = &[
    "if", "then", "else", "elif", "fi", "for", "in", "do", "done", "while", "until", "case",
    "esac", "function", "select", "cd", "echo", "export", "set", "unset", "local", "declare",
    "readonly", "return", "exit", "shift", "read", "test", "true", "false", "printf", "source",
    "alias", "pwd", "wait", "trap", "break", "continue", "let", "eval", "type", "umask", "typeset",
    "pushd", "popd",
];

/// What stands in front of the command that is meant.
const BEFORE: &[&str] = &[
    "sudo", "doas", "env", "exec", "command", "builtin", "time", "timeout", "nohup", "setsid",
    "xargs", "nice", "ionice", "stdbuf", "!",
];

/// Options of those that take the next word.
const OPTIONS_WITH_VALUE: &[&str] = &["-u", "-g", "-n", "-I", "-P", "-L", "-d", "-s", "-k", "-C"];

/// The code blocks of a page that hold commands.
pub(super) fn read_fences(text: &str, inventory: &mut Inventory) {
    let mut fence: Option<(&str, bool)> = None;
    for line in text.lines() {
        let trimmed = line.trim_start();
        let ticks = trimmed.len() - trimmed.trim_start_matches(['`', '~']).len();
        match fence {
            None if ticks >= 3 => {
                let language = trimmed[ticks..].trim().to_ascii_lowercase();
                let language = language.split([' ', '{', ',']).next().unwrap_or_default();
                fence = Some((&trimmed[..3], SHELLS.contains(&language)));
            }
            Some((mark, _)) if trimmed.starts_with(mark) && trimmed.trim_end().len() == ticks => {
                fence = None;
            }
            // In a session only the lines with a prompt are commands, and the others do no harm.
            Some((_, true)) => line_of(trimmed.strip_prefix("$ ").unwrap_or(trimmed), inventory),
            _ => {}
        }
    }
}

/// A whole script.
pub(super) fn read(text: &str, inventory: &mut Inventory) {
    let mut here: Option<&str> = None;
    for line in text.lines() {
        if let Some(end) = here {
            here = (line.trim() != end).then_some(end);
            continue;
        }
        here = here_document(line);
        line_of(line.trim_start(), inventory);
    }
}

/// What ends a text that begins on the next line.
fn here_document(line: &str) -> Option<&str> {
    let (_, rest) = line.split_once("<<")?;
    let word = rest.trim_start_matches('-').trim_start().trim_start_matches(['"', '\'', '\\']);
    let end = word.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(word.len());
    (end > 0 && !rest.starts_with('<')).then(|| &word[..end])
}

fn line_of(line: &str, inventory: &mut Inventory) {
    variables(line, inventory);
    for parts in words::split(line) {
        commands_of(parts, inventory);
    }
}

/// What the next word is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Next {
    /// A command.
    Command,
    /// The same, behind one that starts another, whose options come first.
    Started,
    /// The value of such an option.
    Value,
    /// A word for a command.
    Argument,
}

fn commands_of(parts: Vec<Part>, inventory: &mut Inventory) {
    let mut next = Next::Command;
    let mut parts = parts.into_iter();
    while let Some(part) = parts.next() {
        let word = match part {
            Part::Begin => {
                next = Next::Command;
                continue;
            }
            Part::Write => {
                if let Some(Part::Word(word)) = parts.next() {
                    written(&word, inventory);
                }
                continue;
            }
            Part::Skip => {
                parts.next();
                continue;
            }
            Part::Word(word) => word,
        };
        next = match next {
            Next::Argument => Next::Argument,
            Next::Value => Next::Started,
            Next::Started if OPTIONS_WITH_VALUE.contains(&word.as_str()) => Next::Value,
            // A duration, as of `timeout`.
            Next::Started if word.starts_with(['-', '+']) || is_number(&word) => Next::Started,
            Next::Command | Next::Started => after(&word, next, inventory),
        };
    }
}

/// Takes a word where a command may stand.
fn after(word: &str, next: Next, inventory: &mut Inventory) -> Next {
    let name = word.rsplit('/').next().unwrap_or(word);
    if BEFORE.contains(&name) {
        return Next::Started;
    }
    if word.contains('=') && !word.starts_with('=') || matches!(word, "{" | "}") || goes_on(word) {
        return next;
    }
    if is_command(word) && !WORDS.contains(&word) {
        inventory.insert(Named::Commands, word);
    }
    Next::Argument
}

/// Words behind which another command begins.
fn goes_on(word: &str) -> bool {
    matches!(word, "if" | "then" | "else" | "elif" | "do" | "while" | "until")
}

fn is_number(word: &str) -> bool {
    word.starts_with(|c: char| c.is_ascii_digit())
        && word.trim_end_matches(['s', 'm', 'h']).chars().all(|c| c.is_ascii_digit() || c == '.')
}

fn is_command(word: &str) -> bool {
    let good = |c: char| c.is_ascii_alphanumeric() || "._/+-~".contains(c);
    word.starts_with(|c: char| c.is_ascii_alphabetic() || "./~_".contains(c))
        && word.chars().all(good)
        && word.chars().any(|c| c.is_ascii_alphabetic())
}

fn written(word: &str, inventory: &mut Inventory) {
    if !word.is_empty() && !word.starts_with("/dev/null") {
        inventory.insert(Named::Writes, word);
    }
}

/// Variables in capitals: those of the environment, as far as a name tells.
fn variables(line: &str, inventory: &mut Inventory) {
    let mut rest = line;
    while let Some((_, behind)) = rest.split_once('$') {
        let name = behind.strip_prefix('{').unwrap_or(behind);
        let end = name.find(|c: char| !c.is_ascii_uppercase() && !c.is_ascii_digit() && c != '_');
        let name = &name[..end.unwrap_or(name.len())];
        if name.len() > 2 && name.starts_with(|c: char| c.is_ascii_uppercase()) {
            inventory.insert(Named::Environment, name);
        }
        rest = behind;
    }
}

#[cfg(test)]
mod tests {
    use kitbag_types::{Inventory, Named};

    use super::{read, read_fences};

    #[track_caller]
    fn check(text: &str, sort: Named, expected: &[&str]) {
        let mut inventory = Inventory::default();
        read(text, &mut inventory);
        assert_eq!(inventory.names(sort).collect::<Vec<_>>(), expected, "{text}");
    }

    #[test]
    fn commands_are_the_words_where_commands_begin() {
        check(
            "curl -s x | jq . && git push; npm run build",
            Named::Commands,
            &["curl", "git", "jq", "npm"],
        );
        check("sudo apt-get install -y jq", Named::Commands, &["apt-get"]);
        check("FOO=1 BAR=2 ./run.sh --all", Named::Commands, &["./run.sh"]);
        check("if grep -q x y; then rm z; fi", Named::Commands, &["grep", "rm"]);
        check("x=$(date +%s) # not a command", Named::Commands, &["date"]);
        check("sudo -E -u root env A=1 nohup /usr/bin/curl x", Named::Commands, &["/usr/bin/curl"]);
        check("\"cu\"'rl' x; \\wget y; w\\get z", Named::Commands, &["curl", "wget"]);
        check("ls|xargs -n 1 nc;id&&awk '{a;b|c}'", Named::Commands, &["awk", "id", "ls", "nc"]);
        check("timeout 5 curl x", Named::Commands, &["curl"]);
        check("echo \"$(id -u) `who`\" <(ps) <<< x", Named::Commands, &["id", "ps", "who"]);
        check(
            "f() { make; }; list=(a b)\ncase $1 in\na) git x ;;\nesac",
            Named::Commands,
            &["git", "make"],
        );
        check(&"$(".repeat(10_000), Named::Commands, &[]);
        check("echo hi\n# curl x\ncat <<EOF\nwget y\nEOF\nls", Named::Commands, &["cat", "ls"]);
    }

    #[test]
    fn files_and_variables_are_seen() {
        check("date > out.txt; id >>~/log 2>/dev/null", Named::Writes, &["out.txt", "~/log"]);
        check(
            "curl -H \"x: $API_TOKEN\" ${HOST_NAME}/$i",
            Named::Environment,
            &["API_TOKEN", "HOST_NAME"],
        );
    }

    #[test]
    fn of_a_page_only_blocks_of_commands_are_read() {
        let page = "run curl here\n```bash\n$ make all\n```\n```python\nwget = 1\n```\n~~~sh\nls\n~~~\nrm -rf\n";
        let mut inventory = Inventory::default();
        read_fences(page, &mut inventory);
        assert_eq!(inventory.names(Named::Commands).collect::<Vec<_>>(), ["ls", "make"]);
    }
}
