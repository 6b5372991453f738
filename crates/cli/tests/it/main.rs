//! The command as a process, for what a golden case cannot say.

mod secrets;
