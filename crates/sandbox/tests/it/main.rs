//! A child that locks itself down: what it cannot do, how it ends, and what the host hears.
#![cfg(target_os = "linux")]

mod answers;
mod denied;
mod ends;
mod lacking;
mod orphan;
mod protocol;
mod stack;
mod support;
mod unprivileged;
