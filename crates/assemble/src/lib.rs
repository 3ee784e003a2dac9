#![doc = include_str!("../README.md")]
#![warn(clippy::indexing_slicing, clippy::arithmetic_side_effects)]

mod limits;
mod options;

mod event;
mod index;
mod malformed;

mod assembler;

mod answer;
mod normalizer;
mod parts;

mod calls;
mod classification;
mod growing;
mod name;

pub use answer::{Answer, AnswerCall};
pub use assembler::Assembler;
pub use event::{ArgumentForm, CallEvent, Notes};
pub use index::CallIndex;
pub use limits::AssembleLimits;
pub use malformed::{Ending, MalformedCall, MalformedReason};
pub use normalizer::Normalizer;
pub use options::{AssembleOptions, Repairs};
pub use windlass_partial_json::{Repair, RepairKind, Snapshot};
