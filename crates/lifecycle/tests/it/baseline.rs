//! A root that the original registry wrote.

use kitbag_lifecycle::Mend;
use kitbag_types::{Code, VerifyStatus};

use crate::support::{World, change, code, write};

/// The original's table and indexes, and a row of each kind.
const SEED: &str = "
CREATE TABLE capabilities (
  id            TEXT NOT NULL,
  kind          TEXT NOT NULL,
  name          TEXT NOT NULL,
  description   TEXT NOT NULL,
  source        TEXT NOT NULL,
  source_ref    TEXT NOT NULL,
  version       TEXT,
  enabled       INTEGER NOT NULL DEFAULT 0,
  config_json   TEXT NOT NULL DEFAULT '{}',
  installed_at  TEXT NOT NULL,
  updated_at    TEXT NOT NULL,
  installed_by  TEXT NOT NULL DEFAULT 'cli',
  PRIMARY KEY (kind, id)
);
CREATE INDEX IF NOT EXISTS idx_capabilities_kind_enabled ON capabilities(kind, enabled);
CREATE UNIQUE INDEX IF NOT EXISTS idx_capabilities_id_unique ON capabilities(id);
INSERT INTO capabilities VALUES
 ('greeting','skill','Greeting','Greets.','local','projects/greeting',NULL,1,'{}','2026-01-01T00:00:00.000Z','2026-01-01T00:00:00.000Z','agent'),
 ('echo','tool','Echo','Echoes.','github','https://github.com/a/b','1.0',1,'{}','2026-01-01T00:00:00.000Z','2026-01-01T00:00:00.000Z','cli'),
 ('helper','worker','Helper','Helps.','npm','helper','2',0,'{}','2026-01-01T00:00:00.000Z','2026-01-01T00:00:00.000Z','seed'),
 ('docs','mcp','Docs','Documents.','builtin','mcp://docs',NULL,0,'{\"mcpUrl\":\"https://example.org/mcp\"}','2026-01-01T00:00:00.000Z','2026-01-01T00:00:00.000Z','cli');
";

fn seeded() -> World {
    let world = World::new();
    let database = world.root().join("db/capabilities.sqlite");
    fs_err::create_dir_all(database.parent().expect("a parent")).expect("created");
    let done = std::process::Command::new("sqlite3").arg(&database).arg(SEED).status();
    assert!(done.expect("sqlite3 is installed").success());
    write(
        &world.promoted("greeting").join("SKILL.md"),
        "---\nname: greeting\ndescription: Greets.\n---\n",
    );
    world.reopen()
}

#[test]
fn its_records_are_listed_and_an_add_goes_beside_them() {
    let world = seeded();
    let ids = |world: &World| -> Vec<String> {
        let list = world.service.list(None).expect("listed");
        list.capabilities.iter().map(|record| record.id.as_str().to_owned()).collect()
    };
    assert_eq!(ids(&world), ["docs", "greeting", "echo", "helper"]);
    world.installed("notes", "one");
    assert_eq!(ids(&world), ["docs", "greeting", "notes", "echo", "helper"]);
}

#[test]
fn a_package_without_a_digest_is_said_to_have_none_until_a_person_records_it() {
    let world = seeded();
    assert_eq!(world.status("greeting"), VerifyStatus::NoBaseline);
    assert_eq!(world.status("docs"), VerifyStatus::Unpromoted);
    assert_eq!(code(world.service.update(&change("greeting"))), Code::PackageNoBaseline);
    assert_eq!(code(world.service.enable(&change("greeting"))), Code::PackageNoBaseline);
    assert!(world.verify(Mend::Baseline).ok);
    assert_eq!(world.status("greeting"), VerifyStatus::Ok);
    assert!(!world.service.enable(&change("greeting")).expect("enabled already").changed);
}

#[test]
fn a_baseline_scans_first() {
    let world = seeded();
    write(&world.promoted("greeting").join("run.py"), "x = '\u{202e}'\n");
    let request = kitbag_lifecycle::VerifyRequest {
        principal: crate::support::person(),
        ids: vec!["greeting".to_owned()],
        mend: Mend::Baseline,
        review: kitbag_lifecycle::Review::Refuse,
    };
    assert_eq!(code(world.service.verify(&request)), Code::ScanBlocked);
    assert_eq!(world.status("greeting"), VerifyStatus::NoBaseline);
}

#[test]
fn records_of_other_kinds_can_be_disabled_and_removed_but_not_enabled() {
    let world = seeded();
    assert!(world.service.disable(&change("echo")).expect("disabled").changed);
    assert_eq!(code(world.service.enable(&change("echo"))), Code::KindNotBuilt);
    assert_eq!(code(world.service.remove(&change("docs"))), Code::RegistryBuiltin);
    world.service.remove(&change("helper")).expect("removed");
    assert_eq!(code(world.service.inspect("helper")), Code::RegistryNotFound);
}
