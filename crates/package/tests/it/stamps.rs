//! The stat cache.

use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::time::{Duration, SystemTime};

use kitbag_package::{PackageTree, SETTLED_AFTER, StampCache, digest, read_all};
use kitbag_types::Digest;

fn package() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a temporary folder");
    fs_err::write(folder.path().join("SKILL.md"), "one").expect("written");
    fs_err::write(folder.path().join("run.sh"), "two").expect("written");
    folder
}

fn later() -> SystemTime {
    SystemTime::now() + SETTLED_AFTER + Duration::from_secs(1)
}

fn ask(cache: &mut StampCache, folder: &Path, now: SystemTime) -> Digest {
    let tree = PackageTree::open(folder).expect("a package");
    let told = cache.digest_of("p", &tree, now).expect("readable");
    assert_eq!(told, digest(&read_all(&tree, &mut |_, _| {}).expect("readable")));
    told
}

#[test]
fn what_nobody_touched_is_read_once() {
    let folder = package();
    let mut cache = StampCache::default();
    for _ in 0..3 {
        ask(&mut cache, folder.path(), later());
    }
    assert_eq!(cache.reads(), 1);
    let stored = serde_json::to_string(&cache).expect("serialises");
    let mut stored: StampCache = serde_json::from_str(&stored).expect("deserialises");
    ask(&mut stored, folder.path(), later());
    assert_eq!(stored.reads(), 0);
    stored.retain(|_| false);
    ask(&mut stored, folder.path(), later());
    assert_eq!(stored.reads(), 1);
}

#[test]
fn every_change_is_seen_even_one_that_keeps_size_and_time() {
    type Change = fn(&Path);
    let changes: [Change; 6] = [
        |folder| fs_err::write(folder.join("SKILL.md"), "more bytes").expect("written"),
        |folder| fs_err::write(folder.join("new"), "").expect("written"),
        |folder| fs_err::remove_file(folder.join("run.sh")).expect("removed"),
        |folder| fs_err::rename(folder.join("run.sh"), folder.join("r")).expect("moved"),
        |folder| {
            let mode = std::fs::Permissions::from_mode(0o755);
            fs_err::set_permissions(folder.join("run.sh"), mode).expect("set");
        },
        |folder| {
            // Same size, and the old time of modification put back.
            let path = folder.join("SKILL.md");
            let old = fs_err::metadata(&path).expect("there").modified().expect("known");
            fs_err::write(&path, "two").expect("written");
            let file = std::fs::File::options().write(true).open(&path).expect("opened");
            file.set_modified(old).expect("set");
        },
    ];
    for change in changes {
        let folder = package();
        let mut cache = StampCache::default();
        let before = ask(&mut cache, folder.path(), later());
        change(folder.path());
        assert_ne!(ask(&mut cache, folder.path(), later()), before);
        assert_eq!(cache.reads(), 2);
    }
}

#[test]
fn what_changed_just_now_is_read_again() {
    let folder = package();
    let changed = std::os::unix::fs::MetadataExt::ctime(
        &fs_err::metadata(folder.path().join("run.sh")).expect("there"),
    );
    let changed = SystemTime::UNIX_EPOCH + Duration::from_secs(changed.unsigned_abs());
    let mut cache = StampCache::default();
    for (now, reads) in [
        (changed + SETTLED_AFTER - Duration::from_nanos(1), 1),
        (changed, 2),
        (changed + SETTLED_AFTER + Duration::from_secs(1), 3),
        (changed, 3),
    ] {
        ask(&mut cache, folder.path(), now);
        assert_eq!(cache.reads(), reads);
    }
}
