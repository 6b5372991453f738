//! Packages on a real file system: what they may hold, and their digests.

mod changing;
mod comparing;
mod confinement;
mod digests;
mod intake;
mod limits;
mod links;
mod names;
mod racing;
mod stamps;
mod support;
mod unprivileged;
mod watch;
