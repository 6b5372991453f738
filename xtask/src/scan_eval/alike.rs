//! Packages that are nearly the same, and packages that are one another with something added.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use super::Judged;
use super::corpus::{Case, Label};

/// How many words make a shingle (source: Broder, "On the resemblance and containment of documents").
const SHINGLE: usize = 5;

/// Packages that share this much of their shingles count once.
const NEARLY_THE_SAME: f64 = 0.8;

/// A clean package of which a poisoned one holds this share of the lines is its twin.
const TWIN: f64 = 0.7;

/// Marks all but the first of the cases that are nearly the same, label by label and source by
/// source.
pub(super) fn mark_repeated(all: &mut [Judged]) {
    let shingles: Vec<HashSet<u64>> = all.iter().map(|judged| shingles(&judged.case)).collect();
    let mut firsts: BTreeMap<(Label, String), Vec<usize>> = BTreeMap::new();
    for at in 0..all.len() {
        let key = (all[at].case.label, all[at].case.source().to_owned());
        let firsts = firsts.entry(key).or_default();
        let is_like =
            |&first: &usize| resemblance(&shingles[first], &shingles[at]) >= NEARLY_THE_SAME;
        if firsts.iter().any(is_like) {
            all[at].is_repeated = true;
        } else {
            firsts.push(at);
        }
    }
}

/// Returns the places of a malicious case and of the benign one it was made of, for each that has
/// one.
pub(super) fn twins(all: &[Judged]) -> Vec<(usize, usize)> {
    let lines: Vec<BTreeSet<Vec<u8>>> = all.iter().map(|judged| lines(&judged.case)).collect();
    let places = |label| (0..all.len()).filter(move |&at| all[at].case.label == label);
    places(Label::Malicious)
        .filter_map(|bad| {
            places(Label::Benign)
                .filter(|&good| lines[good].len() >= 10)
                .map(|good| {
                    let shared = lines[good].intersection(&lines[bad]).count();
                    (shared as f64 / lines[good].len() as f64, good)
                })
                .filter(|(share, _)| *share >= TWIN)
                .max_by(|a, b| a.0.total_cmp(&b.0))
                .map(|(_, good)| (bad, good))
        })
        .collect()
}

fn shingles(case: &Case) -> HashSet<u64> {
    let text: Vec<u8> = case.files.iter().flat_map(|(_, bytes)| bytes.iter().copied()).collect();
    let words: Vec<&[u8]> =
        text.split(|byte| !byte.is_ascii_alphanumeric()).filter(|word| !word.is_empty()).collect();
    words
        .windows(SHINGLE.min(words.len()).max(1))
        .map(|window| {
            let mut hasher = DefaultHasher::new();
            window.hash(&mut hasher);
            hasher.finish()
        })
        .collect()
}

fn resemblance(a: &HashSet<u64>, b: &HashSet<u64>) -> f64 {
    let (small, large) = if a.len() < b.len() { (a, b) } else { (b, a) };
    if large.is_empty() || (small.len() as f64) < NEARLY_THE_SAME * large.len() as f64 {
        return 0.0;
    }
    let shared = small.iter().filter(|shingle| large.contains(shingle)).count();
    shared as f64 / (small.len() + large.len() - shared) as f64
}

fn lines(case: &Case) -> BTreeSet<Vec<u8>> {
    case.files
        .iter()
        .flat_map(|(_, bytes)| bytes.split(|byte| *byte == b'\n'))
        .map(|line| line.trim_ascii().to_vec())
        .filter(|line| line.len() >= 12)
        .collect()
}
