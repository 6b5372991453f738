//! Reading manifests through the public interface.

mod cases;
mod docs;
mod limits;
mod properties;
mod support;
mod yaml;
