//! Reading manifests through the public interface.

mod cases;
mod docs;
mod limits;
mod oracle;
mod properties;
mod support;
mod yaml;
