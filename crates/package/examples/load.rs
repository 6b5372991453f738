//! Says how many of the packages in a folder need reading: `load FOLDER CACHE`.
//!
//! The first run reads them all and writes the cache; the next looks at names and times alone.

use std::io::Write as _;
use std::path::Path;
use std::time::SystemTime;

use kitbag_package::{PackageTree, StampCache};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [folder, cache_file] = &arguments[..] else {
        return Err("usage: load FOLDER CACHE".into());
    };
    let mut cache: StampCache = match fs_err::read(cache_file) {
        Ok(bytes) => serde_json::from_slice(&bytes)?,
        Err(_) => StampCache::default(),
    };
    let mut count = 0;
    for entry in fs_err::read_dir(folder)? {
        let name = entry?.file_name().to_string_lossy().into_owned();
        let now = SystemTime::now();
        let package = PackageTree::open_beneath(Path::new(folder), &name)?;
        cache.digest_of(&name, &package, now)?;
        count += 1;
    }
    writeln!(std::io::stdout(), "{count} packages, {} read", cache.reads())?;
    if cache.reads() > 0 {
        fs_err::write(cache_file, serde_json::to_vec(&cache)?)?;
    }
    Ok(())
}
