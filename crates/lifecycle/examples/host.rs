//! What a host starts from: open a root, add a folder, list what is enabled.
//!
//! `cargo run -p kitbag-lifecycle --example host -- ROOT FOLDER`

#![allow(clippy::print_stdout, reason = "an example talks to its reader")]

use kitbag_lifecycle::{AddRequest, CapabilityLifecycleService, Enable, Pick, Settings};
use kitbag_types::Principal;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut args = std::env::args().skip(1);
    let (Some(root), Some(folder)) = (args.next(), args.next()) else {
        return Err("usage: host ROOT FOLDER".into());
    };
    let here = fs_err::canonicalize(".")?;
    let service = CapabilityLifecycleService::open(&Settings::at(&here.join(root))?)?;
    let person = Principal::Cli { user: "host".to_owned() };
    let mut request = AddRequest::new(person, folder, here);
    request.pick = Pick::All;
    request.enable = Enable::Yes;
    println!("{:#?}", service.add(&request)?);
    for record in service.list(None)?.capabilities.iter().filter(|record| record.enabled) {
        println!("{} {}: {}", record.kind, record.id, record.description);
    }
    Ok(())
}
