//! Reads ids as Kitbag does, and shows an error as every surface shows it:
//! `cargo run -p kitbag-types --example words -- pdf-forms 'PDF Forms'`.

#![allow(clippy::print_stdout, reason = "an example talks to its reader")]

use kitbag_types::{CapabilityId, ErrorReport, canonical};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    for text in std::env::args().skip(1) {
        match CapabilityId::new(&text) {
            Ok(id) => println!("{id} is an id"),
            Err(error) => {
                let report = serde_json::to_value(ErrorReport::of(&error))?;
                println!("{}", canonical::to_string(&report)?);
            }
        }
    }
    Ok(())
}
