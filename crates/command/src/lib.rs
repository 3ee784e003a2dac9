#![doc = include_str!("../README.md")]
#![warn(clippy::indexing_slicing, clippy::arithmetic_side_effects)]

mod limits;
mod work;

mod kind;
mod names;

mod error;

mod command;

mod lexer;
mod quote;

mod effects;

mod scan;

pub use command::{Command, Operator, Redirection, Simple, Stream};
pub use effects::{Access, Doubt, DoubtKind, Effects, TouchKind, TouchedPath};
pub use error::{Error, ErrorKind};
pub use kind::{ProgramKind, program_kind};
pub use limits::CommandLimits;
pub use names::{
    HOME_NAMES, PROJECT_NAMES, ProtectedKind, STEERING_NAMES, find_protected_kind, is_protected_name,
    is_protected_path, is_secret_name,
};
pub use quote::quote;
pub use scan::{Certainty, Danger, ProgramStart, Scan};
pub use work::{Excess, LEAST_WORK, MAX_SCAN_BYTES, WORK_PER_BYTE};

#[cfg(test)]
mod growth;
