//! Seccomp: the system calls that computing needs. Any other ends the process.
//!
//! Descriptors are checked by number, so one that was inherited is of no use: it can be closed and
//! nothing else.

use libc::c_long;
use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter,
    SeccompRule, TargetArch, apply_filter_all_threads,
};

use crate::lockdown::Held;

/// What may be called, whatever the arguments.
const FREELY: &[c_long] = &[
    // Memory. What is mapped is checked below.
    libc::SYS_brk,
    libc::SYS_munmap,
    libc::SYS_mremap,
    libc::SYS_madvise,
    // Time and chance.
    libc::SYS_clock_gettime,
    libc::SYS_clock_nanosleep,
    libc::SYS_nanosleep,
    libc::SYS_getrandom,
    // Locks of one thread, and what allocators ask of the processor.
    libc::SYS_futex,
    libc::SYS_sched_yield,
    libc::SYS_sched_getaffinity,
    // Signals: the handler of stack overflows, and abort.
    libc::SYS_rt_sigaction,
    libc::SYS_rt_sigprocmask,
    libc::SYS_rt_sigreturn,
    libc::SYS_sigaltstack,
    libc::SYS_restart_syscall,
    libc::SYS_getpid,
    libc::SYS_gettid,
    // The end.
    libc::SYS_close,
    libc::SYS_exit,
    libc::SYS_exit_group,
];

/// What a mapping that is not of a file says its descriptor is: -1, in 32 bits.
const NO_DESCRIPTOR: u64 = 0xffff_ffff;

pub(super) fn allow_few() -> Result<Held, String> {
    let program = compile().map_err(|error| error.to_string())?;
    apply_filter_all_threads(&program).map_err(|error| error.to_string())?;
    Ok(Held::Full)
}

fn compile() -> Result<BpfProgram, seccompiler::BackendError> {
    let mut rules: Vec<(c_long, Vec<SeccompRule>)> =
        FREELY.iter().map(|call| (*call, Vec::new())).collect();
    rules.extend([
        (libc::SYS_read, vec![rule([equal(0, 0)])?]),
        (libc::SYS_write, vec![rule([equal(0, 1)])?, rule([equal(0, 2)])?]),
        (libc::SYS_writev, vec![rule([equal(0, 1)])?, rule([equal(0, 2)])?]),
        // Memory only, and never to be run as code.
        (libc::SYS_mmap, vec![rule([equal(4, NO_DESCRIPTOR), lacks(2, libc::PROT_EXEC)])?]),
        (libc::SYS_mprotect, vec![rule([lacks(2, libc::PROT_EXEC)])?]),
        // Debug builds ask whether what they close is open.
        (libc::SYS_fcntl, vec![rule([equal(1, from_c(libc::F_GETFD))])?]),
        // Abort signals itself, and nobody else.
        (libc::SYS_tgkill, vec![rule([equal(0, u64::from(std::process::id()))])?]),
    ]);
    SeccompFilter::new(
        rules.into_iter().collect(),
        SeccompAction::KillProcess,
        SeccompAction::Allow,
        TargetArch::try_from(std::env::consts::ARCH)?,
    )?
    .try_into()
}

type Condition = Result<SeccompCondition, seccompiler::BackendError>;

fn rule<const N: usize>(
    conditions: [Condition; N],
) -> Result<SeccompRule, seccompiler::BackendError> {
    SeccompRule::new(conditions.into_iter().collect::<Result<_, _>>()?)
}

/// Compares 32 bits: the kernel looks at no more of an `int`, so neither may the rule.
fn equal(argument: u8, value: u64) -> Condition {
    SeccompCondition::new(argument, SeccompCmpArgLen::Dword, SeccompCmpOp::Eq, value)
}

fn lacks(argument: u8, bit: libc::c_int) -> Condition {
    let mask = SeccompCmpOp::MaskedEq(from_c(bit));
    SeccompCondition::new(argument, SeccompCmpArgLen::Dword, mask, 0)
}

fn from_c(value: libc::c_int) -> u64 {
    u64::try_from(value).expect("because the constants used are positive")
}
