//! What a person accepted, and the key that recognises it.

use kitbag_store::{AcceptedRow, Change, Registry as _, StoreError};
use kitbag_types::{Code, Coded as _, MatchHash, Suppression};

use crate::support::{PATIENCE, World, at, digest, fixture};

fn yes(byte: u8) -> Suppression {
    Suppression {
        rule: "code/download-and-run".to_owned(),
        file: Some("bin/é run.sh".to_owned()),
        match_hash: MatchHash::of_mac(&[byte; 32]),
        package: Some(digest("one")),
        reason: "it's \"ours\"".to_owned(),
        accepted_by: "cli:ada".to_owned(),
        accepted_at: at(1),
        expires_at: Some(at(9)),
    }
}

fn applied(world: &World, changes: &[Change]) -> Result<(), StoreError> {
    world.open().write(PATIENCE)?.apply(changes)
}

#[test]
fn the_first_writer_makes_the_key_and_nobody_makes_another() {
    let world = World::new();
    assert_eq!(world.open().match_key().expect("asked"), None, "reading makes nothing");
    drop(world.open().write(PATIENCE).expect("writable"));
    let key = world.open().match_key().expect("asked").expect("made");
    assert_ne!(key.bytes(), &[0; 32]);
    drop(world.open().write(PATIENCE).expect("writable"));
    world.add("one");
    assert_eq!(world.open().match_key().expect("asked"), Some(key.clone()));
    let other = World::ours().open().match_key().expect("asked");
    assert_ne!(other, Some(key), "every root has its own");
}

#[test]
fn a_database_of_the_original_has_a_key_once_it_is_written_to() {
    let world = World::of(&fixture("simone.sql"));
    assert_eq!(world.open().match_key().expect("asked"), None);
    assert_eq!(world.open().suppressions().expect("asked"), []);
    drop(world.open().write(PATIENCE).expect("writable"));
    assert!(world.open().match_key().expect("asked").is_some());
}

#[test]
fn what_was_accepted_is_read_back_with_its_number() {
    let world = World::ours();
    let anywhere = Suppression { file: None, package: None, expires_at: None, ..yes(2) };
    applied(
        &world,
        &[Change::Accept(Box::new(yes(1))), Change::Accept(Box::new(anywhere.clone()))],
    )
    .expect("applied");
    let row = |number, suppression| AcceptedRow {
        number,
        suppression,
        withdrawn_at: None,
        withdrawn_by: None,
    };
    assert_eq!(world.open().suppressions().expect("asked"), [row(1, yes(1)), row(2, anywhere)]);
}

#[test]
fn what_is_taken_back_stays_listed_and_cannot_be_taken_back_twice() {
    let world = World::ours();
    applied(&world, &[Change::Accept(Box::new(yes(1)))]).expect("applied");
    let withdraw = |number| Change::Withdraw { number, at: at(5), by: "cli:bob".to_owned() };
    applied(&world, &[withdraw(1)]).expect("applied");
    let rows = world.open().suppressions().expect("asked");
    assert_eq!(
        (rows[0].withdrawn_at, rows[0].withdrawn_by.as_deref()),
        (Some(at(5)), Some("cli:bob"))
    );
    assert_eq!(rows[0].suppression, yes(1));
    for number in [1, 2, u64::MAX >> 1] {
        let error = applied(&world, &[withdraw(number)]).expect_err("nothing to take back");
        assert_eq!(error.code(), Code::MutationConflict);
    }
}

#[test]
fn a_change_that_fails_takes_what_was_accepted_with_it() {
    let world = World::ours();
    let withdraw = Change::Withdraw { number: 7, at: at(5), by: "cli:bob".to_owned() };
    applied(&world, &[Change::Accept(Box::new(yes(1))), withdraw]).expect_err("no such number");
    assert_eq!(world.open().suppressions().expect("asked"), []);
}
