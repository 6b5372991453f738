//! No bytes make the reader panic, and what was written is what is read.

use kitbag_manifest::{Class, RULES};
use proptest::prelude::*;

use crate::support::{fixtures, read};

/// What holds for every reading.
fn check(bytes: &[u8]) -> Result<(), TestCaseError> {
    let reading = read(bytes);
    let fatal = reading.issues.iter().any(|issue| issue.class == Class::Fatal);
    prop_assert_eq!(reading.manifest.is_none(), fatal);
    for issue in &reading.issues {
        prop_assert!(issue.line.is_some_and(|line| line >= 1));
        prop_assert!(issue.column.is_some_and(|column| column >= 1));
        let rule = RULES.iter().find(|rule| rule.id == issue.rule);
        prop_assert_eq!(rule.map(|rule| rule.class), Some(issue.class));
    }
    if let Some(manifest) = &reading.manifest {
        prop_assert!(!manifest.name.trim().is_empty() && !manifest.description.trim().is_empty());
        prop_assert!(std::str::from_utf8(&bytes[..manifest.body_offset]).is_ok());
    }
    Ok(())
}

#[derive(Clone, Debug)]
enum Mutation {
    Flip(usize, u8),
    Insert(usize, String),
    Cut(usize, usize),
    Truncate(usize),
    Repeat(usize, usize),
}

fn mutation() -> impl Strategy<Value = Mutation> {
    let piece = prop_oneof![
        "[-:\\[\\]{}&*!|>'\"%@`#,? \n\t]{1,6}",
        Just("---\n".to_owned()),
        Just("\n  - ".to_owned()),
        "\\PC{1,4}",
    ];
    prop_oneof![
        (any::<usize>(), any::<u8>()).prop_map(|(at, byte)| Mutation::Flip(at, byte)),
        (any::<usize>(), piece).prop_map(|(at, piece)| Mutation::Insert(at, piece)),
        (any::<usize>(), 1..20_usize).prop_map(|(at, count)| Mutation::Cut(at, count)),
        any::<usize>().prop_map(Mutation::Truncate),
        (any::<usize>(), 1..40_usize).prop_map(|(at, count)| Mutation::Repeat(at, count)),
    ]
}

fn mutate(bytes: &mut Vec<u8>, mutation: &Mutation) {
    let place = |at: usize| at % (bytes.len() + 1);
    match mutation {
        Mutation::Flip(at, byte) => {
            let at = place(*at);
            if let Some(found) = bytes.get_mut(at) {
                *found = *byte;
            }
        }
        Mutation::Insert(at, piece) => {
            let at = place(*at);
            bytes.splice(at..at, piece.bytes());
        }
        Mutation::Cut(at, count) => {
            let at = place(*at);
            bytes.drain(at..(at + count).min(bytes.len()));
        }
        Mutation::Truncate(at) => bytes.truncate(place(*at)),
        Mutation::Repeat(at, count) => {
            let at = place(*at);
            let piece = bytes[at..(at + count).min(bytes.len())].to_vec();
            bytes.splice(at..at, piece.repeat(8));
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn mutated_fixtures_are_read_or_refused(
        which in any::<prop::sample::Index>(),
        mutations in prop::collection::vec(mutation(), 1..6),
    ) {
        let fixtures = fixtures();
        let (_, mut bytes) = which.get(&fixtures).clone();
        for mutation in &mutations {
            mutate(&mut bytes, mutation);
        }
        check(&bytes)?;
    }

    #[test]
    fn arbitrary_bytes_are_read_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        check(&bytes)?;
        check(&[b"---\n".as_slice(), &bytes, b"\n---\n"].concat())?;
    }

    #[test]
    fn arbitrary_text_between_fences_is_read_or_refused(text in "[a-z\\[\\]{}&*!|>'\"%@`#,?:\n \t-]{0,120}") {
        check(format!("---\n{text}\n---\n").as_bytes())?;
        check(format!("---\nname: x\ndescription: {text}\n---\n").as_bytes())?;
    }

    /// Every field comes back from a manifest that is written by the rules.
    #[test]
    fn well_formed_front_matter_round_trips(
        name in "[a-z0-9]{1,10}(-[a-z0-9]{1,10}){0,3}",
        texts in prop::collection::vec("[a-zA-Zé技#:,\\[\\]{}&*!|>'%@` ]{0,40}[a-z]", 3),
        metadata in prop::collection::btree_map("[a-z]{2,8}", "[ -~é技]{0,20}", 1..4),
        tools in prop::collection::vec("[A-Z][a-z]{1,8}(\\([a-z]{1,5} ?[a-z]{1,5}:\\*\\))?", 1..5),
        line_end in prop_oneof![Just("\n"), Just("\r\n")],
    ) {
        let quoted = |text: &str| format!("'{}'", text.replace('\'', "''"));
        let [description, license, compatibility] = texts.as_slice() else { unreachable!() };
        let pairs: String =
            metadata.iter().map(|(key, value)| format!("  {key}: {}\n", quoted(value))).collect();
        let text = format!(
            "---\nname: {name}\ndescription: {}\nlicense: {}\ncompatibility: {}\nmetadata:\n{pairs}\
             allowed-tools: {}\n---\nbody",
            quoted(description), quoted(license), quoted(compatibility), tools.join(" "),
        )
        .replace('\n', line_end);
        let reading = read(text.as_bytes());
        prop_assert!(reading.is_valid(), "{:?}", reading.issues);
        let manifest = reading.manifest.expect("valid");
        prop_assert_eq!(&manifest.name, &name);
        prop_assert_eq!(&manifest.description, description);
        prop_assert_eq!(manifest.license.as_deref(), Some(license.trim()));
        prop_assert_eq!(manifest.compatibility.as_deref(), Some(compatibility.trim()));
        let metadata: std::collections::BTreeMap<_, _> =
            metadata.into_iter().map(|(key, value)| (key, value.trim().to_owned())).collect();
        prop_assert_eq!(manifest.metadata, metadata);
        prop_assert_eq!(manifest.allowed_tools, tools);
        prop_assert_eq!(&text[manifest.body_offset..], "body");
    }

    /// A text in double quotes comes back, and so does a plain one that YAML would not take.
    #[test]
    fn what_was_written_is_what_is_read(text in "[a-zA-Zé技 .,()/'!?-]{1,60}", word in "[a-z]{1,10}") {
        let quoted = format!("---\nname: x\ndescription: \"{text}{word}\"\n---\nbody");
        let reading = read(quoted.as_bytes());
        prop_assert!(reading.is_valid());
        let manifest = reading.manifest.expect("valid");
        prop_assert_eq!(&manifest.description, &format!("{text}{word}"));
        prop_assert_eq!(&quoted[manifest.body_offset..], "body");
        let unquoted = format!("---\nname: x\ndescription: {word}: {word} when: {word}\n---\n");
        let reading = read(unquoted.as_bytes());
        prop_assert!(!reading.is_valid());
        prop_assert_eq!(reading.manifest.expect("loaded").description, format!("{word}: {word} when: {word}"));
    }
}
