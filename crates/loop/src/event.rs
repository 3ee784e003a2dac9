//! What a watcher is told.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use windlass_assemble::Repair;
use windlass_hitl::{ApprovalOutcome, ApprovalRequest, Decision};
use windlass_protocol::{CallId, Risk, StopReason, ToolCall, ToolName, ToolProtocol, ToolResult, Usage};
use windlass_stream::CallKey;

use crate::{Fill, Moment, Outcome};

/// What a watcher is told, in the order in which it happens.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Event {
    /// The model is asked.
    TurnStarted {
        /// The turn's number, from 1.
        turn: u32,
        /// How calls reach it.
        #[serde(default)]
        protocol: ToolProtocol,
    },
    /// The provider refused the way in which calls reach the model; the same turn goes on with another.
    ProtocolChanged {
        /// How calls reach the model now.
        protocol: ToolProtocol,
        /// The provider's words.
        reason: String,
    },
    /// The run is in another mode.
    ModeChanged {
        /// Its slug.
        mode: String,
    },
    /// More words of the model.
    Text {
        /// The words that were added.
        text: String,
    },
    /// More thoughts of the model.
    Reasoning {
        /// The words that were added.
        text: String,
    },
    /// The model begins to write a call.
    CallStarted {
        /// The call's place in its answer.
        key: CallKey,
        /// The tool's name, as the model wrote it.
        name: ToolName,
    },
    /// More of a call's arguments.
    CallArguments {
        /// The call's place in its answer.
        key: CallKey,
        /// The text that was added.
        delta: String,
    },
    /// A tool shows what a call that still arrives is about. Nobody has decided about it.
    CallPreview {
        /// The call's place in its answer.
        key: CallKey,
        /// In the tool's own words.
        text: String,
    },
    /// A call is whole.
    CallFinished {
        /// The call's place in its answer.
        key: CallKey,
        /// The call.
        call: ToolCall,
    },
    /// Arguments did not fit the tool's schema and could be read so that they do; what is judged and run is that
    /// (RULES J9).
    CallCoerced {
        /// Which call.
        call: CallId,
        /// Each change, in words.
        changes: Vec<String>,
    },
    /// What a call's arguments were repaired of; what is judged and run is the repaired text.
    CallRepaired {
        /// The call's place in its answer.
        key: CallKey,
        /// What was repaired.
        repairs: Vec<Repair>,
    },
    /// A call is sure to be refused although it still streams. Where nothing else streams either, the answer is
    /// stopped.
    CallRefusedEarly {
        /// The call's place in its answer.
        key: CallKey,
        /// Why.
        problem: String,
    },
    /// A call cannot be run; its result says why.
    CallMalformed {
        /// The call's place in its answer.
        key: CallKey,
        /// What is wrong with it.
        problem: String,
    },
    /// What was received of an answer is void; it is asked for again.
    AttemptDiscarded {
        /// Why.
        reason: String,
        /// How long until then, in milliseconds.
        delay_ms: u64,
    },
    /// A call under the id that counts from here on, where no `CallFinished` of this process told it: its own id was
    /// there before, or its answer is on record and the run goes on with it.
    CallTakenUp {
        /// The call.
        call: ToolCall,
    },
    /// The answer ended, and is no void one.
    AnswerEnded {
        /// Why it ended, if the provider said so.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        stop: Option<StopReason>,
        /// The answer's tokens.
        usage: Usage,
        /// The run's tokens so far.
        total: Usage,
    },
    /// Policy has decided about a call.
    Decided {
        /// The call's id.
        call: CallId,
        /// The decision, with its rule.
        decision: Decision,
    },
    /// The human is asked whether a call may run. What a small window needs stands beside the whole question.
    ToolApprovalRequest {
        /// The question's id, by which it is answered.
        request_id: String,
        /// The tool's name in the registry.
        tool_name: ToolName,
        /// What the call is made with; a text where its kind has no object.
        args: Value,
        /// How much harm it could do.
        risk_level: Risk,
        /// Whether the answer can stand for calls like it, too.
        can_learn: bool,
        /// The whole question: what the call would do, what it meets and changes, and which rule asks.
        request: Box<ApprovalRequest>,
    },
    /// An approval request has ended.
    ApprovalEnded {
        /// How.
        outcome: ApprovalOutcome,
    },
    /// An answer came to a question that nobody asked, or too late.
    AnswerRefused {
        /// Why it does not count.
        reason: String,
    },
    /// A call runs.
    CallRunning {
        /// The call's id.
        call: CallId,
    },
    /// A call tells how it goes. A driver may leave out text that nobody reads in time; the text then says how many
    /// bytes are missing.
    CallProgress {
        /// The call's id.
        call: CallId,
        /// In its own words.
        text: String,
    },
    /// Something happened to an agent that a call has given work to. None of these events is left out: an agent waits
    /// while the reader of the root's events is behind.
    AgentEvent {
        /// The call's id.
        call: CallId,
        /// The agents from the one that the call began down to the one that it happened to.
        agents: Vec<String>,
        /// What happened: an event like these, as JSON.
        happened: Value,
    },
    /// A call has its result.
    CallEnded {
        /// The result.
        result: ToolResult,
    },
    /// Nobody answers this question here; it stays open, and the run is suspended when nothing else is left to do.
    ApprovalPostponed {
        /// The question.
        request_id: String,
    },
    /// A call goes on without this process; its result comes from outside.
    CallDeferred {
        /// The call's id.
        call: CallId,
    },
    /// What the workspace was before the turn's first call that may change it is kept.
    Checkpoint {
        /// The turn.
        turn: u32,
        /// The checkpoint's name.
        id: String,
    },
    /// There is no checkpoint, or no diff of what changed.
    CheckpointFailed {
        /// The turn.
        turn: u32,
        /// Why.
        problem: String,
    },
    /// What the calls of a turn changed, net.
    TurnDiff {
        /// The turn.
        turn: u32,
        /// A unified diff.
        diff: String,
    },
    /// What the run changed, net.
    RunDiff {
        /// A unified diff.
        diff: String,
    },
    /// What was said to the run is written down, and is said to the model when its moment comes.
    MessageQueued {
        /// The id that it came with.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        id: Option<String>,
        /// In these words.
        text: String,
        /// When it is said to the model.
        when: Moment,
    },
    /// What was said while the run worked is now said to the model.
    Said {
        /// In these words.
        text: String,
    },
    /// A message came again under an id that is on record. It is not said a second time.
    MessageRepeated {
        /// The id.
        id: String,
    },
    /// What was to be said is not taken.
    MessageRefused {
        /// The id that it came with.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        id: Option<String>,
        /// Why.
        reason: String,
    },
    /// The model says that the task is done; its result may still be refused.
    CompletionProposed {
        /// The call.
        call: CallId,
        /// What it says about the task.
        text: String,
    },
    /// The task is done, and its result is accepted.
    TaskCompleted {
        /// What the model says about it.
        text: String,
        /// The run's tokens, which are final for this task.
        usage: Usage,
    },
    /// The model's window has become fuller, or has room again.
    ContextFilling {
        /// Tokens of the next request, counted by the provider but for what is new.
        used: u64,
        /// Tokens of the window.
        window: u64,
        /// How full it is.
        fill: Fill,
        /// Whether what is new was estimated: the model's tokenizer is not known.
        #[serde(default)]
        is_estimate: bool,
    },
    /// The model is asked to sum up turns that are to be left out.
    ContextCondensing,
    /// The conversation was made shorter.
    ContextCompacted {
        /// Tokens of the next request before.
        before: u64,
        /// The same after.
        after: u64,
        /// How many results were left out.
        results: usize,
        /// How many messages were left out.
        messages: usize,
        /// Tokens of the summary, where the model made one.
        #[serde(default)]
        usage: Usage,
    },
    /// The provider refused a picture: words take the place of the newest pictures, and the model is asked again.
    ImagesRemoved {
        /// The number of pictures that were replaced.
        images: usize,
        /// The provider's words.
        reason: String,
    },
    /// The model is told to go on, and how.
    Nudged {
        /// In these words.
        text: String,
    },
    /// The run is over.
    Finished {
        /// How.
        outcome: Outcome,
        /// The run's tokens.
        total: Usage,
    },
}
