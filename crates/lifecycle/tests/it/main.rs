//! The service through its public API, on real folders and a real database.

mod accepting;
mod adding;
mod agents;
mod baseline;
mod changing;
mod crash;
mod github;
mod mirroring;
mod processes;
#[path = "../../../materializer/tests/it/server.rs"]
mod server;
mod settings;
mod support;
mod syncing;
mod verifying;
