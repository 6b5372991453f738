//! `cargo xtask schemas`: the JSON Schemas of the wire forms, in docs/schemas/.

use std::path::{Path, PathBuf};

use anyhow::Result;

use crate::generated::{Generated, Mode, settle};
use crate::workspace::Workspace;

const FOLDER: &str = "docs/schemas";
const SUFFIX: &str = ".schema.json";

pub(crate) fn run(workspace: &Workspace, mode: Mode) -> Result<()> {
    let files = generate()?;
    let extra = extra(&workspace.root, &files)?;
    settle(&workspace.root, &files, &extra, mode, "schemas")
}

fn generate() -> Result<Vec<Generated>> {
    kitbag_types::schema::all()
        .into_iter()
        .map(|(name, schema)| {
            let mut text = serde_json::to_string_pretty(&schema)?;
            text.push('\n');
            Ok(Generated { path: Path::new(FOLDER).join(format!("{name}{SUFFIX}")), text })
        })
        .collect()
}

/// Returns the files of the folder that no wire form stands behind.
fn extra(root: &Path, files: &[Generated]) -> Result<Vec<PathBuf>> {
    let folder = root.join(FOLDER);
    if !folder.is_dir() {
        return Ok(Vec::new());
    }
    let mut extra = Vec::new();
    for entry in fs_err::read_dir(folder)? {
        let path = Path::new(FOLDER).join(entry?.file_name());
        if !files.iter().any(|file| file.path == path) {
            extra.push(path);
        }
    }
    extra.sort();
    Ok(extra)
}

#[cfg(test)]
mod tests {
    use super::generate;

    #[test]
    fn every_schema_is_a_named_json_document_that_ends_with_a_newline() {
        let files = generate().expect("schemas are JSON");
        assert!(!files.is_empty());
        for file in files {
            let name = file.path.display().to_string();
            assert!(file.text.ends_with("}\n"), "{name}");
            let value: serde_json::Value = serde_json::from_str(&file.text).expect(&name);
            assert!(value.get("$schema").is_some(), "{name}");
        }
    }
}
