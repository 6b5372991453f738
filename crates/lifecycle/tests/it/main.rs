//! The service through its public API, on real folders and a real database.

mod adding;
mod agents;
mod baseline;
mod changing;
mod crash;
mod settings;
mod support;
mod verifying;
