#![cfg_attr(
    any(not(doctest), all(feature = "agent", feature = "client")),
    doc = include_str!("../README.md")
)]

pub mod parse;
pub mod prelude;
pub mod providers;
pub mod tools;

#[cfg(feature = "agent")]
pub mod durable;

#[cfg(feature = "agent")]
#[doc(inline)]
pub use windlass_agent::{Agent, AgentBuilder, Approver, Event, EventStream, Outcome, Report, RunOptions};
#[cfg(feature = "agent")]
#[doc(inline)]
pub use windlass_tool_args::{ToolArgs, tool};

pub use windlass_protocol as protocol;
pub use windlass_schema as schema;
pub use windlass_stream as stream;

#[cfg(feature = "agent")]
pub use windlass_agent as agent;
#[cfg(feature = "cassette")]
pub use windlass_cassette as cassette;
#[cfg(feature = "checkpoint")]
pub use windlass_checkpoint as checkpoint;
#[cfg(feature = "gateway")]
pub use windlass_gateway as gateway;
#[cfg(feature = "agent")]
pub use windlass_hitl as policy;
#[cfg(feature = "agent")]
pub use windlass_journal as journal;
#[cfg(feature = "agent")]
pub use windlass_redact as redact;
#[cfg(feature = "sandbox-tools")]
pub use windlass_sandbox as sandbox;
#[cfg(feature = "subagent")]
pub use windlass_subagent as subagent;
#[cfg(feature = "telemetry")]
pub use windlass_telemetry as telemetry;
#[cfg(feature = "agent")]
pub use windlass_toolbox as toolbox;
#[cfg(feature = "workflow")]
pub use windlass_workflow as workflow;

/// The trait of a tool, its typed arguments and the macros: `windlass-tool` and `windlass-tool-args` in one
/// module.
#[cfg(feature = "agent")]
pub mod tool {
    pub use windlass_tool::*;
    pub use windlass_tool_args::*;
}

/// The project's README, whose example is compiled as a test.
#[cfg(all(doctest, feature = "agent", feature = "client"))]
#[doc = include_str!("../../../README.md")]
pub struct ReadMe;
