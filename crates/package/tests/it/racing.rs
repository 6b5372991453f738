//! Packages that somebody else changes while they are walked and read.

use std::os::unix::fs::symlink;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use kitbag_package::{PackageError, PackageTree, read_all};
use kitbag_types::{Code, Coded as _};

use crate::support::Folder;
use crate::watch::Watch;

/// Runs `round` so many times while another thread runs `disturb` over and over, and returns what
/// came of each.
fn race<T>(rounds: usize, disturb: impl Fn() + Sync, mut round: impl FnMut() -> T) -> Vec<T> {
    /// A failed assertion in a round must end the other thread too.
    struct Stop<'s>(&'s AtomicBool);
    impl Drop for Stop<'_> {
        fn drop(&mut self) {
            self.0.store(true, Ordering::Relaxed);
        }
    }
    let stop = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let _stop = Stop(&stop);
        scope.spawn(|| {
            while !stop.load(Ordering::Relaxed) {
                disturb();
            }
        });
        (0..rounds).map(|_| round()).collect()
    })
}

/// Swaps a name of the package for a link to the outside while the package is read: every byte
/// must be from inside, and nothing outside may so much as be opened.
#[track_caller]
fn check_swapped(name: &str) {
    let folder =
        Folder::of(&[("SKILL.md", "inside"), ("sub/deep/x", "inside"), ("sub/y", "inside")]);
    let outside = folder.beside("outside");
    fs_err::create_dir(outside.join("deep")).expect("a folder");
    for path in ["SKILL.md", "y", "deep/x"] {
        fs_err::write(outside.join(path), "secret").expect("a file");
    }
    let target = if name == "sub" { outside.clone() } else { outside.join(name) };
    let (inside, aside) = (folder.at(name), folder.outside().join("aside"));
    let watches = [Watch::over(&outside), Watch::over(&outside.join("deep"))];

    let outcomes = race(
        2_000,
        || {
            fs_err::rename(&inside, &aside).expect("moved away");
            symlink(&target, &inside).expect("linked");
            fs_err::remove_file(&inside).expect("unlinked");
            fs_err::rename(&aside, &inside).expect("moved back");
        },
        || {
            let listing = read(&folder.path(), |bytes| assert_eq!(bytes, b"inside"));
            listing.map_err(|error| error.code())
        },
    );

    assert!(watches.iter().all(|watch| !watch.saw_anything()), "the outside was opened");
    let strange: Vec<_> = outcomes
        .iter()
        .filter(|outcome| match outcome {
            // The whole package, or what there is while the name is nowhere.
            Ok(files) => *files != 3 && *files != if name == "sub" { 1 } else { 2 },
            Err(code) => ![Code::PackageSymlink, Code::PackageChanged].contains(code),
        })
        .collect();
    assert!(strange.is_empty(), "{strange:?}");
}

fn read(folder: &Path, mut visit: impl FnMut(&[u8])) -> Result<usize, PackageError> {
    let package = PackageTree::open(folder)?;
    Ok(read_all(&package, &mut |_, contents| visit(contents))?.len())
}

#[test]
fn no_byte_from_outside_is_read_whatever_is_swapped_when() {
    check_swapped("sub");
    check_swapped("SKILL.md");
}

#[test]
fn a_file_that_is_written_to_is_read_at_its_size_or_not_at_all() {
    let folder = Folder::of(&[("SKILL.md", "x"), ("data", "")]);
    let data = folder.at("data");
    // Large, so that some reads are still under way when the file is cut.
    let states = [1, 2, 3].map(|size| vec![b'x'; size << 20]);
    let outcomes = race(
        1_000,
        || {
            for state in &states {
                fs_err::write(&data, state).expect("our own file");
            }
        },
        || {
            let package = PackageTree::open(&folder.path()).expect("a file in any state is one");
            read_all(&package, &mut |entry, contents| {
                assert_eq!(contents.len() as u64, entry.size);
                assert!(states[2].starts_with(contents));
            })
            .map_err(|error| (error.code(), error.problems()[0].path.clone()))
        },
    );
    for outcome in outcomes {
        match outcome {
            Ok(listing) => assert_eq!(listing.len(), 2),
            Err(problem) => assert_eq!(problem, (Code::PackageChanged, "data".to_owned())),
        }
    }
}
