#![doc = include_str!("../README.md")]
#![warn(clippy::indexing_slicing, clippy::arithmetic_side_effects)]

mod limits;

mod names;

mod error;

mod command;

mod lexer;
mod quote;

mod effects;

mod scan;

pub use command::{Command, Operator, Redirection, Simple, Stream};
pub use effects::{Access, Doubt, DoubtKind, Effects};
pub use error::{Error, ErrorKind};
pub use limits::Limits;
pub use names::{HOME_NAMES, PROJECT_NAMES, STEERING_NAMES, is_protected_name, is_secret_name};
pub use quote::quote;
pub use scan::{Certainty, Danger, Found, Scan};
