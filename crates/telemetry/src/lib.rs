#![doc = include_str!("../README.md")]

mod calls;
mod chat;
mod options;
mod shapes;
mod spans;
mod traced;
mod words;

pub use options::{Content, SpanOptions, provider_name};
pub use spans::Spans;
pub use traced::{TracedEvents, trace_events};
