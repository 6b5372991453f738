//! Each folder of fixtures/skill-md is a case, named for what it would break.

use kitbag_manifest::{Class, SkillContext, find_skill_file, read_skill};

use crate::support::{fixtures, folder, read, show};

#[test]
fn every_fixture_reads_as_expected() {
    for (name, bytes) in fixtures() {
        insta::with_settings!({
            snapshot_path => folder().join(&name),
            prepend_module_to_snapshot => false,
            omit_expression => true,
            description => &name,
        }, {
            insta::assert_snapshot!("expect", show(&read(&bytes)));
        });
    }
}

#[test]
fn what_cannot_be_loaded_is_fatal_and_what_is_fatal_is_not_loaded() {
    for (name, bytes) in fixtures() {
        let reading = read(&bytes);
        let fatal = reading.issues.iter().any(|issue| issue.class == Class::Fatal);
        assert_eq!(reading.manifest.is_none(), fatal, "{name}");
    }
}

#[test]
fn the_name_is_compared_with_the_folder_in_normal_form() {
    let text = "---\nname: cafe\u{301}\ndescription: Text.\n---\n";
    let rules = |folder| -> Vec<&str> {
        let context = SkillContext { file_name: "SKILL.md", folder: Some(folder) };
        read_skill(text.as_bytes(), &context).issues.iter().map(|issue| issue.rule).collect()
    };
    assert!(rules("caf\u{e9}").is_empty());
    assert!(rules("cafe\u{301}").is_empty());
    assert_eq!(rules("cafe"), ["manifest/name-differs-from-folder"]);
}

#[test]
fn a_file_of_another_name_is_told() {
    let text = b"---\nname: x\ndescription: Text.\n---\n";
    let reading = read_skill(text, &SkillContext { file_name: "skill.md", folder: None });
    assert!(reading.is_valid());
    assert_eq!(reading.issues[0].rule, "manifest/file-name");
}

#[test]
fn the_manifest_is_found_in_any_case_and_the_right_one_wins() {
    #[track_caller]
    fn check(names: &[&str], expected: Option<(&str, usize)>) {
        let found = find_skill_file(names.iter().copied());
        assert_eq!(found.as_ref().map(|file| (file.name, file.issues.len())), expected);
    }
    check(&["README.md", "SKILL.md"], Some(("SKILL.md", 0)));
    check(&["skill.md", "SKILL.md", "Skill.md"], Some(("SKILL.md", 2)));
    check(&["skill.md", "Skill.md"], Some(("Skill.md", 1)));
    check(&["docs/SKILL.md", "SKILL.markdown", "SKILL"], None);
    check(&[], None);
}
