#![doc = include_str!("../README.md")]
#![expect(clippy::disallowed_methods, reason = "the agent is where the machine meets the clock")]
#![cfg_attr(docsrs, feature(doc_cfg))]

mod agent;
mod agent_inner;
mod agent_tool;
mod approver;
mod asking;
mod builder;
mod call_batch;
mod call_guard;
mod calling_run;
mod checkpointer;
mod command_runner;
mod driver;
mod error;
mod hand_off;
mod hand_off_slot;
mod hook;
mod hook_set;
#[cfg(feature = "kit")]
pub mod kit;
mod lessons;
mod messages;
mod nested;
mod on_behalf;
mod open_approvals;
mod options;
mod outbox;
mod own_run;
mod previews;
mod redacting;
mod reexports;
mod report;
mod run_handle;
mod run_journal;
mod session;
mod shared_budget;
mod shared_grants;
mod speech_options;
mod step_runner;
mod stream;
mod summarizer;
mod taint;
mod tools;

pub use call_batch::{BatchReport, CallBatch};
pub use checkpointer::{CheckpointFailed, CheckpointFuture, Checkpointer, WithoutCheckpoint};
pub use messages::{MessageReceiver, MessageSender, SendError};
pub use options::*;
pub use reexports::*;
pub use run_handle::{EventBufferLimits, NumberedEvent, RunHandle, RunReader};
pub use session::*;
pub use step_runner::{CallReport, StepOptions, StepRunner};
pub use {agent::Agent, agent_tool::AgentTool, builder::AgentBuilder, error::AgentError};
pub use {approver::*, hook::*};
pub use {calling_run::CallingRun, lessons::ApprovalHistoryStore, open_approvals::open_approvals};
pub use {hand_off::HandOffTool, report::Report, stream::EventStream, summarizer::Summarizer};
pub use {shared_budget::SharedBudget, shared_grants::SharedGrants};
