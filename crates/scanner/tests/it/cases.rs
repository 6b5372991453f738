//! Each folder below `fixtures/scanner` is a case: `in/` is scanned, `expect.snap` is the report.
//! A new case needs no Rust. A file called `NAME.escaped` becomes `NAME`, with `\u{…}` and `\x..`
//! in it made into what they stand for, so that nothing in the repository is hidden itself.

use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use kitbag_package::PackageTree;
use kitbag_scanner::{Options, RuleSet, Subject, package_report, scan};
use kitbag_types::{Kind, ScanReport};

fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/scanner")
}

fn report_of(package: &Path) -> ScanReport {
    let rules = RuleSet::builtin().with_syntax(crate::support::child());
    let scanned = PackageTree::open(package)
        .and_then(|tree| scan(&tree, Subject::new(Kind::Skill), &rules, Options::default()));
    match scanned {
        Ok(outcome) => outcome.report,
        Err(error) => package_report(&error, &rules),
    }
}

#[test]
fn every_case_is_reported_as_expected() {
    let mut cases: Vec<PathBuf> = fs_err::read_dir(fixtures())
        .expect("the fixtures are there")
        .map(|case| case.expect("a readable folder").path())
        .filter(|path| path.is_dir())
        .collect();
    cases.sort();
    assert!(cases.len() >= 10, "cases were lost");
    for case in cases {
        let temp = tempfile::tempdir().expect("a temporary folder");
        unpack(&case.join("in"), temp.path());
        let mut report =
            serde_json::to_value(report_of(temp.path())).expect("a report is plain data");
        report["ruleSet"] = "[digest]".into();
        insta::with_settings!({
            snapshot_path => case.clone(),
            prepend_module_to_snapshot => false,
            omit_expression => true,
            description => case.file_name().expect("a case has a name").to_string_lossy(),
        }, {
            insta::assert_json_snapshot!("expect", report);
        });
    }
}

fn unpack(from: &Path, to: &Path) {
    for entry in fs_err::read_dir(from).expect("a readable folder") {
        let path = entry.expect("a readable entry").path();
        let name = path.file_name().expect("it has a name").to_str().expect("fixtures are UTF-8");
        if path.is_dir() {
            fs_err::create_dir(to.join(name)).expect("a new folder");
            unpack(&path, &to.join(name));
            continue;
        }
        let target = to.join(name.strip_suffix(".escaped").unwrap_or(name));
        let bytes = fs_err::read(&path).expect("a readable file");
        let bytes = if name.ends_with(".escaped") { unescape(&bytes) } else { bytes };
        fs_err::write(&target, bytes).expect("a writable file");
        let mode = fs_err::metadata(&path).expect("metadata").permissions().mode();
        let permissions = std::fs::Permissions::from_mode(mode & 0o100 | 0o644);
        fs_err::set_permissions(&target, permissions).expect("our own file");
    }
}

fn unescape(bytes: &[u8]) -> Vec<u8> {
    let text = std::str::from_utf8(bytes).expect("an escaped file is text");
    let mut out = Vec::new();
    let mut rest = text;
    while let Some(at) = rest.find("\\u{").into_iter().chain(rest.find("\\x")).min() {
        out.extend_from_slice(&rest.as_bytes()[..at]);
        let escape = &rest[at..];
        let number = |digits| u32::from_str_radix(digits, 16).expect("hexadecimal digits");
        if let Some(escape) = escape.strip_prefix("\\u{") {
            let (digits, after) = escape.split_once('}').expect("`\\u{` is closed");
            let c = char::from_u32(number(digits)).expect("a character");
            out.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
            rest = after;
        } else {
            out.push(u8::try_from(number(&escape[2..4])).expect("two digits are a byte"));
            rest = &escape[4..];
        }
    }
    out.extend_from_slice(rest.as_bytes());
    out
}

#[test]
fn nothing_in_the_fixtures_is_hidden() {
    let mut folders = vec![fixtures()];
    let mut files = 0;
    while let Some(folder) = folders.pop() {
        for entry in fs_err::read_dir(folder).expect("a readable folder") {
            let path = entry.expect("a readable entry").path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            files += 1;
            let text = fs_err::read_to_string(&path).expect("fixtures are text");
            for line in text.lines() {
                let shown = kitbag_types::Printable::keep_lines(line).to_string();
                assert_eq!(shown, line, "{}", path.display());
            }
        }
    }
    assert!(files >= 20, "fixtures were lost");
}
