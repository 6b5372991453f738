//! Starts our own program as a child that locks itself down before it reads a foreign byte.
//!
//! Engines and parsers that meet foreign code or text run in such a child: it may compute, and
//! nothing else. It opens no file, makes no socket, starts no program, sees nothing of the environment of
//! its host, and ends when its time or memory does. Its death is a typed error, never a crash of the host.
//!
//! The child's side is the first line of a `main`:
//!
//! ```no_run
//! use std::process::ExitCode;
//!
//! fn main() -> ExitCode {
//!     if std::env::args_os().nth(1).is_some_and(|first| first == "--count-lines") {
//!         return kitbag_sandbox::serve(|request| {
//!             request.split(|byte| *byte == b'\n').count().to_string().into_bytes()
//!         });
//!     }
//!     // What the program does otherwise.
//!     ExitCode::SUCCESS
//! }
//! ```
//!
//! The host's side:
//!
//! ```no_run
//! use kitbag_sandbox::{Limits, Sandbox, SandboxError};
//! use kitbag_types::Unwatched;
//!
//! # fn count(ourselves: &std::path::Path) -> Result<(), SandboxError> {
//! let sandbox = Sandbox::new(ourselves, ["--count-lines"], Limits::default());
//! let answer = sandbox.run(b"one\ntwo", &Unwatched)?;
//! assert_eq!(answer, b"2");
//! # Ok(())
//! # }
//! ```
//!
//! **How.** [`enter`] gives up privileges, denies the file system by Landlock, sets resource limits
//! and denies system calls by a seccomp allow list, in this order, and says in a [`Lockdown`]
//! what holds. A lock that cannot be had is an error, unless [`Limits`] allows to go on without.
//! `docs/sandbox.md` has the whole list.
//!
//! **Limitations.** Linux on x86-64, AArch64 and 64-bit RISC-V; elsewhere every run is refused with
//! [`SandboxError::Unavailable`]. One request and one answer for each child. Bugs of the kernel
//! and what can be learnt from timing are not covered. A descriptor that this process inherited
//! without close-on-exec stays open in the child, which can neither read, write nor duplicate it.
//!
//! **Errors.** [`SandboxError`]; what the child wrote to its error stream is in it, capped.

#![deny(missing_docs)]

mod limits;
mod lockdown;

mod frame;
mod hello;

mod child;
mod lock;

mod error;
mod host;
mod parent;

pub use child::{serve, serve_on_stack};
pub use error::{BrokenProtocol, Death, SandboxError};
pub use frame::MAX_FRAME;
pub use limits::{Limits, Lock, Need};
pub use lock::{EnterError, enter};
pub use lockdown::{Held, Lockdown};
pub use parent::Sandbox;
