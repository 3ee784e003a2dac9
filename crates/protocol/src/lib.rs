#![doc = include_str!("../README.md")]

mod arguments;
mod call;
mod capabilities;
mod effect;
mod free_text;
mod hints;
mod id;
mod json;
mod message;
mod name;
mod output;
mod part;
mod refusal;
mod request;
mod result;
mod spec;
mod stop;
mod usage;

pub use arguments::{Arguments, ArgumentsError};
pub use call::{Payload, ToolCall};
pub use capabilities::{Capabilities, Support, ToolProtocol};
pub use effect::Effect;
pub use hints::{Concurrency, Control, Hints, Risk};
pub use id::{CallId, IdError};
pub use json::RawJson;
pub use message::{Message, Role};
pub use name::{NameError, ToolName};
pub use output::{OutputFormat, OutputSchema};
pub use part::{File, FileSource, Image, ImageSource, Opaque, Part, Reasoning, Text, Unknown};
pub use refusal::{Refusal, RefusalKind};
pub use request::{Delivery, Request};
pub use result::{Content, ResultStatus, ToolResult};
pub use spec::{Grammar, ParallelCalls, Strictness, ToolChoice, ToolSpec};
pub use stop::StopReason;
pub use usage::Usage;
