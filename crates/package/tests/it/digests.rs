//! The digest: recomputed by the documented recipe, equal to vectors, and sensitive to every bit.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

use kitbag_package::{PackageTree, compat, digest, read_all};
use kitbag_types::Digest;
use proptest::prelude::*;
use proptest::sample::Index;
use serde_json::Value;
use sha2::{Digest as _, Sha256};

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
    assert_eq!(vectors.len(), 10, "vectors were lost");
    for vector in vectors {
        assert_eq!(
            build(&vector).digest().to_string(),
            text(&vector, "digest"),
            "{}",
            vector["about"]
        );
    }
}

/// Returns the scripts of the page in order, as they stand there.
fn scripts() -> Vec<String> {
    let page = repository("docs/digest.md");
    let fenced = page.split("```sh\n").skip(1);
    fenced.map(|rest| rest.split_once("```").expect("a script ends").0.to_owned()).collect()
}

/// Returns what a script writes, which is given a folder by its name alone.
#[track_caller]
fn run(script: &str, folder: &Path) -> String {
    let output = Command::new("sh")
        .args(["-c", script, "recipe"])
        .arg(folder.file_name().expect("a folder of ours has a name"))
        .current_dir(folder.parent().expect("it lies in another"))
        .output()
        .expect("a shell is installed");
    let complaint = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && complaint.is_empty(), "{complaint}");
    String::from_utf8(output.stdout).expect("hexadecimal digits")
}

/// Returns the digest by the recipe of the page, which shares nothing with the crate.
#[track_caller]
fn by_recipe(folder: &Path) -> String {
    format!("sha256:{}", run(&scripts()[0], folder).trim_end())
}

#[test]
fn the_documented_recipe_gives_the_same_digest() {
    for vector in vectors("vectors") {
        let folder = build(&vector);
        folder.write(".git/HEAD", "ref: x");
        folder.write("sub/.git/HEAD", "ref: x");
        fs_err::create_dir(folder.at("empty")).expect("a new folder");
        assert_eq!(by_recipe(&folder.path()), text(&vector, "digest"), "{}", vector["about"]);
    }
}

#[test]
fn the_recipe_takes_a_folder_of_any_name() {
    let vector = &vectors("vectors")[0];
    let folder = build(vector);
    for name in ["with blank", "$(id)", "-P"] {
        let path = folder.outside().join(name);
        fs_err::rename(folder.path(), &path).expect("renamed");
        assert_eq!(by_recipe(&path), text(vector, "digest"), "{name}");
        fs_err::rename(&path, folder.path()).expect("renamed");
    }
}

#[test]
fn the_example_of_the_page_holds() {
    let [_, example] = &scripts()[..] else { panic!("the page has a recipe and an example") };
    let vector = &vectors("vectors")[0];
    let folder = build(vector);
    assert_eq!(
        format!("sha256:{}", run(example, &folder.path()).trim_end()),
        text(vector, "digest")
    );
    let page = repository("docs/digest.md");
    for (path, file) in vector["files"].as_object().expect("a vector has files") {
        let content = text(file, "content");
        let row = format!(
            "| {} | `{}` |",
            content.len(),
            &Digest::of_bytes(content.as_bytes()).to_string()[7..]
        );
        let shown = page
            .lines()
            .any(|line| line.starts_with(&format!("| `{path}` |")) && line.ends_with(&row));
        assert!(shown, "{path}: {row}");
    }
    assert!(page.contains(text(vector, "digest")));
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

/// Trees of a few files whose paths never stand in each other's way, nor spell a device.
fn tree() -> impl Strategy<Value = BTreeMap<String, (Vec<u8>, bool)>> {
    let path = prop_oneof!["[a-e]{1,3}", "[f-h]/[a-z.-]{1,3}y", "[i-k]/[a-c]/[a-zé技]{1,2}"];
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

/// Returns the digest as the page defines it, over one buffer that holds all of the input.
fn at_one_go(tree: &BTreeMap<String, (Vec<u8>, bool)>) -> Digest {
    let mut input = Vec::new();
    // The order of a map of strings is bytewise.
    for (path, (bytes, executable)) in tree {
        let mode = if *executable { 'x' } else { '-' };
        input.extend(format!("{path}\0{mode}\0{}\0", bytes.len()).into_bytes());
        input.extend(Sha256::digest(bytes));
    }
    Digest::from_raw(Sha256::digest(input).into())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn the_order_of_creation_does_not_show(tree in tree()) {
        prop_assert_eq!(make(tree.iter()).digest(), make(tree.iter().rev()).digest());
    }

    #[test]
    fn the_definition_is_met(tree in tree(), rotation in 0..6_usize) {
        let folder = make(tree.iter());
        let package = PackageTree::open(&folder.path()).expect("a package");
        let mut seen = BTreeMap::new();
        let mut listing = read_all(&package, &mut |entry, contents| {
            seen.insert(entry.path.to_string(), (contents.to_vec(), entry.executable));
        })
        .expect("readable");
        prop_assert_eq!(&seen, &tree, "what was shown is what was written");
        prop_assert!(listing.is_sorted_by_key(|entry| &entry.path));
        prop_assert_eq!(digest(&listing), at_one_go(&tree));
        let by = rotation % listing.len();
        listing.rotate_left(by);
        prop_assert_eq!(digest(&listing), at_one_go(&tree), "a listing in another order");
    }

    #[test]
    fn every_bit_shows(tree in tree(), which in any::<Index>(), at in any::<Index>(), what in 0..5) {
        let folder = make(tree.iter());
        let before = folder.digest();
        let (path, (bytes, executable)) = which.get(&tree.iter().collect::<Vec<_>>()).to_owned();
        match what {
            0 => folder.chmod(path, if *executable { 0o644 } else { 0o755 }),
            1 => folder.write(path, [bytes.as_slice(), b"\0"].concat()),
            2 if !bytes.is_empty() => {
                let mut bytes = bytes.clone();
                let bit = at.index(bytes.len() * 8);
                bytes[bit / 8] ^= 1 << (bit % 8);
                folder.write(path, bytes);
            }
            3 => fs_err::rename(folder.at(path), folder.at(&format!("{path}-moved"))).expect("moved"),
            _ => folder.write("zz-added", ""),
        }
        prop_assert_ne!(folder.digest(), before);
    }
}

proptest! {
    // Each case starts a shell and some dozens of programs.
    #![proptest_config(ProptestConfig::with_cases(8))]

    #[test]
    fn the_recipe_agrees_on_any_tree(tree in tree()) {
        let folder = make(tree.iter());
        prop_assert_eq!(by_recipe(&folder.path()), folder.digest().to_string());
    }
}
