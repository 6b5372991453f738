//! A folder that is swapped for a link while it is walked and read.

use std::os::unix::fs::symlink;
use std::sync::atomic::{AtomicBool, Ordering};

use kitbag_package::{PackageTree, read_all};
use kitbag_types::{Code, Coded as _};

use crate::support::Folder;

/// How often the package is read while the other thread swaps.
const ROUNDS: usize = 2_000;

#[test]
fn no_byte_from_outside_is_read_whatever_is_swapped_when() {
    let folder =
        Folder::of(&[("SKILL.md", "inside"), ("sub/deep/x", "inside"), ("sub/y", "inside")]);
    let outside = folder.outside().join("outside");
    fs_err::create_dir_all(outside.join("deep")).expect("folders");
    for path in ["y", "deep/x"] {
        fs_err::write(outside.join(path), "secret").expect("a file");
    }
    let (sub, aside) = (folder.at("sub"), folder.outside().join("aside"));
    let stop = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !stop.load(Ordering::Relaxed) {
                fs_err::rename(&sub, &aside).expect("moved away");
                symlink(&outside, &sub).expect("linked");
                fs_err::remove_file(&sub).expect("unlinked");
                fs_err::rename(&aside, &sub).expect("moved back");
            }
        });
        let mut outcomes = Vec::new();
        for _ in 0..ROUNDS {
            let outcome = PackageTree::open(&folder.path()).and_then(|package| {
                read_all(&package, &mut |entry, contents| {
                    assert_eq!(&contents[..], b"inside", "{}", entry.path);
                })
            });
            outcomes.push(outcome.map(|listing| listing.len()).map_err(|error| error.code()));
        }
        stop.store(true, Ordering::Relaxed);
        let allowed = |outcome: &Result<usize, Code>| match outcome {
            // Without `sub`, in the moment in which nothing is there.
            Ok(files) => [1, 3].contains(files),
            Err(code) => {
                [Code::PackageSymlink, Code::PackageChanged, Code::PackageUnreadable].contains(code)
            }
        };
        let strange: Vec<_> = outcomes.iter().filter(|outcome| !allowed(outcome)).collect();
        assert!(strange.is_empty(), "{strange:?}");
    });
}
