#![doc = include_str!("../README.md")]
#![cfg_attr(docsrs, feature(doc_cfg))]

mod calls;
mod chat;
mod conventions;
#[cfg(feature = "metrics")]
mod metrics;
mod options;
mod shapes;
mod spans;
mod traced;
mod words;

pub use conventions::Conventions;
#[cfg(feature = "metrics")]
pub use metrics::{MeasuredEvents, Metrics, RunMetrics, measure_events};
pub use options::{Content, SpanOptions};
pub use spans::Spans;
pub use traced::{TracedEvents, trace_events};
