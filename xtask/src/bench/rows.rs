//! The rows of the table.

use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use anyhow::{Result, ensure};

use super::{Programs, Race, inputs, shell, time};

/// A row.
pub(super) struct Row {
    pub(super) name: &'static str,
    what: &'static str,
    yardstick: &'static str,
    /// The most times the yardstick that it should take.
    pub(super) reach: f64,
    /// How many units the largest size has.
    pub(super) units: usize,
    pub(super) make: for<'r> fn(&'r Programs, &'r Path, usize) -> Result<Race<'r>>,
}

pub(super) const ALL: &[Row] = &[
    Row {
        name: "add",
        what: "`add` of one package of that many files of 64 KiB",
        yardstick: "`cp -r`, `sha256sum` of each file, `sync`, and a `scan` of it",
        reach: 1.5,
        units: 1_000,
        make: add,
    },
    Row {
        name: "add-all",
        what: "`add --all` of that many skills, each in a transaction of its own",
        yardstick: "`cp -r` of them",
        reach: f64::INFINITY,
        units: 2_000,
        make: add_all,
    },
    Row {
        name: "scan",
        what: "`scan` of that many skills by all rules, the whole process on all cores",
        yardstick: "`aho-corasick` with the keywords of the rules over the same bytes, on one core",
        reach: 4.0,
        units: 5_000,
        make: scan,
    },
    Row {
        name: "load",
        what: "the digests of that many packages that nobody touched, by the stat cache",
        yardstick: "`find -printf` of each file's times and size",
        reach: 2.0,
        units: 10_000,
        make: load,
    },
    Row {
        name: "verify",
        what: "`verify` of that many packages",
        yardstick: "`sha256sum` of their files",
        reach: 1.2,
        units: 4_000,
        make: verify,
    },
    Row {
        name: "list",
        what: "`list` of that many records, the whole process",
        yardstick: "`sqlite3` printing the same rows",
        reach: 1.5,
        units: 1_000,
        make: list,
    },
    Row {
        name: "processes",
        what: "eight processes adding that many skills to one root",
        yardstick: "one process adding them",
        reach: 1.3,
        units: 800,
        make: processes,
    },
];

pub(super) fn legend() -> String {
    ALL.iter().fold(String::new(), |mut out, row| {
        let _ = writeln!(out, "- **{}**: {}, beside {}.", row.name, row.what, row.yardstick);
        out
    })
}

fn kitbag(programs: &Programs, folder: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(&programs.kitbag);
    command.current_dir(folder).args(["--root", "root"]).args(arguments);
    command
}

fn clear(folder: &Path, names: &[&str]) -> Result<()> {
    for name in names {
        let path = folder.join(name);
        if path.exists() {
            fs_err::remove_dir_all(path)?;
        }
    }
    Ok(())
}

fn add<'r>(programs: &'r Programs, folder: &'r Path, files: usize) -> Result<Race<'r>> {
    inputs::skill(&folder.join("source"), "source", files, 64 << 10)?;
    Ok(Race {
        subject: Box::new(move || {
            clear(folder, &["root"])?;
            time(kitbag(programs, folder, &["add", "./source"]))
        }),
        yardstick: Box::new(move || {
            clear(folder, &["copy"])?;
            let line =
                "cp -r source copy; find copy -type f -print0 | xargs -0 sha256sum; sync -f copy";
            let copied = time(shell(folder, line))?;
            Ok(copied + time(kitbag(programs, folder, &["scan", "./source"]))?)
        }),
    })
}

fn add_all<'r>(programs: &'r Programs, folder: &'r Path, count: usize) -> Result<Race<'r>> {
    inputs::skills(&folder.join("source"), 0, count)?;
    Ok(Race {
        subject: Box::new(move || {
            clear(folder, &["root"])?;
            time(kitbag(programs, folder, &["add", "./source", "--all"]))
        }),
        yardstick: Box::new(move || {
            clear(folder, &["copy"])?;
            time(shell(folder, "cp -r source copy"))
        }),
    })
}

