//! What an agent may not do.

use kitbag_lifecycle::ChangeRequest;
use kitbag_types::{Code, Principal, RequestSource};

use crate::support::{World, code, tree};

fn agent() -> Principal {
    Principal::Agent { agent: "helper".to_owned(), event_id: None }
}

#[test]
fn an_agent_changes_nothing_without_an_approval() {
    let world = World::new();
    world.installed("notes", "body");
    let before = tree(&world.promoted("notes"));
    let request = ChangeRequest::new(agent(), "notes");
    assert_eq!(code(world.service.update(&request)), Code::ApprovalRequired);
    assert_eq!(code(world.service.enable(&request)), Code::ApprovalRequired);
    assert_eq!(code(world.service.disable(&request)), Code::ApprovalRequired);
    assert_eq!(code(world.service.remove(&request)), Code::ApprovalRequired);
    assert_eq!(code(world.service.revert(&request)), Code::ApprovalRequired);
    assert_eq!(tree(&world.promoted("notes")), before);
}

#[test]
fn an_agent_cannot_name_what_lies_outside_the_workspace() {
    let world = World::new();
    let source = world.skill("notes", "body");
    let mut request = world.add_request(&source);
    request.principal = agent();
    request.request = Some(RequestSource::Local);
    assert_eq!(code(world.service.add(&request)), Code::SourceOutside);
    request.source = "../sources/notes".to_owned();
    assert_eq!(code(world.service.add(&request)), Code::SourceOutside);
    request.source = "projects/notes".to_owned();
    assert_eq!(code(world.service.add(&request)), Code::ApprovalRequired);
}
