//! The `capabilities` array of SIM-ONE's configuration.

use kitbag_lifecycle::{CapabilityLifecycleService, Mode, Settings};
use kitbag_types::{MirrorResult, VerifyStatus};

use crate::support::{World, change, person, tree, write};

fn configured(text: &str) -> World {
    let world = World::new();
    write(&world.root().join("gorombo.config.json"), text);
    world
}

fn reconcile(world: &World, mode: Mode) -> MirrorResult {
    world.service.reconcile(&world.root(), &person(), mode).expect("read")
}

fn entry(changes: &str) -> String {
    let mut fields: serde_json::Map<String, serde_json::Value> = serde_json::from_str(
        r#"{"id": "notes", "kind": "skill", "name": "Notes", "description": "Takes notes.",
            "source": "local", "sourceRef": "projects/notes"}"#,
    )
    .expect("JSON");
    let changes: serde_json::Map<String, serde_json::Value> =
        serde_json::from_str(changes).expect("JSON");
    for (key, value) in changes {
        if value.is_null() {
            fields.remove(&key)
        } else {
            fields.insert(key, value)
        };
    }
    serde_json::Value::Object(fields).to_string()
}

fn array(entries: &[String]) -> String {
    format!(r#"{{"model": "kept as it is", "capabilities": [{}]}}"#, entries.join(","))
}

#[test]
fn missing_ids_are_inserted_present_ones_skipped_and_nothing_else_happens() {
    let text = array(&[
        entry("{}"),
        entry(r#"{"id": "echo", "kind": "tool", "version": "1.0", "config": {"depth": 2}}"#),
        entry(r#"{"id": "off", "enabled": false}"#),
        entry(r#"{"id": "docs", "kind": "mcp", "enabled": true, "sourceRef": "mcp://docs"}"#),
    ]);
    let world = configured(&text);
    assert_eq!(
        reconcile(&world, Mode::Plan).results.iter().filter(|item| item.inserted).count(),
        4
    );
    assert!(world.service.list(None).expect("listed").capabilities.is_empty());
    assert!(reconcile(&world, Mode::Apply).ok);
    let list = world.service.list(None).expect("listed").capabilities;
    let seen: Vec<_> = list
        .iter()
        .map(|record| (record.id.as_str(), record.enabled, record.installed_by.as_str()))
        .collect();
    // A skill is enabled unless it says otherwise, all else only where it says so; a server that
    // nobody pinned never is.
    assert_eq!(
        seen,
        [
            ("docs", false, "seed"),
            ("notes", true, "seed"),
            ("off", false, "seed"),
            ("echo", false, "seed")
        ]
    );
    assert!(!world.root().join("capabilities").exists(), "no byte is fetched");
    assert_eq!(world.status("notes"), VerifyStatus::Unpromoted);
    assert_eq!(
        fs_err::read_to_string(world.root().join("gorombo.config.json")).expect("there"),
        text
    );
    world.service.disable(&change("notes")).expect("disabled");
    assert!(reconcile(&world, Mode::Apply).results.iter().all(|item| !item.inserted));
    assert!(
        !world.service.inspect("notes").expect("there").capability.enabled,
        "present is skipped"
    );
    write(&world.root().join("gorombo.config.json"), r#"{"capabilities": []}"#);
    assert!(reconcile(&world, Mode::Apply).ok);
    assert_eq!(
        world.service.list(None).expect("listed").capabilities.len(),
        4,
        "nothing is removed"
    );
}

#[test]
fn what_is_wrong_with_one_entry_is_named_and_stops_no_other() {
    let broken = [
        (entry(r#"{"id": "../x"}"#), "`id`"),
        (entry(r#"{"id": null}"#), "`id` is missing"),
        (entry(r#"{"kind": "gadget"}"#), "`kind`"),
        (entry(r#"{"name": ""}"#), "`name`"),
        (entry(r#"{"description": 7}"#), "`description` is not text"),
        (entry(r#"{"source": "ftp"}"#), "`source`"),
        (entry(r#"{"source": "github", "sourceRef": "https://evil.org/a/b"}"#), "`sourceRef`"),
        (entry(r#"{"sourceRef": "../../etc"}"#), "`sourceRef`"),
        (entry(r#"{"enabled": "false"}"#), "`enabled` is not true or false"),
        (entry(r#"{"config": []}"#), "`config`"),
        ("7".to_owned(), "not an object"),
    ];
    let mut entries: Vec<String> = broken.iter().map(|(entry, _)| entry.clone()).collect();
    entries.push(entry("{}"));
    entries.push(entry("{}"));
    let world = configured(&array(&entries));
    let result = reconcile(&world, Mode::Apply);
    assert!(!result.ok);
    for ((index, item), (_, says)) in (0..).zip(&result.results).zip(&broken) {
        assert_eq!(item.index, index);
        let problem = item.problem.as_ref().expect("a problem");
        assert!(problem.contains(says), "{index}: `{problem}` does not say `{says}`");
    }
    assert!(result.results[11].inserted);
    assert!(result.results[12].problem.as_ref().expect("a problem").contains("twice"));
    assert_eq!(world.service.list(None).expect("listed").capabilities.len(), 1);
}

#[test]
fn a_configuration_that_is_no_json_stops_nothing_and_one_that_is_absent_is_none() {
    for text in ["{", r#"{"capabilities": {}}"#] {
        let world = configured(text);
        let result = reconcile(&world, Mode::Apply);
        assert!(!result.ok && result.results[0].problem.is_some());
    }
    let world = World::new();
    assert!(reconcile(&world, Mode::Apply).results.is_empty());
    assert!(tree(&world.root()).is_empty());
}

#[test]
fn a_runtime_reconciles_when_it_opens_the_root() {
    let world = configured(&array(&[entry("{}")]));
    let settings = Settings::at(&world.root()).expect("settings");
    let (service, result) = CapabilityLifecycleService::open_runtime(&settings).expect("opened");
    assert!(result.ok && result.results[0].inserted);
    assert_eq!(service.list(None).expect("listed").capabilities.len(), 1);
}
