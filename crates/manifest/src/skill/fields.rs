//! From the mapping to the fields, each judged by its rule.

use std::collections::BTreeMap;

use kitbag_types::CapabilityId;
use unicode_normalization::UnicodeNormalization as _;

use super::front_matter::FrontMatter;
use super::indentation;
use super::{MAX_COMPATIBILITY_CHARS, MAX_DESCRIPTION_CHARS, SkillContext, SkillManifest};
use crate::Issue;
use crate::issue::{Place, Rule};
use crate::rules::{
    ALLOWED_TOOLS_FORM, COMPATIBILITY_NOT_TEXT, COMPATIBILITY_TOO_LONG, DESCRIPTION_MISSING,
    DESCRIPTION_NOT_TEXT, DESCRIPTION_TOO_LONG, FIELD_NOT_TEXT, LOOKS_LIKE_OTHER_TYPE,
    NAME_DIFFERS_FROM_FOLDER, NAME_INVALID, NAME_MISSING, NAME_NOT_TEXT, UNKNOWN_KEY,
};
use crate::yaml::{Entry, Node, Value};

/// The keys of the specification.
const KEYS: [&str; 6] =
    ["allowed-tools", "compatibility", "description", "license", "metadata", "name"];

/// Reads the fields. None if one that is required is missing; then an issue is fatal.
pub(super) fn read(
    front_matter: &FrontMatter,
    context: &SkillContext<'_>,
    issues: &mut Vec<Issue>,
) -> Option<SkillManifest> {
    let entries = &front_matter.entries;
    indentation::check(entries, issues);
    let unknown_keys = unknown_keys(entries, issues);
    let name = required(entries, "name", &NAME_MISSING, &NAME_NOT_TEXT, issues);
    let description =
        required(entries, "description", &DESCRIPTION_MISSING, &DESCRIPTION_NOT_TEXT, issues);
    if let Some((name, place)) = name {
        check_name(name, place, context, issues);
    }
    if let Some((description, place)) = description {
        check_length(
            description,
            "description",
            MAX_DESCRIPTION_CHARS,
            &DESCRIPTION_TOO_LONG,
            place,
            issues,
        );
    }
    let compatibility = optional(entries, "compatibility", &COMPATIBILITY_NOT_TEXT, issues);
    if let (Some(text), Some(entry)) = (compatibility, find(entries, "compatibility")) {
        let place = place_of(&entry.value);
        check_length(
            text,
            "compatibility",
            MAX_COMPATIBILITY_CHARS,
            &COMPATIBILITY_TOO_LONG,
            place,
            issues,
        );
    }
    let metadata = metadata(entries, issues);
    let version = metadata
        .get("version")
        .map(String::as_str)
        .into_iter()
        .chain(find(entries, "version").and_then(|entry| entry.value.text()))
        .map(str::trim)
        .find(|text| !text.is_empty())
        .map(str::to_owned);
    let manifest = SkillManifest {
        name: name.map_or("", |(name, _)| name).to_owned(),
        description: description.map_or("", |(text, _)| text).to_owned(),
        license: optional(entries, "license", &FIELD_NOT_TEXT, issues)
            .map(|text| text.trim().to_owned()),
        compatibility: compatibility.map(|text| text.trim().to_owned()),
        metadata,
        allowed_tools: find(entries, "allowed-tools")
            .map_or_else(Vec::new, |entry| allowed_tools(&entry.value, issues)),
        version,
        unknown_keys,
        body_offset: front_matter.body_offset,
    };
    (name.is_some() && description.is_some()).then_some(manifest)
}

fn find<'e>(entries: &'e [Entry], key: &str) -> Option<&'e Entry> {
    entries.iter().find(|entry| entry.key == key)
}

fn place_of(node: &Node) -> Place {
    Place { line: node.line, column: node.column }
}

