//! Resource limits. Soft and hard alike, so that they cannot be raised again.

use rustix::io;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

use crate::hello::cpu_seconds;
use crate::limits::Limits;

/// The most bytes of the stack: what a main thread usually has, where the host has none set.
const STACK: u64 = 8 << 20;

/// The streams of the conversation.
const DESCRIPTORS: u64 = 3;

pub(super) fn limit(limits: &Limits) -> io::Result<()> {
    let cpu = cpu_seconds(limits);
    // At the soft limit comes SIGXCPU, which says what happened; at the hard one SIGKILL.
    set(Resource::Cpu, cpu, cpu.saturating_add(1))?;
    set(Resource::As, limits.memory, limits.memory)?;
    set(Resource::Stack, STACK, STACK)?;
    // Pipes have no size; a file, even one inherited, does not grow.
    set(Resource::Fsize, 0, 0)?;
    set(Resource::Core, 0, 0)?;
    // Root is not bound by this one: the list of system calls has no way to start a process.
    set(Resource::Nproc, 0, 0)
}

pub(super) fn no_more_descriptors() -> io::Result<()> {
    set(Resource::Nofile, DESCRIPTORS, DESCRIPTORS)
}

/// Lowers a limit; one that is lower already stays.
fn set(resource: Resource, soft: u64, hard: u64) -> io::Result<()> {
    let now = getrlimit(resource);
    let lower = |wanted: u64, now: Option<u64>| Some(now.map_or(wanted, |now| now.min(wanted)));
    let maximum = lower(hard, now.maximum);
    setrlimit(resource, Rlimit { current: lower(soft, now.current), maximum })
}
