#![doc = include_str!("../README.md")]
#![warn(clippy::indexing_slicing, clippy::arithmetic_side_effects)]
#![expect(clippy::disallowed_methods, reason = "a cassette is a file")]

mod error;
mod line;

mod recorded;
mod recorder;
mod tap;

mod difference;
mod player;
mod replay;

mod cassette;
#[doc(hidden)]
pub mod test_run;

pub use cassette::{Cassette, CassetteMode, CassetteOptions};
pub use difference::Difference;
pub use error::CassetteError;
use line::Line;
pub use player::{DefinitionsFuture, Fork, Player};
pub use recorder::Recorder;
pub use windlass_tool_macros::cassette;
