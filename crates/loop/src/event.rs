//! The events for observers of a run.

mod access;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use windlass_assemble::Repair;
use windlass_hitl::{ApprovalOutcome, ApprovalRequest, Decision};
use windlass_protocol::{
    CallId, HostedCall, HostedResult, Risk, StopReason, ToolCall, ToolName, ToolProtocol, ToolResult, Usage,
};

use crate::entry::is_zero;
use crate::{ContextPressure, DeliverAt, HookReport, Outcome};

/// An event for observers, such as a user interface or telemetry. Events are emitted in the order in which
/// they happen.
///
/// A turn begins with [`TurnStarted`](Self::TurnStarted). A call passes `CallStarted`, `CallArguments`,
/// `CallFinished`, `Decided`, `CallRunning` and `CallEnded`, unless it is refused, denied or deferred; each of these
/// events has its id. [`AttemptDiscarded`](Self::AttemptDiscarded) voids the text and the calls of the present
/// answer. [`Finished`](Self::Finished) ends the run, also a run that is suspended.
///
/// Later versions add events, so a reader has an arm for the rest; [`NAMES`](Self::NAMES) has an example.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Event {
    /// A turn starts: the machine sends a request to the model.
    TurnStarted {
        /// The turn's number, from 1.
        turn: u32,
        /// The protocol in which calls reach the model.
        #[serde(default)]
        protocol: ToolProtocol,
    },
    /// The provider refused the protocol in which calls reach the model. The turn continues with another
    /// protocol.
    ProtocolChanged {
        /// The new protocol.
        protocol: ToolProtocol,
        /// The provider's message.
        reason: String,
    },
    /// The mode of the run has changed.
    ModeChanged {
        /// The slug of the new mode.
        mode: String,
    },
    /// The model has sent more text.
    Text {
        /// The text that was added.
        text: String,
    },
    /// The text that was sent in [`Text`](Self::Text) events is complete. Text that follows is another
    /// paragraph or part.
    TextEnded,
    /// The model has sent more reasoning.
    Reasoning {
        /// The text that was added.
        text: String,
    },
    /// The reasoning that was sent in [`Reasoning`](Self::Reasoning) events is complete.
    ReasoningEnded,
    /// The model has started to write a call.
    CallStarted {
        /// The call's id, which every later event of the call has too. A discarded attempt frees its ids.
        call: CallId,
        /// The tool's name, as the model wrote it.
        name: ToolName,
    },
    /// The model has sent more of a call's arguments.
    CallArguments {
        /// The call's id.
        call: CallId,
        /// The text that was added.
        delta: String,
    },
    /// A tool's preview of a call whose arguments still arrive. Policy has not decided about the call yet.
    CallPreview {
        /// The call's id.
        call: CallId,
        /// The preview in the tool's own words.
        text: String,
    },
    /// A call has arrived completely.
    CallFinished {
        /// The call.
        call: ToolCall,
    },
    /// Arguments did not match the tool's schema and were converted to match it. Policy decides about the
    /// converted arguments, and the tool runs with them (RULES J9).
    CallCoerced {
        /// The id of the call.
        call: CallId,
        /// A description of each change.
        changes: Vec<String>,
    },
    /// A call's arguments were not valid JSON and were repaired. Policy decides about the repaired arguments,
    /// and the tool runs with them.
    CallRepaired {
        /// The call's id.
        call: CallId,
        /// The repairs.
        repairs: Vec<Repair>,
    },
    /// A call is certain to be refused although it still streams. If no other call streams, the answer is
    /// stopped.
    CallRefusedEarly {
        /// The call's id.
        call: CallId,
        /// The reason.
        problem: String,
    },
    /// A call cannot be run. Its result explains the problem to the model.
    CallMalformed {
        /// The call's id.
        call: CallId,
        /// The problem.
        problem: String,
    },
    /// The provider has run a call itself. No call of this process has its id.
    HostedCall {
        /// The call.
        call: HostedCall,
    },
    /// A call that the provider ran has ended.
    HostedResult {
        /// The result.
        result: HostedResult,
    },
    /// An attempt at an answer is void, and the answer is requested again.
    AttemptDiscarded {
        /// The reason.
        reason: String,
        /// The delay before the next request, in milliseconds.
        delay_ms: u64,
    },
    /// Announces a call that no `CallFinished` of this process announced, because its answer is from the record
    /// of a resumed run.
    CallTakenUp {
        /// The call.
        call: ToolCall,
    },
    /// An answer ended and is valid.
    AnswerEnded {
        /// The reason that the provider reported.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        stop: Option<StopReason>,
        /// The answer's tokens.
        #[serde(default, skip_serializing_if = "Usage::is_unreported")]
        usage: Usage,
        /// The run's tokens so far.
        #[serde(default, skip_serializing_if = "Usage::is_unreported")]
        total: Usage,
        /// The cost of the answer in millionths, at the prices of the model that answered.
        #[serde(default, skip_serializing_if = "is_zero")]
        cost: u64,
        /// The run's cost so far in millionths.
        #[serde(default, skip_serializing_if = "is_zero")]
        total_cost: u64,
    },
    /// Policy has decided about a call.
    Decided {
        /// The call's id.
        call: CallId,
        /// The decision, with its rule.
        decision: Decision,
    },
    /// The human is asked whether a call may run. The fields beside `request` are sufficient for a short
    /// dialog.
    ToolApprovalRequest {
        /// The request's id, which the answer repeats.
        request_id: String,
        /// The tool's name in the registry.
        tool_name: ToolName,
        /// The arguments of the call as a JSON object, or the text of a call that takes text.
        args: Value,
        /// The risk of the call.
        risk_level: Risk,
        /// True if the answer can also apply to similar calls.
        can_learn: bool,
        /// The whole request: the effects of the call, the files and addresses that it accesses, and the rule
        /// that asks.
        request: Box<ApprovalRequest>,
    },
    /// An approval request has ended.
    ApprovalEnded {
        /// The outcome.
        outcome: ApprovalOutcome,
    },
    /// The human approved a call with changed arguments. The changed call is decided again, and runs if policy or
    /// the human allows it.
    CallEdited {
        /// The changed call.
        call: ToolCall,
    },
    /// An answer was refused, because its question is not open or the answer came too late.
    AnswerRefused {
        /// The reason.
        reason: String,
    },
    /// A call has started to run.
    CallRunning {
        /// The call's id.
        call: CallId,
    },
    /// The next piece of a running call's output. A driver may drop text if the reader of the events is slow; the
    /// text then contains the number of missing bytes.
    CallProgress {
        /// The call's id.
        call: CallId,
        /// The text that was added.
        text: String,
    },
    /// A running call describes its current activity. The description replaces an earlier one of the call.
    CallNote {
        /// The call's id.
        call: CallId,
        /// The description in the tool's own words.
        text: String,
    },
    /// An event of an agent that a call started. These events are never dropped: an agent waits while the
    /// reader of the root's events is slow.
    AgentEvent {
        /// The call's id.
        call: CallId,
        /// The path of agents from the one that the call started to the one that emitted the event.
        agents: Vec<String>,
        /// The event of that agent, as JSON.
        happened: Value,
    },
    /// The conversation was transferred to another agent, which answers from here.
    HandOff {
        /// The name of the agent.
        agent: String,
    },
    /// A call has ended.
    CallEnded {
        /// The result.
        result: ToolResult,
    },
    /// An approval request was not answered in this process. It stays open, and the run is suspended when no
    /// other work is left.
    ApprovalPostponed {
        /// The request's id.
        request_id: String,
    },
    /// A call continues outside this process, which will deliver its result later.
    CallDeferred {
        /// The call's id.
        call: CallId,
    },
    /// The state of the workspace before the turn's first call that may change it has been saved.
    Checkpoint {
        /// The number of the turn.
        turn: u32,
        /// The id of the checkpoint.
        id: String,
    },
    /// A checkpoint or a diff of the changes could not be made.
    CheckpointFailed {
        /// The number of the turn.
        turn: u32,
        /// The problem.
        problem: String,
    },
    /// The net changes that the calls of a turn made.
    TurnDiff {
        /// The number of the turn.
        turn: u32,
        /// A unified diff.
        diff: String,
    },
    /// The net changes of the run.
    RunDiff {
        /// A unified diff.
        diff: String,
    },
    /// A message for the model has been recorded and will be sent at its moment.
    MessageQueued {
        /// The id of the message.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        id: Option<String>,
        /// The message.
        text: String,
        /// The moment at which the model receives it.
        when: DeliverAt,
    },
    /// A queued message has been added to the conversation.
    Said {
        /// The message.
        text: String,
    },
    /// A message arrived again under a recorded id and is dropped.
    MessageRepeated {
        /// The id of the message.
        id: String,
    },
    /// A message for the model is refused.
    MessageRefused {
        /// The id of the message.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        id: Option<String>,
        /// The reason.
        reason: String,
    },
    /// The model proposes that the task is done. The proposal can still be refused.
    CompletionProposed {
        /// The call.
        call: CallId,
        /// The model's summary of its work.
        text: String,
    },
    /// The task is done, and the model's completion has been accepted.
    TaskCompleted {
        /// The model's summary of its work.
        text: String,
        /// The run's tokens, which are final for this task.
        #[serde(default, skip_serializing_if = "Usage::is_unreported")]
        usage: Usage,
    },
    /// The fill level of the model's window has changed.
    ContextFilling {
        /// Tokens of the next request: the provider's count, with an estimate for the messages since.
        used: u64,
        /// Size of the window in tokens.
        window: u64,
        /// The new fill level.
        #[serde(rename = "fill")]
        pressure: ContextPressure,
        /// True if the text of new messages was estimated, because the model's tokenizer is unknown. Of a text
        /// over a mebibyte, only the first mebibyte is counted, and the rest is extrapolated.
        #[serde(default)]
        is_estimate: bool,
    },
    /// The model is asked for a summary of the turns that will be removed.
    ContextCondensing,
    /// The conversation was shortened.
    ContextCompacted {
        /// Tokens of the next request before the change.
        before: u64,
        /// Tokens of the next request after the change.
        after: u64,
        /// Number of results that were removed.
        results: usize,
        /// Number of messages that were removed.
        messages: usize,
        /// Tokens of the summary; zero without one.
        #[serde(default, skip_serializing_if = "Usage::is_unreported")]
        usage: Usage,
    },
    /// The provider refused a picture. Words replace the newest pictures, and the request is sent again.
    ImagesRemoved {
        /// The number of pictures that were replaced.
        images: usize,
        /// The provider's message.
        reason: String,
    },
    /// The machine added an instruction for the model to the conversation.
    Nudged {
        /// The instruction.
        text: String,
    },
    /// A hook of the program changed the course of the run.
    Hook {
        /// The report of the hook.
        report: HookReport,
    },
    /// Replaces an event from which the driver could not remove secrets.
    Withheld {
        /// The name of the replaced event in JSON, for example `call_ended`.
        name: String,
    },
    /// The run is over.
    Finished {
        /// The outcome.
        outcome: Outcome,
        /// The run's tokens.
        #[serde(default, skip_serializing_if = "Usage::is_unreported")]
        total: Usage,
    },
}
