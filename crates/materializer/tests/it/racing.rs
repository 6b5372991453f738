//! A folder that is swapped for a link while it is staged.

use std::os::unix::fs::symlink;
use std::sync::atomic::{AtomicBool, Ordering};

use kitbag_materializer::Depot as _;
use kitbag_package::PackageTree;
use kitbag_types::{Code, Coded as _};

use crate::support::{World, operation, write};

/// How often staging is tried while the other thread swaps.
const ROUNDS: u128 = 200;

#[test]
fn a_racing_swap_of_a_folder_for_a_link_never_lets_a_byte_from_outside_in() {
    let world = World::new();
    let source = world.source("a", "one");
    write(&source.join("sub/x.txt"), "inside");
    let outside = world.folder.path().join("outside");
    write(&outside.join("x.txt"), "secret");
    let (sub, aside) = (source.join("sub"), source.with_extension("aside"));
    let stop = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !stop.load(Ordering::Relaxed) {
                if fs_err::rename(&sub, &aside).is_ok() {
                    symlink(&outside, &sub).expect("linked");
                    fs_err::remove_file(&sub).expect("unlinked");
                    fs_err::rename(&aside, &sub).expect("put back");
                }
            }
        });
        let (mut staged, mut refused) = (0, 0);
        for round in 0..ROUNDS {
            let mut leaked = false;
            let outcome = PackageTree::open(&source)
                .map_err(kitbag_materializer::DepotError::from)
                .and_then(|package| {
                    world.depot.stage(operation(round), &package, &mut |_, contents| {
                        leaked |= &contents[..] == b"secret";
                    })
                });
            assert!(!leaked, "a byte from outside was read");
            match outcome {
                Ok(done) => {
                    staged += 1;
                    assert!(
                        done.listing
                            .iter()
                            .all(|entry| entry.path.as_str() != "sub/x.txt" || entry.size == 6)
                    );
                    world.depot.discard(operation(round)).expect("discarded");
                }
                Err(error) => {
                    refused += 1;
                    let known = [
                        Code::PackageSymlink,
                        Code::PackageChanged,
                        Code::PackageUnreadable,
                        Code::PackageNotADirectory,
                    ];
                    assert!(known.contains(&error.code()), "{error}");
                }
            }
        }
        stop.store(true, Ordering::Relaxed);
        assert_eq!(staged + refused, ROUNDS);
    });
    assert!(world.staging().is_empty());
}
