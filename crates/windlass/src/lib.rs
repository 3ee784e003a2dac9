#![doc = include_str!("../README.md")]
#![cfg_attr(docsrs, feature(doc_cfg))]

#[cfg(feature = "agent")]
pub mod durable;
pub mod external;
pub mod parse;
pub mod prelude;
pub mod providers;
#[cfg(feature = "agent")]
pub mod tool;
pub mod tools;

#[cfg(feature = "client")]
#[doc(inline)]
pub use providers::provider_model::{
    ProviderModel, anthropic, compatible, gemini, ollama, openai, openrouter, provider,
};
#[cfg(feature = "agent")]
#[doc(inline)]
pub use windlass_agent::{
    Agent, AgentBuilder, AgentError, Approver, Event, EventStream, NumberedEvent, Outcome, Report, RunHandle,
    RunOptions, SavedSession, Session, TypedEvent, TypedReport, TypedStream,
};
#[cfg(feature = "agent")]
#[doc(inline)]
pub use windlass_tool_args::{ToolArgs, tool};

pub use {windlass_protocol as protocol, windlass_schema as schema, windlass_stream as stream};

#[cfg(feature = "agent")]
pub use {
    windlass_agent as agent, windlass_hitl as policy, windlass_journal as journal, windlass_redact as redact,
    windlass_toolbox as toolbox,
};

#[cfg(feature = "attachments")]
pub use windlass_attachments as attachments;
#[cfg(feature = "cassette")]
pub use windlass_cassette::{self as cassette, cassette};
#[cfg(feature = "checkpoint")]
pub use windlass_checkpoint as checkpoint;
#[cfg(feature = "evals")]
pub use windlass_evals as evals;
#[cfg(feature = "gateway")]
pub use windlass_gateway as gateway;
#[cfg(feature = "mock")]
pub use windlass_mock as mock;
#[cfg(feature = "sandbox-tools")]
pub use windlass_sandbox as sandbox;
#[cfg(feature = "subagent")]
pub use windlass_subagent as subagent;
#[cfg(feature = "telemetry")]
pub use windlass_telemetry as telemetry;
#[cfg(feature = "workflow")]
pub use windlass_workflow as workflow;

/// The project's README, whose example is compiled as a test.
#[cfg(all(doctest, feature = "agent", feature = "client"))]
#[doc = include_str!("../../../README.md")]
pub struct ReadMe;
