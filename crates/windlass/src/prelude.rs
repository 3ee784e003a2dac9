//! The items of most programs, for `use windlass::prelude::*`.
//!
//! ```
//! use windlass::prelude::*;
//!
//! /// Adds two integers.
//! #[tool(read_only, internal)]
//! fn add(left: i64, right: i64) -> String {
//!     left.saturating_add(right).to_string()
//! }
//! assert_eq!(Add.spec().name().as_str(), "add");
//! ```
#![cfg_attr(not(feature = "agent"), doc = "\n\nThe feature `agent` adds the items above.")]

#[cfg(feature = "attachments")]
pub use crate::attachments::Attach;
#[cfg(feature = "agent")]
pub use crate::{
    Agent, Approver, Event, Outcome, Report, RunHandle, RunOptions, Session, TypedEvent,
    policy::{ApprovalDecision, ApprovalRequest, Policy},
    tool::{
        Context, Output, Progress, ProgressSink, State, Tool, ToolArgs, ToolError, ToolSet, tool, toolset,
    },
    toolbox::{Preset, ToolConfig, Toolbox},
};
pub use crate::{
    protocol::{Effect, Effort, Message, RequestOptions},
    providers,
    stream::Model,
};
