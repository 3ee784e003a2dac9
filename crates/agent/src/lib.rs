#![doc = include_str!("../README.md")]
#![expect(clippy::disallowed_methods, reason = "the agent is where the machine meets the clock")]

mod agent;
mod allowance;
mod approver;
mod asking;
mod builder;
mod calling_run;
mod checkpointer;
mod driver;
mod early;
mod error;
mod judging;
mod lessons;
mod messages;
mod on_behalf;
mod options;
mod outbox;
mod outside;
mod performing;
mod previews;
mod recorder;
mod redacting;
mod session;
mod stream;
mod tools;

pub use agent::{Agent, Report};
pub use allowance::Allowance;
pub use approver::{
    Answer, AnswerRefused, Answers, Approver, ApproverFuture, ChannelApprover, Everything, Nobody,
    OpenQuestion, Questions, StoredAnswers,
};
#[cfg(unix)]
pub use approver::{ApprovalFolderError, FileApprover, RefusedFile, RefusedFileReason};
pub use builder::AgentBuilder;
pub use calling_run::CallingRun;
pub use checkpointer::{CheckpointFailed, CheckpointFuture, Checkpointer, WithoutCheckpoint};
pub use error::AgentError;
pub use lessons::LearnedStore;
pub use messages::{Messages, NobodyHears, Speaker};
pub use options::RunOptions;
pub use performing::{Performed, Performing};
pub use session::Session;
pub use stream::EventStream;
pub use windlass_loop::{
    Budget, CallStart, Condense, ContextLimits, ContextPressure, DeliverAt, Entry, Event, Imported,
    InterruptId, InterruptReason, Limits, Mend, Outcome, Prices, RunOrigin, StopCause, Transcript,
    Unanswered, UnknownEffects, Used, Wait,
};
