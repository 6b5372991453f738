//! What holds of every report.

use std::collections::BTreeMap;

use kitbag_package::{Contents, Entry};
use kitbag_scanner::{Mode, Options};
use kitbag_types::{PackagePath, Verdict};
use proptest::prelude::*;

use crate::support::scan_files;

fn bytes() -> impl Strategy<Value = Vec<u8>> {
    // Bytes at random, and text made of what the rules look for.
    let pieces = prop::sample::select(vec![
        "a",
        "\n",
        "\r\n",
        "#!",
        "---\n",
        "name: x\n",
        "description: y\n",
        "\0",
        "\u{feff}",
        "\u{202e}",
        "\u{200b}",
        "\u{200d}",
        "\u{fe0f}",
        "😀",
        "\u{1f3f4}",
        "\u{e0061}",
        "\u{e007f}",
        "\u{e0100}",
        "\u{2028}",
        "\u{1b}[",
        "р",
        "ο",
        "م",
        "葛",
    ]);
    let text = prop::collection::vec(pieces, 0..40).prop_map(|pieces| pieces.concat().into_bytes());
    let wide = prop::collection::vec(any::<u8>(), 0..40)
        .prop_map(|bytes| [b"\xff\xfe".as_slice(), &bytes].concat());
    prop_oneof![prop::collection::vec(any::<u8>(), 0..60), text, wide]
}

fn name() -> impl Strategy<Value = String> {
    let known = prop::sample::select(vec![
        "SKILL.md",
        "skill.md",
        "Skill.MD",
        "a/SKILL.md",
        "a.js",
        "b.json",
        "c.md",
        "d",
        "e.png",
    ]);
    prop_oneof![known.prop_map(str::to_owned), any::<String>(), "[a-c/.\u{202e}\u{200b}:]{1,8}"]
}

fn package() -> impl Strategy<Value = Vec<(Entry, Contents)>> {
    prop::collection::btree_map(name(), (bytes(), any::<bool>()), 0..6).prop_map(
        |files: BTreeMap<_, _>| {
            files
                .into_iter()
                .filter_map(|(name, (bytes, executable))| {
                    let path = PackagePath::new(&name).ok()?;
                    let contents = Contents::new(bytes);
                    Some((Entry { path, executable, size: contents.len() as u64 }, contents))
                })
                .collect()
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn any_package_is_reported_whole_and_in_order(files in package(), strict in any::<bool>()) {
        let mode = if strict { Mode::Strict } else { Mode::Lenient };
        let options = Options::default().with_mode(mode);
        let report = scan_files(&files, options).report;

        let covered: Vec<_> = report.coverage.iter().map(|c| (c.file.as_str(), c.bytes)).collect();
        let there: Vec<_> = files.iter().map(|(e, _)| (e.path.as_str(), e.size)).collect();
        prop_assert_eq!(covered, there, "each file once, with its bytes");

        let order = |f: &kitbag_types::Finding| (f.file.clone(), f.line, f.column, f.rule.clone());
        prop_assert!(report.findings.is_sorted_by_key(order));
        prop_assert_eq!(report.verdict, Verdict::of(&report.findings));
        for finding in &report.findings {
            prop_assert!(finding.line != Some(0) && finding.column != Some(0));
            let shown = [Some(&finding.message), finding.evidence.as_ref(), finding.remedy.as_ref()];
            for text in shown.into_iter().flatten() {
                prop_assert_eq!(&kitbag_types::printable(text).to_string(), text, "nothing raw");
            }
        }
    }

    #[test]
    fn the_order_of_visits_does_not_show(
        (files, shuffled) in package().prop_flat_map(|f| (Just(f.clone()), Just(f).prop_shuffle()))
    ) {
        let report = |files| scan_files(files, Options::default()).report;
        prop_assert_eq!(report(&files), report(&shuffled));
    }
}
