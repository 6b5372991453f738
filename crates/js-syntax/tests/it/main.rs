//! The shape of modules, through the public interface.

mod calls;
mod docs;
mod fixtures;
mod limits;
mod places;
mod properties;
mod support;
