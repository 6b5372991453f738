//! Stages a folder into a depot, promotes it, and shows what lies there.
//!
//! `cargo run -p kitbag-materializer --example stage -- FOLDER DEPOT ID`

#![allow(clippy::print_stdout, reason = "an example talks to its reader")]

use kitbag_materializer::{Depot as _, FolderDepot, Slot};
use kitbag_package::PackageTree;
use kitbag_types::{CapabilityId, Kind, OperationId, Timestamp};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut args = std::env::args().skip(1);
    let (Some(folder), Some(depot), Some(id)) = (args.next(), args.next(), args.next()) else {
        return Err("usage: stage FOLDER DEPOT ID".into());
    };
    let depot = FolderDepot::new(depot);
    let operation = OperationId::new(Timestamp::from_millis(0), 1);
    let package = PackageTree::open(folder.as_ref())?;
    let staged = depot.stage(operation, &package, &mut |entry, contents| {
        println!("{} ({} bytes)", entry.path, contents.len());
    })?;
    let slot = Slot { kind: Kind::Skill, id: CapabilityId::new(&id)? };
    depot.promote(&staged, &slot, None)?;
    depot.discard(operation)?;
    println!("{} is in {}", staged.digest, depot.describe(&slot));
    Ok(())
}
