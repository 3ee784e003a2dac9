#![doc = include_str!("../README.md")]
#![warn(clippy::indexing_slicing, clippy::arithmetic_side_effects)]

mod dialect;
mod limits;
mod options;

mod scanner;

mod form;
mod matching;
mod prose;

mod reader;

mod emit;
mod escape;
mod json_value;
mod literal;

mod coerce;
mod leak;
mod render;
mod speech;
mod tools;

pub use coerce::{Coercion, CoercionOutcome, Legacy, parse_legacy};
pub use dialect::{Dialect, UnknownDialect};
pub use leak::{Leak, LeakDetector, NativeCalls};
pub use limits::{LimitError, TextCallLimits};
pub use options::{CallableTools, CallsInReasoning, Reasoning, TextCallOptions};
pub use render::{catalogue, render_call, results};
pub use scanner::Scanner;
pub use speech::{Listener, Speech, SpokenHistory, StructuredOutput, detect};
