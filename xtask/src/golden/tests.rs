//! The harness itself, with a shell script in the place of the command.

use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

use super::{find, run_all, run_case};
use crate::generated::Mode;

/// Prints what a case can see of its surroundings, and leaves a package.
const STAND_IN: &str = r#"#!/bin/sh
case $1 in
  say) shift; printf '%s\n' "$*" ;;
  place) pwd; echo "home $HOME term $TERM no_color ${NO_COLOR-unset} extra ${EXTRA-unset}" ;;
  read) cat ;;
  now) echo "2026-12-01T04:05:06.789Z 01JDZ7N0Q4M8V5T2R9X6K3H1CB cli:ada" ;;
  fail) echo "error: no" >&2; exit 3 ;;
  make) mkdir -p root/skills/a root/empty; echo x > root/skills/a/run; chmod +x root/skills/a/run
        ln -s run root/skills/a/link; echo y > root/capabilities.sqlite ;;
esac
"#;

struct Bench {
    folder: TempDir,
    command: PathBuf,
}

impl Bench {
    fn new(script: &str) -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder can be made");
        let command = folder.path().join("stand-in");
        fs_err::write(&command, STAND_IN).expect("the stand-in can be written");
        let mode = std::fs::Permissions::from_mode(0o755);
        fs_err::set_permissions(&command, mode).expect("the stand-in can be made executable");
        let bench = Self { folder, command };
        bench.write("cmd.toml", script);
        bench
    }

    fn case(&self) -> PathBuf {
        self.folder.path().join("cases/one")
    }

    fn write(&self, name: &str, text: &str) {
        let path = self.case().join(name);
        fs_err::create_dir_all(path.parent().expect("a file lies in a folder"))
            .expect("can be made");
        fs_err::write(path, text).expect("the file can be written");
    }

    fn out(&self, name: &str) -> Option<String> {
        fs_err::read_to_string(self.case().join("out").join(name)).ok()
    }

    #[track_caller]
    fn accept(&self) {
        run_case(&self.case(), &self.command, Mode::Write).expect("the case can be accepted");
        run_case(&self.case(), &self.command, Mode::Check).expect("what was accepted holds");
    }

    #[track_caller]
    fn check_fails(&self, mode: Mode, says: &str) {
        let said = run_case(&self.case(), &self.command, mode).expect_err("the case fails");
        assert!(format!("{said:#}").contains(says), "{said:#}");
    }
}

#[test]
fn a_case_sees_its_own_folder_and_nothing_of_the_caller() {
    let bench = Bench::new("[[run]]\nargs = [\"place\"]\nenv = { EXTRA = \"[CASE]/x\" }\n");
    bench.accept();
    let expected = "[CASE]\nhome [CASE]/home term dumb no_color unset extra [CASE]/x\n";
    assert_eq!(bench.out("01.stdout").as_deref(), Some(expected));
    assert_eq!(bench.out("01.stderr"), None, "empty streams make no file");
    assert_eq!(bench.out("01.exit"), None, "success makes no file");
}

#[test]
fn what_differs_from_run_to_run_is_redacted() {
    let bench = Bench::new("[[run]]\nargs = [\"now\"]\n");
    bench.accept();
    assert_eq!(bench.out("01.stdout").as_deref(), Some("[TIME] [ULID] cli:[USER]\n"));
}

#[test]
fn a_difference_is_shown_as_a_diff() {
    let bench = Bench::new("[[run]]\nargs = [\"say\", \"new\"]\n");
    bench.write("out/01.stdout", "old\n");
    bench.check_fails(Mode::Check, "-old\n+new");
}

#[test]
fn a_file_that_is_missing_or_left_over_fails_and_accepting_settles_it() {
    let bench = Bench::new("[[run]]\nargs = [\"say\", \"x\"]\n");
    bench.check_fails(Mode::Check, "+x");
    bench.accept();
    bench.write("out/02.stdout", "gone\n");
    bench.check_fails(Mode::Check, "-gone");
    bench.write("out/02.stdout", "");
    bench.check_fails(Mode::Check, "02.stdout");
    bench.accept();
    assert_eq!(bench.out("02.stdout"), None);
}

#[test]
fn an_exit_code_that_is_demanded_cannot_be_accepted_away() {
    let bench = Bench::new("[[run]]\nargs = [\"fail\"]\nexit = 0\n");
    bench.check_fails(Mode::Check, "ended with 3, not 0");
    bench.check_fails(Mode::Write, "ended with 3, not 0");
    assert!(!bench.case().join("out").exists());
}

#[test]
fn an_exit_code_that_is_not_demanded_is_recorded() {
    let bench = Bench::new("[[run]]\nargs = [\"fail\"]\n");
    bench.check_fails(Mode::Check, "+3");
    bench.accept();
    assert_eq!(bench.out("01.exit").as_deref(), Some("3\n"));
    assert_eq!(bench.out("01.stderr").as_deref(), Some("error: no\n"));
}

#[test]
fn standard_input_shell_steps_and_the_input_tree_reach_the_case() {
    let bench = Bench::new(
        "before = [\"cat given > made\"]\n\
         [[run]]\nargs = [\"read\"]\nstdin = \"piped\\n\"\n\
         [[run]]\nshell = \"test \\\"$(cat made)\\\" = hello\"\n",
    );
    bench.write("in/given", "hello");
    bench.accept();
    assert_eq!(bench.out("01.stdout").as_deref(), Some("piped\n"));
    assert_eq!(bench.out("02.stdout"), None, "a shell step is not looked at");
}

#[test]
fn a_shell_step_that_fails_fails_the_case() {
    let bench = Bench::new("[[run]]\nshell = \"echo why >&2; exit 7\"\n");
    bench.check_fails(Mode::Write, "why");
}

#[test]
fn the_tree_shows_modes_sizes_links_and_empty_folders_but_no_database() {
    let bench = Bench::new("tree = [\"root\", \"nowhere\"]\n[[run]]\nargs = [\"make\"]\n");
    bench.accept();
    let expected = "\
absent nowhere
- empty root/empty/
- link root/skills/a/link -> run
x 2 root/skills/a/run
";
    assert_eq!(bench.out("tree.txt").as_deref(), Some(expected));
}

#[test]
fn cases_are_found_by_name_and_none_is_an_error() {
    let bench = Bench::new("[[run]]\nargs = [\"say\"]\n");
    let folder = bench.folder.path().join("cases");
    assert_eq!(find(&folder, None).expect("there is one"), [bench.case()]);
    assert_eq!(find(&folder, Some("on")).expect("its name contains that"), [bench.case()]);
    for (folder, filter) in [(folder.as_path(), Some("two")), (Path::new("nowhere"), None)] {
        assert!(find(folder, filter).expect_err("there is none").to_string().contains("no cases"));
    }
}

#[test]
fn every_case_is_run_and_one_that_fails_hides_none() {
    let bench = Bench::new("[[run]]\nargs = [\"say\", \"x\"]\n");
    for name in ["two", "three"] {
        let folder = bench.folder.path().join("cases").join(name);
        fs_err::create_dir_all(&folder).expect("the folder can be made");
        fs_err::write(folder.join("cmd.toml"), "nonsense").expect("the script can be written");
    }
    let cases = find(&bench.folder.path().join("cases"), None).expect("there are three");
    let results = run_all(&cases, &bench.command, Mode::Write);
    let failed: Vec<(&str, bool)> =
        results.iter().map(|(name, result)| (name.as_str(), result.is_err())).collect();
    assert_eq!(failed, [("one", false), ("three", true), ("two", true)]);
}
