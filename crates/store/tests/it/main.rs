//! The registry database through its public interface, with `sqlite3` as the oracle.

mod accepted;
mod compat;
mod processes;
mod refused;
mod support;
mod writing;
