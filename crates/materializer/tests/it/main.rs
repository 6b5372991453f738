//! The depot and the search for candidates, through their public APIs.

mod candidates;
mod depot;
mod git;
mod racing;
mod server;
mod support;