fn scan<'r>(programs: &'r Programs, folder: &'r Path, count: usize) -> Result<Race<'r>> {
    inputs::skills(&folder.join("source"), 0, count)?;
    Ok(Race {
        subject: Box::new(move || time(kitbag(programs, folder, &["scan", "./source"]))),
        yardstick: Box::new(move || {
            let mut command = Command::new(&programs.keywords);
            command.current_dir(folder).arg("source");
            time(command)
        }),
    })
}

/// What lies in a root, put there once.
fn installed(programs: &Programs, folder: &Path, count: usize) -> Result<()> {
    inputs::skills(&folder.join("source"), 0, count)?;
    time(kitbag(programs, folder, &["add", "./source", "--all"]))?;
    Ok(())
}

fn load<'r>(programs: &'r Programs, folder: &'r Path, count: usize) -> Result<Race<'r>> {
    // They need not be recorded to be looked at.
    inputs::skills(&folder.join("skills"), 0, count)?;
    let command = move || {
        let mut command = Command::new(&programs.load);
        command.current_dir(folder).args(["skills", "cache"]);
        command
    };
    // A package that changed just now is read again: the cache has to settle.
    for _ in 0..100 {
        let said = crate::process::output(&mut command())?;
        if said.ends_with(" 0 read\n") {
            break;
        }
        std::thread::sleep(Duration::from_millis(200));
    }
    let said = crate::process::output(&mut command())?;
    ensure!(said == format!("{count} packages, 0 read\n"), "the cache does not hold: {said}");
    Ok(Race {
        subject: Box::new(move || time(command())),
        yardstick: Box::new(move || {
            time(shell(folder, r"find skills -printf '%p %m %s %T@ %C@ %D %i\n'"))
        }),
    })
}

fn verify<'r>(programs: &'r Programs, folder: &'r Path, count: usize) -> Result<Race<'r>> {
    installed(programs, folder, count)?;
    Ok(Race {
        subject: Box::new(move || time(kitbag(programs, folder, &["verify"]))),
        yardstick: Box::new(move || {
            let line = "find root/capabilities/skills -type f -print0 | xargs -0 sha256sum";
            time(shell(folder, line))
        }),
    })
}

fn list<'r>(programs: &'r Programs, folder: &'r Path, count: usize) -> Result<Race<'r>> {
    installed(programs, folder, count)?;
    Ok(Race {
        subject: Box::new(move || time(kitbag(programs, folder, &["list"]))),
        yardstick: Box::new(move || {
            let question =
                "SELECT id, kind, enabled, version, source, description FROM capabilities";
            let mut command = Command::new("sqlite3");
            command.current_dir(folder).args(["-box", "root/db/capabilities.sqlite", question]);
            time(command)
        }),
    })
}

fn processes<'r>(programs: &'r Programs, folder: &'r Path, count: usize) -> Result<Race<'r>> {
    const AT_ONCE: usize = 8;
    let each = count / AT_ONCE;
    for number in 0..AT_ONCE {
        inputs::skills(&folder.join("parts").join(number.to_string()), number * each, each)?;
    }
    Ok(Race {
        subject: Box::new(move || {
            clear(folder, &["root"])?;
            let line = format!(
                "jobs=; for part in parts/*; do '{}' --root root add \"./$part\" --all & jobs=\"$jobs $!\"; done; \
                 for job in $jobs; do wait $job; done",
                programs.kitbag.display()
            );
            let took = time(shell(folder, &line))?;
            let said = crate::process::output(&mut kitbag(programs, folder, &["list", "--json"]))?;
            let listed: serde_json::Value = serde_json::from_str(&said)?;
            let found = listed["capabilities"].as_array().map_or(0, Vec::len);
            ensure!(found == each * AT_ONCE, "{found} of {} records are there", each * AT_ONCE);
            Ok(took)
        }),
        yardstick: Box::new(move || {
            clear(folder, &["root"])?;
            time(kitbag(programs, folder, &["add", "./parts", "--all"]))
        }),
    })
}
