#![doc = include_str!("../README.md")]

mod config;
mod transcript;
mod input;
mod effect;
mod event;
mod outcome;
mod entry;
mod machine;
mod streaming;
mod execution;
mod progress;
mod words;
mod resume;

pub use config::{Config, Limits, OfferedTool};
pub use effect::Effect;
pub use entry::Entry;
pub use event::Event;
pub use input::{Input, Judgement, StreamFailure};
pub use machine::Machine;
pub use outcome::{Outcome, StopCause};
pub use resume::ResumeError;
pub use transcript::{Transcript, TranscriptError};
