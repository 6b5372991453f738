//! The JSON Schemas of every wire form, by file name.

use schemars::{JsonSchema, Schema, SchemaGenerator, generate::SchemaSettings};

use crate::result::{
    BatchResult, DiffResult, DoctorResult, ErrorEnvelope, GcResult, HistoryResult, InspectResult,
    ListResult, MutationResult, RuleExplanation, ValidationLine, VerifyResult,
};
use crate::{
    AcceptedResult, BaselineFile, CapabilityRecord, CompareResult, HistoryEntry, LockFile,
    MirrorResult, ScanReport, UnacceptResult,
};

/// Returns the schemas, each with the name of the file that holds it (without `.schema.json`).
pub fn all() -> Vec<(&'static str, Schema)> {
    vec![
        ("accepted-result", of::<AcceptedResult>()),
        ("baseline-file", of::<BaselineFile>()),
        ("batch-result", of::<BatchResult>()),
        ("capability-record", of::<CapabilityRecord>()),
        ("compare-result", of::<CompareResult>()),
        ("diff-result", of::<DiffResult>()),
        ("doctor-result", of::<DoctorResult>()),
        ("error", of::<ErrorEnvelope>()),
        ("gc-result", of::<GcResult>()),
        ("history-entry", of::<HistoryEntry>()),
        ("history-result", of::<HistoryResult>()),
        ("inspect-result", of::<InspectResult>()),
        ("list-result", of::<ListResult>()),
        ("lock-file", of::<LockFile>()),
        ("mirror-result", of::<MirrorResult>()),
        ("mutation-result", of::<MutationResult>()),
        ("rule-explanation", of::<RuleExplanation>()),
        ("scan-report", of::<ScanReport>()),
        ("unaccept-result", of::<UnacceptResult>()),
        ("validation-line", of::<ValidationLine>()),
        ("verify-result", of::<VerifyResult>()),
    ]
}

fn of<T: JsonSchema>() -> Schema {
    SchemaGenerator::new(SchemaSettings::draft2020_12()).into_root_schema_for::<T>()
}
