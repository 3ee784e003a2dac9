#![doc = include_str!("../README.md")]

#[doc(inline)]
pub use windlass_agent::{Agent, AgentBuilder, Approver, Event, EventStream, Outcome, Report, RunOptions};

// The stages of a run in order: one crate per stage.

pub use windlass_assemble as assemble;
pub use windlass_client as client;
pub use windlass_partial_json as partial_json;
pub use windlass_protocol as protocol;
pub use windlass_sse as sse;
pub use windlass_stream as stream;
pub use windlass_text_calls as text_calls;
pub use windlass_wire as wire;
pub use windlass_wire_anthropic as wire_anthropic;
pub use windlass_wire_gemini as wire_gemini;
pub use windlass_wire_openai_chat as wire_openai_chat;
pub use windlass_wire_openai_responses as wire_openai_responses;

pub use windlass_hitl as hitl;
pub use windlass_redact as redact;
pub use windlass_sandbox as sandbox;
pub use windlass_schema as schema;
pub use windlass_tool as tool;
pub use windlass_toolbox as toolbox;
pub use windlass_tools_control as tools_control;
pub use windlass_tools_edit as tools_edit;
pub use windlass_tools_fs as tools_fs;
pub use windlass_tools_search as tools_search;
pub use windlass_tools_shell as tools_shell;
pub use windlass_tools_web as tools_web;

pub use windlass_agent as agent;
pub use windlass_cassette as cassette;
pub use windlass_checkpoint as checkpoint;
pub use windlass_gateway as gateway;
pub use windlass_journal as journal;
pub use windlass_loop as turn;
pub use windlass_mcp as mcp;
pub use windlass_subagent as subagent;
pub use windlass_telemetry as telemetry;
pub use windlass_workflow as workflow;

/// The project's README, whose example is compiled as a test.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
pub struct ReadMe;
