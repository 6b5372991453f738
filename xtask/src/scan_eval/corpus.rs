//! Labelled packages, from folders or from case files.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::{Context as _, Result, bail};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::Deserialize;
use walkdir::WalkDir;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Label {
    Benign,
    Malicious,
}

/// One package.
pub(super) struct Case {
    pub(super) id: String,
    pub(super) label: Label,
    /// What kind of package, or of attack, in the corpus's own words.
    pub(super) class: String,
    pub(super) files: Vec<(String, Vec<u8>)>,
}

impl Case {
    /// Returns where it is from: the first part of its id.
    pub(super) fn source(&self) -> &str {
        self.id.split('/').next().unwrap_or_default()
    }

    /// Tells whether only the user can say if it is an attack: ordinary instructions that are wrong
    /// in some contexts.
    pub(super) fn is_dual_use(&self) -> bool {
        self.class.starts_with("contextual_dual_use")
    }

    /// Returns the class without its particulars.
    pub(super) fn class_family(&self) -> &str {
        self.class.split([':', ',']).next().unwrap_or_default()
    }
}

/// Reads each set of packages that a folder holds.
pub(super) fn read(dir: &Path) -> Result<Vec<(String, Vec<Case>)>> {
    let mut sets = Vec::new();
    for (name, reader) in [
        ("labels.tsv", labelled_folders as fn(&Path) -> Result<Vec<Case>>),
        ("scan_corpus.jsonl", packages),
        ("skillmd.jsonl", skill_files),
    ] {
        let path = dir.join(name);
        if path.is_file() {
            sets.push((name.to_owned(), reader(&path).with_context(|| name.to_owned())?));
        }
    }
    Ok(sets)
}

/// `labels.tsv`: the path of a folder or a file, the label, and the class.
fn labelled_folders(labels: &Path) -> Result<Vec<Case>> {
    let root = labels.parent().unwrap_or(Path::new("."));
    let mut cases = Vec::new();
    for (number, line) in fs_err::read_to_string(labels)?.lines().enumerate() {
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let fields: Vec<&str> = line.split('\t').collect();
        let &[path, label, class] = fields.as_slice() else {
            bail!("line {}: not a path, a label and a class", number + 1);
        };
        let label = match label {
            "benign" => Label::Benign,
            "malicious" => Label::Malicious,
            _ => bail!("line {}: `{label}` is neither `benign` nor `malicious`", number + 1),
        };
        let files = folder(&root.join(path))?;
        cases.push(Case { id: path.to_owned(), label, class: class.to_owned(), files });
    }
    Ok(cases)
}

fn folder(path: &Path) -> Result<Vec<(String, Vec<u8>)>> {
    let mut files = Vec::new();
    for entry in WalkDir::new(path).sort_by_file_name() {
        let entry = entry?;
        if !entry.file_type().is_file() {
            continue;
        }
        let inside = entry.path().strip_prefix(path).unwrap_or(entry.path());
        let name = match inside.to_str() {
            Some("") => entry.file_name().to_string_lossy().into_owned(),
            Some(inside) => inside.to_owned(),
            None => bail!("`{}` is not UTF-8", entry.path().display()),
        };
        files.push((name, fs_err::read(entry.path())?));
    }
    Ok(files)
}

#[derive(Deserialize)]
struct Package {
    id: String,
    label: Label,
    class: String,
    files: BTreeMap<String, String>,
}

fn packages(path: &Path) -> Result<Vec<Case>> {
    lines::<Package>(path)?
        .into_iter()
        .map(|package| {
            let files = package
                .files
                .into_iter()
                .map(|(name, text)| Ok((name, STANDARD.decode(text)?)))
                .collect::<Result<_>>()?;
            Ok(Case { id: package.id, label: package.label, class: package.class, files })
        })
        .collect()
}

#[derive(Deserialize)]
struct SkillFile {
    repo: String,
    path: String,
    text: Option<String>,
    b64: Option<String>,
    #[serde(default)]
    known_malicious: bool,
}

fn skill_files(path: &Path) -> Result<Vec<Case>> {
    lines::<SkillFile>(path)?
        .into_iter()
        .map(|file| {
            let bytes = match (file.text, file.b64) {
                (Some(text), _) => text.into_bytes(),
                (None, Some(text)) => STANDARD.decode(text)?,
                (None, None) => bail!("{}: neither `text` nor `b64`", file.path),
            };
            Ok(Case {
                id: format!("{}/{}", file.repo.replace('/', "__"), file.path),
                label: if file.known_malicious { Label::Malicious } else { Label::Benign },
                class: "skill file".to_owned(),
                files: vec![("SKILL.md".to_owned(), bytes)],
            })
        })
        .collect()
}

/// Reads JSON Lines.
pub(super) fn lines<T: for<'de> Deserialize<'de>>(path: &Path) -> Result<Vec<T>> {
    let text = fs_err::read_to_string(path)?;
    text.lines()
        .enumerate()
        .map(|(at, line)| serde_json::from_str(line).with_context(|| format!("line {}", at + 1)))
        .collect()
}
