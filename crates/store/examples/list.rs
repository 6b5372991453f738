//! Lists what a registry database holds: `cargo run -p kitbag-store --example list -- DATABASE`.

#![allow(clippy::print_stdout, reason = "an example talks to its reader")]

use std::path::Path;

use kitbag_store::{Registry as _, SqliteRegistry, StoredRecord};
use kitbag_types::printable;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let path = std::env::args_os().nth(1).ok_or("name a database, e.g. db/capabilities.sqlite")?;
    let registry = SqliteRegistry::open(Path::new(&path))?;
    for record in registry.list()? {
        match record {
            StoredRecord::Sound(record) => {
                let state = if record.enabled { "enabled" } else { "disabled" };
                println!("{} {} {state}: {}", record.kind, record.id, printable(&record.name));
            }
            StoredRecord::Broken(broken) => {
                let problem = &broken.problems[0];
                println!("`{}` is broken: {}", printable(&broken.id), printable(&problem.message));
            }
        }
    }
    Ok(())
}
