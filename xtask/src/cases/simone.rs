//! simone.json: the package digests of SIM-ONE, which the compatibility function reproduces.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::{Context as _, Result, bail};
use kitbag_package::compat;
use serde::Deserialize;

/// The sets of the file that are not about packages are left to the crates they are about.
#[derive(Deserialize)]
struct Cases {
    digests: Vec<Case>,
}

#[derive(Deserialize)]
struct Case {
    files: BTreeMap<String, String>,
    sha256: String,
}

/// Returns how many digests differ.
pub(super) fn run(path: &Path) -> Result<usize> {
    let text = fs_err::read_to_string(path)?;
    let cases: Cases =
        serde_json::from_str(&text).with_context(|| format!("cannot read `{}`", path.display()))?;
    if cases.digests.is_empty() {
        bail!("`{}` has no digests", path.display());
    }
    let mut mismatches = 0;
    for (place, case) in cases.digests.iter().enumerate() {
        let files = case.files.iter().map(|(path, text)| (path.as_str(), text.as_bytes()));
        let digest = compat::digest(files).to_string();
        if digest != format!("sha256:{}", case.sha256) {
            mismatches += 1;
            println!("digest {}: expected {}, got {digest}", place + 1, case.sha256);
        }
    }
    println!("simone: {} digests, {mismatches} mismatches", cases.digests.len());
    Ok(mismatches)
}
