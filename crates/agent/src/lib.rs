#![doc = include_str!("../README.md")]
#![expect(clippy::disallowed_methods, reason = "the agent is where the machine meets the clock")]

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
mod hook;
mod hook_set;
#[cfg(feature = "kit")]
pub mod kit;
mod lessons;
mod messages;
mod nested;
mod on_behalf;
mod options;
mod outbox;
mod own_run;
mod previews;
mod redacting;
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

pub use agent::Agent;
pub use agent_tool::AgentTool;
pub use approver::{
    AnswerRefused, Answers, ApproveAll, Approver, ApproverFuture, ApproverReply, ChannelApprover, DenyAll,
    ModelReviewer, OpenQuestion, Questions, StoredAnswers,
};
#[cfg(unix)]
pub use approver::{ApprovalFolderError, FileApprover, RefusedFile, RefusedFileReason};
pub use builder::AgentBuilder;
pub use call_batch::{BatchReport, CallBatch};
pub use calling_run::CallingRun;
pub use checkpointer::{CheckpointFailed, CheckpointFuture, Checkpointer, WithoutCheckpoint};
pub use error::AgentError;
pub use hand_off::HandOffTool;
pub use hook::{AnswerText, EndedCall, Hook, HookContext, HookFuture, HookVerdict, HookedCall, RequestEnd};
pub use lessons::ApprovalHistoryStore;
pub use messages::{MessageReceiver, MessageSender, SendError};
pub use options::RunOptions;
pub use report::Report;
pub use run_handle::{EventBufferLimits, NumberedEvent, RunHandle, RunReader};
pub use session::*;
pub use shared_budget::SharedBudget;
pub use shared_grants::SharedGrants;
pub use step_runner::{CallReport, StepOptions, StepRunner};
pub use stream::EventStream;
pub use summarizer::Summarizer;
pub use windlass_loop::{
    Budget, CallIndex, CallStart, Condense, ContextLimits, ContextPressure, DeliverAt, Entry, Event,
    HookAction, HookPoint, HookReport, ImportedTranscript, InterruptId, InterruptReason, Limits, Mend,
    Outcome, Prices, RunOrigin, StopCause, Transcript, UnansweredPolicy, UnknownEffects, Used, Wait,
};
pub use windlass_tokens::CountTokens;