fn unknown_keys(entries: &[Entry], issues: &mut Vec<Issue>) -> Vec<String> {
    let mut unknown = Vec::new();
    for entry in entries.iter().filter(|entry| !KEYS.contains(&entry.key.as_str())) {
        let place = Place { line: entry.line, column: entry.column };
        let message = format!("the specification does not know the key `{}`", entry.key);
        let folded = entry.key.to_lowercase().replace('_', "-");
        // A short key is near to many words: `note` is no slip for `name`.
        let near = KEYS.iter().find(|key| strsim::osa_distance(key, &folded) <= key.len() / 4);
        issues.push(Issue::new(&UNKNOWN_KEY, message, place).remedy(match near {
            Some(near) => format!("did you mean `{near}`?"),
            None => "put it under `metadata`".to_owned(),
        }));
        unknown.push(entry.key.clone());
    }
    unknown
}

/// Returns a text that has to be there, with its place.
fn required<'e>(
    entries: &'e [Entry],
    key: &str,
    missing: &'static Rule,
    not_text: &'static Rule,
    issues: &mut Vec<Issue>,
) -> Option<(&'e str, Place)> {
    let remedy = format!("add a line `{key}: …`");
    let Some(entry) = find(entries, key) else {
        let issue = Issue::new(missing, format!("there is no `{key}`"), Place::START);
        issues.push(issue.remedy(remedy));
        return None;
    };
    let place = place_of(&entry.value);
    let Value::Scalar { text, plain } = &entry.value.value else {
        let issue = Issue::new(not_text, format!("`{key}` is a list or a mapping"), place);
        issues.push(issue.remedy("write it as text, in quotes if it begins with `[` or `{`"));
        return None;
    };
    if text.trim().is_empty() {
        issues.push(Issue::new(missing, format!("`{key}` is empty"), place).remedy(remedy));
        return None;
    }
    if *plain && looks_like_other_type(text) {
        let message = format!("`{key}` is `{text}`, which others read as something else than text");
        let issue = Issue::new(&LOOKS_LIKE_OTHER_TYPE, message, place);
        issues.push(issue.remedy(format!("write `{key}: \"{text}\"`")));
    }
    Some((text, place))
}

/// Returns a text that may be there.
fn optional<'e>(
    entries: &'e [Entry],
    key: &str,
    not_text: &'static Rule,
    issues: &mut Vec<Issue>,
) -> Option<&'e str> {
    let entry = find(entries, key)?;
    let Some(text) = entry.value.text() else {
        let message = format!("`{key}` is a list or a mapping, and is left out");
        issues
            .push(Issue::new(not_text, message, place_of(&entry.value)).remedy("write it as text"));
        return None;
    };
    Some(text).filter(|text| !text.trim().is_empty())
}

fn check_name(name: &str, place: Place, context: &SkillContext<'_>, issues: &mut Vec<Issue>) {
    let normal: String = name.trim().nfkc().collect();
    if let Err(error) = CapabilityId::from_manifest_name(name) {
        let message = format!("the name `{normal}` breaks the rule for names: {}", error.rule);
        let remedy = "use 1 to 64 lower-case letters, digits and single hyphens";
        issues.push(Issue::new(&NAME_INVALID, message, place).remedy(remedy));
    }
    if let Some(folder) = context.folder
        && folder.nfkc().collect::<String>() != normal
    {
        let message = format!("the name is `{normal}`, and the folder is called `{folder}`");
        let remedy = "give both the same name";
        issues.push(Issue::new(&NAME_DIFFERS_FROM_FOLDER, message, place).remedy(remedy));
    }
}

fn check_length(
    text: &str,
    key: &str,
    most: usize,
    rule: &'static Rule,
    place: Place,
    issues: &mut Vec<Issue>,
) {
    // Blanks at its ends count: the reference validator counts them.
    let count = text.chars().count();
    if count > most {
        let message = format!("`{key}` has {count} characters, more than {most}");
        issues.push(Issue::new(rule, message, place).remedy("move details into the body"));
    }
}

