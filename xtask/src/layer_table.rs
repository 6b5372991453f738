//! The layers as data. A new crate gets its row here before it gets its folder.

/// A crate, where it stands and what for.
pub(crate) struct Row {
    /// The folder under crates/; the package is called `kitbag-<folder>`.
    pub(crate) name: &'static str,
    /// Dependencies go from a higher number to a lower one, never sideways.
    pub(crate) layer: u8,
    /// Its one purpose.
    pub(crate) purpose: &'static str,
}

const fn row(layer: u8, name: &'static str, purpose: &'static str) -> Row {
    Row { name, layer, purpose }
}

/// Every crate, built or planned, from the lowest layer to the highest.
pub(crate) const TABLE: &[Row] = &[
    row(0, "types", "the words as Rust types, their wire forms and JSON Schemas; no I/O"),
    row(1, "package", "reads a directory as a package: safe walk, canonical listing, digest"),
    row(1, "manifest", "SKILL.md and its relatives: one parser, strict and lenient, with places"),
    row(1, "governance", "pure: canonical payload, approval matching, bundle compiler"),
    row(1, "sandbox", "starts our own program as a child that locks itself down"),
    row(1, "js-syntax", "parses JS/TS without running it; answers questions about exports"),
    row(2, "store", "the registry database; the only crate that knows SQL"),
    row(2, "scanner", "packages in, findings out"),
    row(2, "materializer", "sources in, staged packages out; promote, restore, sweep"),
    row(2, "discovery", "source levels and external folders in, a prioritised catalogue out"),
    row(2, "js-runtime", "runs a promoted JS module"),
    row(3, "lifecycle", "the one service that changes anything"),
    row(3, "mcp-broker", "MCP connections in, namespaced tools out"),
    row(3, "authoring", "scaffold, classify, validate, scan, test, hand off"),
    row(3, "workforce", "the on-disk workforce: generated imports, presets, hiring"),
    row(4, "loader", "records, packages and broker in, a kit out"),
    row(4, "executor", "runs `capability.yaml` capabilities; executions, events, stop"),
    row(5, "mcp-gateway", "the kit and the capability manager offered to MCP clients"),
    row(6, "server", "REST, WebSocket, MCP over HTTP, the web page"),
    row(7, "cli", "the binary `kitbag`: a thin adapter over the layers below"),
];

/// Crates of others that a crate may not bring along, so that what starts in a millisecond keeps
/// doing so: who, and which.
pub(crate) const LEAN: &[(&str, &[&str])] = &[(
    "cli",
    &["tokio", "async-std", "smol", "rquickjs-core", "openssl-sys", "native-tls", "reqwest"],
)];

/// Crates that another may not reach, not even through others: who, and what it may not see.
pub(crate) const WALLS: &[(&str, &[&str])] =
    &[("authoring", &["store", "lifecycle", "materializer"])];
