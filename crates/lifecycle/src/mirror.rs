//! The mirror: the `capabilities` array of SIM-ONE's `gorombo.config.json`, reconciled into the
//! registry when a runtime opens the root.
//!
//! Missing ids are inserted, present ones are skipped, nothing is removed and no source is read. What
//! is wrong with one entry stops no other.

use std::path::Path;

use kitbag_store::Change;
use kitbag_types::{
    Action, CapabilityId, CapabilityRecord, HistoryEvent, Kind, MirrorItem, MirrorResult,
    PackagePath, Principal, StoredSource,
};
use serde_json::{Map, Value};

use crate::opened::github_plan;
use crate::service::CapabilityLifecycleService;
use crate::{LifecycleError, Mode, Settings};

/// Who inserted a record, for one that the mirror brought.
const SEED: &str = "seed";

impl CapabilityLifecycleService {
    /// Opens a root as a runtime does: the mirror is reconciled first.
    ///
    /// # Errors
    /// As [`open`](Self::open), and `file/unreadable` if the configuration is there and cannot be
    /// read.
    pub fn open_runtime(settings: &Settings) -> Result<(Self, MirrorResult), LifecycleError> {
        let service = Self::open(settings)?;
        let user = Principal::Cli { user: SEED.to_owned() };
        let result = service.reconcile(&settings.root, &user, Mode::Apply)?;
        Ok((service, result))
    }

    /// Reconciles the configuration of a root, or tells what that would do.
    ///
    /// # Errors
    /// `file/unreadable` if the configuration is there and cannot be read; `store/…`. An entry that
    /// breaks a rule is an item.
    pub fn reconcile(
        &self,
        root: &Path,
        principal: &Principal,
        mode: Mode,
    ) -> Result<MirrorResult, LifecycleError> {
        let path = root.join(crate::settings::CONFIG_FILE);
        let entries = match fs_err::read_to_string(&path) {
            Ok(text) => entries(&text),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(Vec::new()),
            Err(error) => return Err(LifecycleError::reading(&path.display().to_string(), error)),
        };
        let mut results = Vec::new();
        let mut due = Vec::new();
        match entries {
            Ok(entries) => {
                for (index, entry) in (0..).zip(&entries) {
                    let (item, record) = self.judge_entry(index, entry, &due)?;
                    results.push(item);
                    due.extend(record);
                }
            }
            Err(problem) => results.push(broken(0, None, problem)),
        }
        if mode == Mode::Apply && !due.is_empty() {
            self.insert_all(principal, &due)?;
        }
        let ok = results.iter().all(|item| item.problem.is_none());
        Ok(MirrorResult { ok, action: Action::Reconcile, results })
    }

    fn judge_entry(
        &self,
        index: u64,
        entry: &Value,
        due: &[CapabilityRecord],
    ) -> Result<(MirrorItem, Option<CapabilityRecord>), LifecycleError> {
        let id = entry.get("id").and_then(Value::as_str).map(str::to_owned);
        let record = match self.record_of(entry) {
            Ok(record) => record,
            Err(problem) => return Ok((broken(index, id, problem), None)),
        };
        let is_known = self.registry.find(record.id.as_str())?.is_some();
        if due.iter().any(|other| other.id == record.id) {
            let problem = "`id` is in the array twice".to_owned();
            return Ok((broken(index, id, problem), None));
        }
        let item = MirrorItem { index, id, inserted: !is_known, problem: None };
        Ok((item, (!is_known).then_some(record)))
    }

