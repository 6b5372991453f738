//! Findings that are known already: a scan tells and counts the others.

use std::collections::BTreeMap;
use std::path::{Component, Path, PathBuf};

use kitbag_scanner::MatchKey;
use kitbag_types::{BaselineFile, Code, Finding, KnownFinding, MatchHash};

use crate::{Judged, LifecycleError, Refusal};

/// The most bytes that a baseline file may have: a hundred thousand findings have room. Whoever
/// knows of more has another problem, and a program that reads it should not have that too.
pub const MAX_BASELINE_BYTES: usize = 16 << 20;

/// Findings that are known already.
///
/// **Limitations.** Where there is one more of a finding than is known, the last in the file is told.
/// The key of the hashes lies beside them, so whoever has the file can try out what a short secret was:
/// a credential belongs revoked, not into a baseline.
#[derive(Clone, Debug)]
pub struct Baseline {
    key: [u8; MatchKey::LENGTH],
    /// The folder of the file: packages below it are named from there.
    base: PathBuf,
    /// How often each is there.
    known: BTreeMap<Key, u32>,
}

/// Package, file, rule and hash.
type Key = (String, Option<String>, String, MatchHash);

impl Baseline {
    /// Begins a baseline in a folder, with nothing in it. The key is to come from the system's
    /// source of chance.
    pub fn new(key: [u8; MatchKey::LENGTH], base: &Path) -> Self {
        Self { key, base: normal(base), known: BTreeMap::new() }
    }

    /// Reads the bytes of a file that lies in a folder.
    ///
    /// # Errors
    /// `baseline/invalid` if it is not a baseline, or larger than [`MAX_BASELINE_BYTES`].
    pub fn parse(bytes: &[u8], base: &Path) -> Result<Self, LifecycleError> {
        let invalid = |message: String| Refusal::new(Code::BaselineInvalid, message);
        if bytes.len() > MAX_BASELINE_BYTES {
            return Err(invalid("the baseline has more than 16 MiB".to_owned()).into());
        }
        let file: BaselineFile = serde_json::from_slice(bytes)
            .map_err(|error| invalid(format!("the baseline cannot be read: {error}")))?;
        if file.version != BaselineFile::VERSION {
            let message = format!(
                "the baseline has version {}, and this program reads version {}",
                file.version,
                BaselineFile::VERSION
            );
            return Err(invalid(message).into());
        }
        let key = key_of(&file.key)
            .ok_or_else(|| invalid("the key of the baseline is not 64 hex digits".to_owned()))?;
        let mut known = BTreeMap::new();
        for KnownFinding { package, file, rule, match_hash, times } in file.findings {
            if known.insert((package, file, rule, match_hash), times).is_some() {
                return Err(invalid("the baseline names a finding twice".to_owned()).into());
            }
        }
        Ok(Self { key, base: normal(base), known })
    }

    /// Returns a baseline with the same key and nothing in it.
    #[must_use]
    pub fn emptied(&self) -> Self {
        Self { known: BTreeMap::new(), ..self.clone() }
    }

    /// Takes the findings of a package, and returns how many of them cannot be recognised again:
    /// those of one that could not be scanned.
    pub fn record(&mut self, judged: &Judged) -> usize {
        let package = self.name_of(&judged.folder, &judged.line.path);
        let mut left_out = 0;
        for finding in &judged.line.findings {
            match key_in(&package, finding) {
                Some(key) => *self.known.entry(key).or_default() += 1,
                None => left_out += 1,
            }
        }
        left_out
    }

    /// Returns how many findings it has.
    pub fn len(&self) -> usize {
        self.known.values().filter_map(|times| usize::try_from(*times).ok()).sum()
    }

    /// Tells whether it has none.
    pub fn is_empty(&self) -> bool {
        self.known.is_empty()
    }

    /// Returns what is written to the file.
    pub fn to_file(&self) -> BaselineFile {
        BaselineFile {
            version: BaselineFile::VERSION,
            key: self.key.iter().map(|byte| format!("{byte:02x}")).collect(),
            findings: self.known.iter().map(|(key, times)| entry(key, *times)).collect(),
        }
    }

    pub(crate) fn match_key(&self) -> MatchKey {
        MatchKey::from_bytes(self.key)
    }

    /// Parts the findings of a package into those that are new and the number of the others.
    pub(crate) fn part(
        &self,
        folder: &Path,
        shown: &str,
        findings: Vec<Finding>,
    ) -> (Vec<Finding>, usize) {
        let package = self.name_of(folder, shown);
        let all = findings.len();
        let mut seen: BTreeMap<Key, u32> = BTreeMap::new();
        let is_new = |finding: &Finding| {
            let Some(key) = key_in(&package, finding) else { return true };
            let times = self.known.get(&key).copied().unwrap_or_default();
            let seen = seen.entry(key).or_default();
            *seen += 1;
            *seen > times
        };
        let new: Vec<Finding> = findings.into_iter().filter(is_new).collect();
        let count = all - new.len();
        (new, count)
    }

    /// Names a package so that it has the same name from wherever the program is run.
    fn name_of(&self, folder: &Path, shown: &str) -> String {
        let folder = normal(folder);
        let Ok(below) = folder.strip_prefix(&self.base) else { return shown.to_owned() };
        let parts: Vec<_> =
            below.components().map(|part| part.as_os_str().to_string_lossy()).collect();
        if parts.is_empty() { ".".to_owned() } else { parts.join("/") }
    }
}