fn metadata(entries: &[Entry], issues: &mut Vec<Issue>) -> BTreeMap<String, String> {
    let mut texts = BTreeMap::new();
    let Some(entry) = find(entries, "metadata") else { return texts };
    let mut left_out = |key: &str, node: &Node| {
        let message = format!("`{key}` is not text, and is left out");
        issues
            .push(Issue::new(&FIELD_NOT_TEXT, message, place_of(node)).remedy("write it as text"));
    };
    match &entry.value.value {
        Value::Mapping(entries) => {
            for Entry { key, value, .. } in entries {
                match value.text() {
                    Some(text) => {
                        texts.insert(key.clone(), text.trim().to_owned());
                    }
                    None => left_out(&format!("metadata.{key}"), value),
                }
            }
        }
        Value::Scalar { text, .. } if text.is_empty() => {}
        Value::Scalar { .. } | Value::Sequence(_) => left_out("metadata", &entry.value),
    }
    texts
}

/// Reads the tools from any of the three forms in use: blanks between them, commas, or a list.
fn allowed_tools(node: &Node, issues: &mut Vec<Issue>) -> Vec<String> {
    let mut odd = false;
    let tools = match &node.value {
        Value::Scalar { text, .. } => {
            odd = split(text, false).iter().any(|tool| tool.contains(','));
            split(text, true)
        }
        Value::Sequence(items) => {
            odd = true;
            for item in items.iter().filter(|item| item.text().is_none()) {
                let message = "a tool in `allowed-tools` is not text, and is left out";
                let issue = Issue::new(&FIELD_NOT_TEXT, message, place_of(item));
                issues.push(issue.remedy("write it as text"));
            }
            items.iter().filter_map(Node::text).map(|text| text.trim().to_owned()).collect()
        }
        Value::Mapping(_) => {
            let message = "`allowed-tools` is a mapping, and is left out";
            issues.push(
                Issue::new(&FIELD_NOT_TEXT, message, place_of(node)).remedy("write it as text"),
            );
            Vec::new()
        }
    };
    let tools: Vec<String> = tools.into_iter().filter(|tool| !tool.is_empty()).collect();
    if odd {
        let message = "`allowed-tools` is not one text with blanks between the tools";
        let issue = Issue::new(&ALLOWED_TOOLS_FORM, message, place_of(node));
        issues.push(issue.remedy(format!("write `allowed-tools: {}`", tools.join(" "))));
    }
    tools
}

/// Splits at blanks, and at commas where asked to, outside parentheses.
fn split(text: &str, at_commas: bool) -> Vec<String> {
    let mut parts = vec![String::new()];
    let mut depth = 0_usize;
    for c in text.chars() {
        match c {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth == 0 && (c.is_whitespace() || (c == ',' && at_commas)) {
            parts.push(String::new());
        } else if let Some(part) = parts.last_mut() {
            part.push(c);
        }
    }
    parts
}

/// Tells whether a YAML reader with types sees something else than text: nothing, a truth value, a
/// number or a date (source: YAML 1.1 and 1.2 core schema, in the rough).
fn looks_like_other_type(text: &str) -> bool {
    const WORDS: [&str; 10] =
        ["null", "~", "true", "false", "yes", "no", "on", "off", ".inf", ".nan"];
    let lower = text.to_lowercase();
    let digits = lower.trim_start_matches(['+', '-']);
    WORDS.contains(&lower.as_str())
        || lower.parse::<f64>().is_ok()
        || ["0x", "0o", "0b"].iter().any(|prefix| digits.starts_with(prefix))
        || is_date(&lower)
}

fn is_date(text: &str) -> bool {
    let bytes = text.as_bytes();
    bytes.len() >= 10
        && bytes.iter().take(10).enumerate().all(|(at, byte)| match at {
            4 | 7 => *byte == b'-',
            _ => byte.is_ascii_digit(),
        })
}
