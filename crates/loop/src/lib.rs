#![doc = include_str!("../README.md")]

mod ahead;
mod answer;
mod budget;
mod config;
mod early;
mod effect;
mod entry;
mod event;
mod execution;
mod input;
mod machine;
mod offer;
mod outcome;
mod progress;
mod protocol;
mod resume;
mod steering;
mod streaming;
mod suspension;
mod transcript;
mod words;

pub use budget::{Budget, Prices};
pub use config::{CallStart, Config, Limits, OfferedTool, Unanswered, UnknownEffects};
pub use effect::Effect;
pub use entry::{CallRepairs, Entry};
pub use event::Event;
pub use input::{Ahead, EarlyRefusal, Input, Judgement, StreamFailure};
pub use machine::Machine;
pub use offer::Offer;
pub use outcome::{Outcome, StopCause, Wait};
pub use resume::ResumeError;
pub use steering::Moment;
pub use transcript::{Transcript, TranscriptError};
pub use windlass_assemble::{Repair, RepairKind, Repairs};
