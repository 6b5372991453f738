//! Digests a folder: `cargo run -p kitbag-package --example digest -- FOLDER`.

#![allow(clippy::print_stdout, reason = "an example talks to its reader")]

use std::path::Path;

use kitbag_package::{PackageReader as _, PackageTree, digest, read_all};
use kitbag_types::printable;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = std::env::args_os().nth(1).ok_or("name a folder, e.g. skills/tidy")?;
    let package = PackageTree::open(Path::new(&folder))?;
    let listing = read_all(&package, &mut |_entry, _contents| {})?;
    for file in &listing {
        let mode = if file.executable { 'x' } else { '-' };
        println!("{mode} {:>8} {}", file.size, printable(file.path.as_str()));
    }
    for path in package.left_out() {
        println!("left out: {}", printable(path));
    }
    println!("{}", digest(&listing));
    Ok(())
}
