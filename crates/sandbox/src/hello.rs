//! The two frames before the request: the limits go down, what holds comes up.

use std::time::Duration;

use crate::frame::MAX_FRAME;
use crate::limits::{Limits, Lock, Need};
use crate::lockdown::Lockdown;

/// What the first frame begins with. A program that is not of this version says so by ending.
const MAGIC: &[u8] = b"kitbag-sandbox/1";

/// The most bytes of either frame.
pub(crate) const MAX_HELLO: usize = 1024;

const NEEDS: [Need; 3] = [Need::Required, Need::IfAvailable, Need::LeftOut];

/// Writes what a child has to know of its limits.
pub(crate) fn limits_to_bytes(limits: &Limits) -> Vec<u8> {
    let mut bytes = MAGIC.to_vec();
    let answer = limits.answer.min(MAX_FRAME) as u64;
    for number in [limits.wall.as_secs(), cpu_seconds(limits), limits.memory, answer] {
        bytes.extend_from_slice(&number.to_be_bytes());
    }
    bytes.extend([limits.files as u8, limits.calls as u8]);
    bytes
}

/// Reads them back.
pub(crate) fn limits_from_bytes(bytes: &[u8]) -> Option<Limits> {
    let bytes = bytes.strip_prefix(MAGIC)?;
    let (numbers, needs) = bytes.split_at_checked(4 * size_of::<u64>())?;
    let (numbers, _) = numbers.as_chunks();
    let &[wall, cpu, memory, answer] = numbers else { return None };
    let &[files, calls] = needs else { return None };
    let need = |byte: u8| NEEDS.into_iter().find(|need| *need as u8 == byte);
    Some(Limits {
        wall: Duration::from_secs(u64::from_be_bytes(wall)),
        cpu: Duration::from_secs(u64::from_be_bytes(cpu)),
        memory: u64::from_be_bytes(memory),
        answer: usize::try_from(u64::from_be_bytes(answer)).ok()?,
        files: need(files)?,
        calls: need(calls)?,
    })
}

/// Returns the processor time in seconds, rounded up: a limit of 0 would be no time at all.
pub(crate) fn cpu_seconds(limits: &Limits) -> u64 {
    limits.cpu.as_secs().saturating_add(u64::from(limits.cpu.subsec_nanos() > 0)).max(1)
}

/// What a child says before it reads the request.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Report {
    Locked(Lockdown),
    Lacking(Lock, String),
}

impl Report {
    pub(crate) fn to_bytes(&self) -> Vec<u8> {
        match self {
            Self::Locked(lockdown) => [&[0][..], &lockdown.to_bytes()].concat(),
            Self::Lacking(lock, why) => {
                let mut bytes = [&[1, *lock as u8], why.as_bytes()].concat();
                bytes.truncate(MAX_HELLO);
                bytes
            }
        }
    }

    pub(crate) fn from_bytes(bytes: &[u8]) -> Option<Self> {
        match bytes {
            [0, rest @ ..] => Lockdown::from_bytes(rest).map(Self::Locked),
            [1, lock, why @ ..] => {
                let lock = Lock::ALL.into_iter().find(|known| *known as u8 == *lock)?;
                Some(Self::Lacking(lock, String::from_utf8_lossy(why).into_owned()))
            }
            _ => None,
        }
    }
}
