//! No new privileges, no tracer, no life after the host's.

use rustix::io;
use rustix::process::{
    DumpableBehavior, Signal, set_dumpable_behavior, set_parent_process_death_signal,
};
use rustix::thread::set_no_new_privs;

pub(super) fn give_up() -> io::Result<()> {
    set_no_new_privs(true)?;
    // A host that dies before this line leaves its child a limit of processor time.
    set_parent_process_death_signal(Some(Signal::KILL))?;
    // Nor may another process of the same user read its memory.
    set_dumpable_behavior(DumpableBehavior::NotDumpable)
}
