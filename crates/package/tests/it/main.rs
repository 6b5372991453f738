//! Packages on a real file system: what they may hold, and their digests.

mod confinement;
mod digests;
mod limits;
mod racing;
mod support;
mod unprivileged;
