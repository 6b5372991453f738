//! Counts the keywords of all rules in the files of a folder: `keywords FOLDER`.
//!
//! It is the least that a scanner of these rules has to do, so it is what scanning is compared with.

use std::io::Write as _;
use std::path::Path;

use aho_corasick::AhoCorasick;
use kitbag_package::{PackageReader as _, PackageTree};
use kitbag_scanner::RuleSet;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = std::env::args().nth(1).ok_or("usage: keywords FOLDER")?;
    let keywords: Vec<String> = RuleSet::builtin().keywords().map(str::to_owned).collect();
    let finder = AhoCorasick::builder().ascii_case_insensitive(true).build(&keywords)?;
    let (mut files, mut bytes, mut found) = (0, 0, 0);
    for entry in fs_err::read_dir(&folder)? {
        let name = entry?.file_name().to_string_lossy().into_owned();
        let package = PackageTree::open_beneath(Path::new(&folder), &name)?;
        for entry in package.entries() {
            let contents = package.contents(entry)?;
            files += 1;
            bytes += contents.len();
            found += finder.find_overlapping_iter(&*contents).count();
        }
    }
    writeln!(std::io::stdout(), "{files} files, {bytes} bytes, {found} keywords")?;
    Ok(())
}
