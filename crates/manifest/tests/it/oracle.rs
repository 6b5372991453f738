//! Another YAML reader reads the same texts.
#![expect(clippy::disallowed_methods, reason = "the other reader is what ours is compared with")]

use serde_yaml::Value;

use crate::support::{fixtures, read};

/// Returns the front matter of a fixture, none where it is not text with one.
fn front_matter(bytes: &[u8]) -> Option<&str> {
    let text = std::str::from_utf8(bytes).ok()?.trim_start_matches('\u{feff}');
    let (_, after) = text.split_once('\n')?;
    let end = after
        .lines()
        .take_while(|line| line.trim_end() != "---")
        .map(|line| line.len() + 1)
        .sum::<usize>();
    after.get(..end)
}

#[test]
fn what_is_valid_for_us_is_the_same_text_for_serde() {
    let mut compared = 0;
    for (name, bytes) in fixtures() {
        let reading = read(&bytes);
        let (Some(manifest), true) = (&reading.manifest, reading.is_valid()) else { continue };
        // With carriage returns the places differ, not the texts; line ends are its reader's.
        let yaml = front_matter(&bytes).expect("a valid file has front matter").replace('\r', "");
        let value: Value = serde_yaml::from_str(&yaml).expect("what is valid is YAML");
        for (key, ours) in
            [("name", Some(&manifest.name)), ("description", Some(&manifest.description))]
        {
            // A number, a truth value or a date has lost its spelling there; that is the point of ours.
            if let (Some(Value::String(theirs)), Some(ours)) = (value.get(key), ours) {
                assert_eq!(ours, theirs, "{name}: {key}");
                compared += 1;
            }
        }
    }
    assert!(compared >= 20, "only {compared} texts were compared");
}