fn key_in(package: &str, finding: &Finding) -> Option<Key> {
    let hash = finding.match_hash.clone()?;
    Some((package.to_owned(), finding.file.clone(), finding.rule.clone(), hash))
}

fn entry((package, file, rule, match_hash): &Key, times: u32) -> KnownFinding {
    KnownFinding {
        package: package.clone(),
        file: file.clone(),
        rule: rule.clone(),
        match_hash: match_hash.clone(),
        times,
    }
}

fn key_of(hex: &str) -> Option<[u8; MatchKey::LENGTH]> {
    let is_digit = |byte: &u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(byte);
    if hex.len() != 2 * MatchKey::LENGTH || !hex.as_bytes().iter().all(is_digit) {
        return None;
    }
    let mut key = [0; MatchKey::LENGTH];
    for (byte, pair) in key.iter_mut().zip(hex.as_bytes().chunks_exact(2)) {
        *byte = u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok()?;
    }
    Some(key)
}

/// Takes `.` and `..` out of a path, by its letters.
fn normal(path: &Path) -> PathBuf {
    let mut out = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir if out.file_name().is_some() => drop(out.pop()),
            other => out.push(other),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use kitbag_types::{Code, Coded as _, Finding, Severity};

    use super::{Baseline, MAX_BASELINE_BYTES};

    const EMPTY: &str = r#"{"version":1,"key":"KEY","findings":[]}"#;

    fn parse(text: &str) -> Result<Baseline, Code> {
        Baseline::parse(text.as_bytes(), Path::new("/w")).map_err(|error| error.code())
    }

    #[test]
    fn only_its_own_form_is_read() {
        let good = EMPTY.replace("KEY", &"0f".repeat(32));
        let baseline = parse(&good).expect("a baseline");
        assert!(baseline.is_empty());
        let written = serde_json::to_string(&baseline.to_file()).expect("plain data");
        assert_eq!(written, good);
        for bad in [
            String::new(),
            "[]".to_owned(),
            good.replace("\"version\":1", "\"version\":2"),
            good.replace("[]", "[{}]"),
            good.replace("\"key\"", "\"keys\""),
            EMPTY.replace("KEY", &"0f".repeat(31)),
            EMPTY.replace("KEY", &"0F".repeat(32)),
            EMPTY.replace("KEY", &"\u{e9}".repeat(32)),
        ] {
            assert_eq!(parse(&bad).map(drop), Err(Code::BaselineInvalid), "{bad}");
        }
    }

    #[test]
    fn one_more_of_a_known_finding_is_a_new_one() {
        let finding = |line| Finding {
            rule: "text/invisible-character".to_owned(),
            severity: Severity::Low,
            message: "U+200B".to_owned(),
            file: Some("a.md".to_owned()),
            line: Some(line),
            column: Some(1),
            remedy: None,
            evidence: None,
            match_hash: Some("0123456789abcdef".parse().expect("a hash")),
        };
        let text = EMPTY.replace("KEY", &"0f".repeat(32)).replace(
            "[]",
            r#"[{"package":"p","file":"a.md","rule":"text/invisible-character","matchHash":"0123456789abcdef","times":2}]"#,
        );
        let baseline = parse(&text).expect("a baseline");
        let part = |package: &str, lines: &[u32]| {
            let findings = lines.iter().copied().map(finding).collect();
            let (new, known) = baseline.part(Path::new(package), "shown", findings);
            (new.iter().filter_map(|finding| finding.line).collect::<Vec<_>>(), known)
        };
        assert_eq!(part("/w/p", &[5, 9]), (vec![], 2));
        assert_eq!(part("/w/p", &[5, 9, 12]), (vec![12], 2));
        assert_eq!(part("/w/q", &[5]), (vec![5], 0));
        let mut unhashed = finding(1);
        unhashed.match_hash = None;
        assert_eq!(baseline.part(Path::new("/w/p"), "p", vec![unhashed]).1, 0);
        let twice = text.replace("}]", "},{\"package\":\"p\",\"file\":\"a.md\",\"rule\":\"text/invisible-character\",\"matchHash\":\"0123456789abcdef\",\"times\":1}]");
        assert_eq!(parse(&twice).map(drop), Err(Code::BaselineInvalid));
    }

    #[test]
    fn a_file_is_read_up_to_the_limit() {
        let good = EMPTY.replace("KEY", &"0f".repeat(32));
        let padded = |length: usize| format!("{good}{}", " ".repeat(length - good.len()));
        assert!(parse(&padded(MAX_BASELINE_BYTES)).is_ok());
        assert_eq!(parse(&padded(MAX_BASELINE_BYTES + 1)).map(drop), Err(Code::BaselineInvalid));
    }

    #[test]
    fn a_package_has_one_name_wherever_the_program_is_run() {
        let baseline = Baseline::new([0; 32], Path::new("/w/./repo"));
        let name = |folder: &str| baseline.name_of(Path::new(folder), "shown");
        assert_eq!(name("/w/repo/skills/a"), "skills/a");
        assert_eq!(name("/w/repo/./skills/b/../a/"), "skills/a");
        assert_eq!(name("/w/repo"), ".");
        assert_eq!(name("/w/repository/a"), "shown");
        assert_eq!(name("/w/repo/../other"), "shown");
    }
}