    /// Reads one entry, held to the rules that every record is held to.
    fn record_of(&self, entry: &Value) -> Result<CapabilityRecord, String> {
        let Value::Object(fields) = entry else { return Err("it is not an object".to_owned()) };
        let text = |field: &str| match fields.get(field) {
            Some(Value::String(text)) => Ok(text.clone()),
            Some(_) => Err(format!("`{field}` is not text")),
            None => Err(format!("`{field}` is missing")),
        };
        let kind: Kind = text("kind")?.parse().map_err(|error| format!("`kind`: {error}"))?;
        let id =
            CapabilityId::for_kind(&text("id")?, kind).map_err(|error| format!("`id`: {error}"))?;
        let source: StoredSource =
            text("source")?.parse().map_err(|error| format!("`source`: {error}"))?;
        let source_ref = text("sourceRef")?;
        check_source(kind, source, &source_ref)
            .map_err(|problem| format!("`sourceRef`: {problem}"))?;
        let name = text("name")?;
        let most = CapabilityRecord::MAX_NAME_CHARS;
        if name.is_empty() || name.chars().count() > most || name.contains(char::is_control) {
            return Err(format!("`name` is not 1 to {most} characters on one line"));
        }
        let description = text("description")?;
        let most = CapabilityRecord::MAX_DESCRIPTION_CHARS;
        if description.is_empty() || description.chars().count() > most {
            return Err(format!("`description` is not 1 to {most} characters"));
        }
        let enabled = match fields.get("enabled") {
            None => kind == Kind::Skill,
            Some(Value::Bool(enabled)) => *enabled,
            Some(_) => return Err("`enabled` is not true or false".to_owned()),
        };
        let version = match fields.get("version") {
            None | Some(Value::Null) => None,
            Some(Value::String(version)) => Some(version.clone()),
            Some(_) => return Err("`version` is not text".to_owned()),
        };
        let config = match fields.get("config") {
            None => Map::new(),
            Some(Value::Object(config)) => config.clone(),
            Some(_) => return Err("`config` is not an object".to_owned()),
        };
        let now = self.clock.now();
        Ok(CapabilityRecord {
            id,
            kind,
            name,
            description,
            source,
            source_ref,
            version,
            // A server that nobody pinned is not connected to, whatever the configuration says.
            enabled: enabled && kind != Kind::Mcp,
            config,
            installed_at: now,
            updated_at: now,
            installed_by: SEED.to_owned(),
        })
    }

    fn insert_all(
        &self,
        principal: &Principal,
        records: &[CapabilityRecord],
    ) -> Result<(), LifecycleError> {
        let mut writer = self.registry.write(self.options.patience)?;
        self.recover(&mut *writer)?;
        for record in records {
            // Another process may have been faster: then it is there, which is all that was wanted.
            if self.registry.find(record.id.as_str())?.is_some() {
                continue;
            }
            writer.apply(&[
                Change::Insert(record.clone()),
                Change::Record(HistoryEvent {
                    at: record.installed_at,
                    principal: principal.clone(),
                    action: Action::Reconcile,
                    kind: record.kind.as_str().to_owned(),
                    id: record.id.as_str().to_owned(),
                    operation: self.clock.operation().to_string(),
                    before: None,
                    after: None,
                    enabled: record.enabled,
                    note: None,
                }),
            ])?;
        }
        Ok(())
    }
}

/// Returns the entries of a configuration: none where it has no such array.
fn entries(text: &str) -> Result<Vec<Value>, String> {
    let value: Value =
        serde_json::from_str(text).map_err(|error| format!("it is not JSON: {error}"))?;
    match value.get("capabilities") {
        None => Ok(Vec::new()),
        Some(Value::Array(entries)) => Ok(entries.clone()),
        Some(_) => Err("`capabilities` is not an array".to_owned()),
    }
}

fn check_source(kind: Kind, source: StoredSource, source_ref: &str) -> Result<(), String> {
    if source_ref.is_empty() || source_ref.contains(char::is_control) {
        return Err("it is empty or holds a control character".to_owned());
    }
    match source {
        StoredSource::Github => {
            github_plan(source_ref).map(|_| ()).map_err(|error| error.to_string())
        }
        StoredSource::Local if kind != Kind::Mcp && !Path::new(source_ref).is_absolute() => {
            PackagePath::new(source_ref).map(|_| ()).map_err(|error| error.to_string())
        }
        StoredSource::Local | StoredSource::Npm | StoredSource::Builtin => Ok(()),
    }
}

fn broken(index: u64, id: Option<String>, problem: String) -> MirrorItem {
    MirrorItem { index, id, inserted: false, problem: Some(problem) }
}
