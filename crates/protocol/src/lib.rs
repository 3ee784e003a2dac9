#![doc = include_str!("../README.md")]
#![cfg_attr(docsrs, feature(doc_cfg))]

mod arguments;
mod call;
mod capabilities;
mod citation;
mod effect;
mod effort;
mod free_text;
mod hints;
mod history;
mod hosted_call;
mod hosted_tool;
mod id;
mod json;
#[cfg(feature = "kit")]
pub mod kit;
mod message;
mod name;
mod options;
mod output;
mod part;
mod planned;
mod prices;
mod refusal;
mod request;
mod result;
mod rewritten;
mod spec;
mod stop;
mod target;
mod usage;

pub use arguments::{Arguments, ArgumentsError};
pub use call::{Payload, ToolCall};
pub use capabilities::{Capabilities, Support, ToolProtocol};
pub use citation::{Citation, CitationSource};
pub use effect::{Amount, Effect};
pub use effort::{Effort, UnknownEffort, Verbosity};
pub use hints::{Concurrency, Control, Hints, Risk};
pub use history::{History, HistoryIter};
pub use hosted_call::{HostedCall, HostedResult};
pub use hosted_tool::{
    Authorization, CodeExecution, ComputerEnvironment, ComputerUse, FileSearch, HostedTool, ImageGeneration,
    McpServer, ProgrammaticCalling, ToolMatching, ToolSearch, UserLocation, WebFetch, WebSearch,
};
pub use id::{CallId, IdError};
pub use message::{Message, Role};
pub use name::{NameError, ToolName};
pub use options::{PromptCache, RequestOptions};
pub use output::{OutputFormat, OutputSchema};
pub use part::{File, FileSource, Image, ImageSource, Opaque, Part, Reasoning, Text, Unknown};
pub use planned::{PlannedFile, ReconcileOutcome};
pub use prices::{LongPrices, Prices};
pub use refusal::{Refusal, RefusalKind};
pub use request::{Delivery, EarlierPreamble, Request};
pub use result::{Content, ErrorText, ResultFlag, ResultStatus, ToolResult};
pub use spec::{Grammar, ParallelCalls, Strictness, ToolChoice, ToolSpec};
pub use target::{Change, Containment, Target, TargetKind};
pub use {json::RawJson, rewritten::RewrittenHistory, stop::StopReason, usage::Usage};
