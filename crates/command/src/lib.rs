#![doc = include_str!("../README.md")]
#![warn(clippy::indexing_slicing, clippy::arithmetic_side_effects)]

mod limits;

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
pub use scan::{Certainty, Danger, Found, Scan};
