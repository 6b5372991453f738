//! The digest: recomputed by the documented recipe, equal to vectors, and sensitive to every bit.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

use kitbag_package::compat;
use proptest::prelude::*;
use serde_json::Value;

use crate::support::Folder;

fn repository(path: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(path);
    fs_err::read_to_string(path).expect("a file of the repository")
}

fn vectors(name: &str) -> Vec<Value> {
    serde_json::from_str(&repository(&format!("fixtures/digest/{name}.json"))).expect("vectors")
}

fn text<'v>(value: &'v Value, key: &str) -> &'v str {
    value[key].as_str().unwrap_or_else(|| panic!("a vector has a `{key}`"))
}

/// Builds the package of a vector.
fn build(vector: &Value) -> Folder {
    let folder = Folder::new();
    for (path, file) in vector["files"].as_object().expect("a vector has files") {
        let content = text(file, "content");
        let bytes = match content.strip_prefix("hex:") {
            Some(hex) => (0..hex.len() / 2)
                .map(|at| u8::from_str_radix(&hex[at * 2..at * 2 + 2], 16).expect("hexadecimal"))
                .collect(),
            None => content.as_bytes().to_vec(),
        };
        folder.write(path, bytes);
        folder.chmod(path, if file["executable"] == true { 0o755 } else { 0o644 });
    }
    folder
}

#[test]
fn the_vectors_hold() {
    let vectors = vectors("vectors");
    assert!(vectors.len() >= 7, "vectors were lost");
    for vector in vectors {
        assert_eq!(
            build(&vector).digest().to_string(),
            text(&vector, "digest"),
            "{}",
            vector["about"]
        );
    }
}

#[test]
fn the_page_shows_the_digest_of_its_example() {
    let page = repository("docs/digest.md");
    assert!(page.contains(text(&vectors("vectors")[0], "digest")));
}

/// Runs the script of the page, as it stands there.
fn by_recipe(folder: &Path) -> String {
    let page = repository("docs/digest.md");
    let (_, after) = page.split_once("```sh\n").expect("the page has a script");
    let (script, _) = after.split_once("```").expect("the script ends");
    let output = Command::new("sh")
        .args(["-c", script, "recipe"])
        .arg(folder)
        .output()
        .expect("a shell is installed");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    format!("sha256:{}", String::from_utf8_lossy(&output.stdout).trim())
}

#[test]
fn the_documented_recipe_gives_the_same_digest() {
    for vector in vectors("vectors") {
        let folder = build(&vector);
        folder.write(".git/HEAD", "ref: x");
        assert_eq!(by_recipe(&folder.path()), text(&vector, "digest"), "{}", vector["about"]);
    }
}

#[test]
fn the_digest_of_simone_is_reproduced() {
    let vectors = vectors("compat");
    assert_eq!(vectors.len(), 3);
    for vector in vectors {
        let files: BTreeMap<&str, &str> = vector["files"]
            .as_object()
            .expect("a vector has files")
            .iter()
            .map(|(path, content)| (path.as_str(), content.as_str().expect("text")))
            .collect();
        let digest = compat::digest(files.iter().map(|(path, text)| (*path, text.as_bytes())));
        assert_eq!(digest.to_string(), text(&vector, "digest"), "{}", vector["about"]);
    }
}

/// Trees of a few files whose paths never stand in each other's way.
fn tree() -> impl Strategy<Value = BTreeMap<String, (Vec<u8>, bool)>> {
    let path = prop_oneof!["[a-e]{1,3}", "[f-h]/[a-z.-]{1,3}x", "[i-k]/[a-c]/[a-zé技]{1,2}"];
    let file = (prop::collection::vec(any::<u8>(), 0..20), any::<bool>());
    prop::collection::btree_map(path, file, 1..6)
}

fn make<'t>(files: impl Iterator<Item = (&'t String, &'t (Vec<u8>, bool))>) -> Folder {
    let folder = Folder::new();
    for (path, (bytes, executable)) in files {
        folder.write(path, bytes);
        folder.chmod(path, if *executable { 0o755 } else { 0o644 });
    }
    folder
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn the_order_of_creation_does_not_show(tree in tree()) {
        prop_assert_eq!(make(tree.iter()).digest(), make(tree.iter().rev()).digest());
    }

    #[test]
    fn every_bit_shows(tree in tree(), which in any::<prop::sample::Index>(), what in 0..4) {
        let folder = make(tree.iter());
        let before = folder.digest();
        let (path, (bytes, executable)) = which.get(&tree.iter().collect::<Vec<_>>()).to_owned();
        match what {
            0 => folder.chmod(path, if *executable { 0o644 } else { 0o755 }),
            1 => folder.write(path, [bytes.as_slice(), b"\0"].concat()),
            2 => fs_err::rename(folder.at(path), folder.at(&format!("{path}-moved"))).expect("moved"),
            _ => folder.write("zz-added", ""),
        }
        prop_assert_ne!(folder.digest(), before);
    }
}
