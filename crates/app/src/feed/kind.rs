//! The kinds of events.

mod numbering;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::card::{CitedSource, MessageSource, Question, QuestionEnd, RunOutcome, Tokens};

/// Kind of an event, with its data. Kinds whose description begins with "Delta" have no number of their own and
/// are not stored; every other kind is numbered and read again.
///
/// A turn streams as deltas. Its whole texts and calls follow as numbered events when the answer is complete:
/// [`Reasoning`](Self::Reasoning), [`Text`](Self::Text) and [`Call`](Self::Call) in the order of the answer, then
/// [`TurnEnded`](Self::TurnEnded). A reader replaces the streamed texts of the turn by the numbered ones. After
/// [`Retry`](Self::Retry) the streamed texts of the turn are void.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
#[non_exhaustive]
pub enum FeedKind {
    /// A run of the session started.
    RunStarted {
        /// The task in words.
        task: String,
        /// The pictures and files of the task, by their names or kinds.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        files: Vec<String>,
        /// Id of the earlier run of the session that this run continues.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        parent: Option<String>,
    },
    /// The conversation that precedes the task was taken from an earlier run.
    HistoryImported {
        /// Number of messages.
        messages: usize,
    },
    /// Another process resumed the run.
    RunResumed {
        /// Number of resumes, including this one.
        generation: u32,
    },
    /// The run ended. A run that did not complete can be resumed.
    RunEnded {
        /// The outcome.
        outcome: RunOutcome,
        /// The tokens and the cost of the run, with those of its sub-agents. The event of a sub-agent has its own only.
        total: Tokens,
    },
    /// A message other than a result was added to the conversation.
    Message {
        /// The text.
        text: String,
        /// The origin of the message.
        source: MessageSource,
        /// Names or kinds of the pictures and files of the message.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        files: Vec<String>,
    },
    /// A person's message was accepted and waits for its moment.
    MessageQueued {
        /// Id of the message.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        id: Option<String>,
        /// The text.
        text: String,
        /// True if the message becomes the next task after the current one.
        after_task: bool,
        /// Names or kinds of the pictures and files of the message.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        files: Vec<String>,
    },
    /// The mode of the run changed.
    Mode {
        /// The slug of the mode.
        mode: String,
    },
    /// The provider refused the form in which calls were exchanged, and the run uses another one.
    ProtocolChanged {
        /// The new form: `native`, `structured` or `text`.
        protocol: String,
    },
    /// Delta: a request was sent to the model.
    TurnStarted {
        /// The number of the turn, from 1.
        turn: u32,
    },
    /// Delta: the model sent more reasoning.
    ReasoningDelta {
        /// The number of the turn.
        turn: u32,
        /// Position among the reasoning texts of the turn, from 0.
        index: u32,
        /// Bytes of the same text before this delta. Zero in the first delta of a reader that joins late.
        offset: u64,
        /// The text that was added.
        text: String,
        /// Number of deltas that were merged into this one.
        #[serde(default, skip_serializing_if = "is_zero")]
        merged: u32,
    },
    /// Delta: the reasoning is complete; text that follows is another one.
    ReasoningEnded {
        /// The number of the turn.
        turn: u32,
        /// Position among the reasoning texts of the turn.
        index: u32,
    },
    /// Delta: the model sent more text.
    TextDelta {
        /// The number of the turn.
        turn: u32,
        /// Position among the texts of the turn, from 0.
        index: u32,
        /// Bytes of the same text before this delta. Zero in the first delta of a reader that joins late.
        offset: u64,
        /// The text that was added.
        text: String,
        /// Number of deltas that were merged into this one.
        #[serde(default, skip_serializing_if = "is_zero")]
        merged: u32,
    },
    /// Delta: the text is complete; text that follows is another one.
    TextEnded {
        /// The number of the turn.
        turn: u32,
        /// Position among the texts of the turn.
        index: u32,
    },
    /// Delta: the model started to write a call.
    CallStarted {
        /// Id of the call, which all its later events have.
        call: String,
        /// The name of the tool, as the model wrote it.
        tool: String,
    },
    /// Delta: the model sent more of a call's arguments.
    ArgumentsDelta {
        /// Id of the call.
        call: String,
        /// Bytes of the arguments before this delta. Zero in the first delta of a reader that joins late.
        offset: u64,
        /// The text that was added.
        text: String,
        /// Number of deltas that were merged into this one.
        #[serde(default, skip_serializing_if = "is_zero")]
        merged: u32,
    },
    /// Delta: the arguments of a call are complete.
    ArgumentsEnded {
        /// Id of the call.
        call: String,
    },
    /// Delta: a remark about a call: a preview of the tool, a repair of arguments, or an early refusal.
    CallNote {
        /// Id of the call.
        call: String,
        /// The remark.
        text: String,
    },
    /// Delta: output of a running call.
    CallOutput {
        /// Id of the call.
        call: String,
        /// The text that was added.
        text: String,
        /// Number of deltas that were merged into this one.
        #[serde(default, skip_serializing_if = "is_zero")]
        merged: u32,
        /// Bytes that were left out of this delta, because the reader was slow or joined late.
        #[serde(default, skip_serializing_if = "is_zero_bytes")]
        left_out: u64,
    },
    /// Whole reasoning of an answer.
    Reasoning {
        /// The number of the turn.
        turn: u32,
        /// The text.
        text: String,
    },
    /// Whole text of an answer.
    Text {
        /// The number of the turn.
        turn: u32,
        /// The text.
        text: String,
        /// The sources that the provider names for the text, each once. Empty for the texts of sub-agents.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        sources: Vec<CitedSource>,
    },
    /// A call of an answer, with all its arguments.
    Call {
        /// The number of the turn.
        turn: u32,
        /// Id of the call.
        call: String,
        /// The name of the tool, as the model wrote it.
        tool: String,
        /// The arguments as a JSON object, or the text of a call that takes text.
        arguments: Value,
    },
    /// A call that the provider runs itself, without a decision of policy. It precedes the whole texts of its turn, and
    /// stays valid after [`Retry`](Self::Retry).
    HostedCall {
        /// The number of the turn.
        turn: u32,
        /// The provider's id of the call; an empty text if the provider sends none.
        call: String,
        /// The name of the tool, as the provider writes it.
        tool: String,
        /// The label of the MCP server that has the tool.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        server: Option<String>,
        /// The arguments in the form of the provider.
        #[serde(default, skip_serializing_if = "Value::is_null")]
        arguments: Value,
    },
    /// A call that the provider ran has ended. Its content is not in the feed.
    HostedResult {
        /// The number of the turn.
        turn: u32,
        /// The provider's id of the call; an empty text if the provider sends none.
        call: String,
        /// The name of the tool, as far as the provider repeats it.
        tool: String,
        /// The provider's description or code of the failure; missing if the call succeeded.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        error: Option<String>,
    },
    /// The answer of a turn is complete.
    TurnEnded {
        /// The number of the turn.
        turn: u32,
        /// The reason that the provider reported.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        stop: Option<String>,
        /// The answer's tokens and cost.
        usage: Tokens,
        /// The tokens and the cost of the run so far, with those of its sub-agents. The event of a sub-agent has its own
        /// only.
        total: Tokens,
    },
    /// An attempt at an answer failed. Its streamed texts are void, and the answer is requested again.
    Retry {
        /// The reason.
        reason: String,
        /// Delay before the next request in milliseconds.
        delay_ms: u64,
    },
    /// Policy decided about a call.
    Decision {
        /// Id of the call.
        call: String,
        /// `allow`, `ask` or `deny`.
        verdict: String,
        /// Id of the rule.
        rule: String,
        /// The origin of the rule: `builtin`, `admin`, `user`, `project`, `session`, `learned` or `code`.
        source: String,
        /// The explanation of the rule.
        reason: String,
        /// The risk of the call: `low`, `medium`, `high` or `critical`.
        risk: String,
    },
    /// A question to a person is open. It stays open until [`QuestionClosed`](Self::QuestionClosed).
    QuestionOpened {
        /// Id of the question, which the answer names.
        question: String,
        /// The question.
        #[serde(flatten)]
        card: Question,
    },
    /// The process that asked did not get an answer. The question stays open, and the run is suspended when no other
    /// work is left.
    QuestionPostponed {
        /// Id of the question.
        question: String,
    },
    /// A question is closed.
    QuestionClosed {
        /// Id of the question.
        question: String,
        /// The way in which it was closed.
        #[serde(flatten)]
        closing: QuestionEnd,
        /// Name of the window in which the answer was given, if it is known.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        by: Option<String>,
    },
    /// A call is about to run.
    CallRunning {
        /// Id of the call.
        call: String,
    },
    /// A call continues outside this process, which gets its result later.
    CallDeferred {
        /// Id of the call.
        call: String,
    },
    /// A call ended.
    Result {
        /// Id of the call.
        call: String,
        /// The status: `ok`, `error`, `denied` and others.
        status: String,
        /// The content for the model, as text.
        text: String,
        /// Number of pictures in the content.
        #[serde(default, skip_serializing_if = "is_zero")]
        images: u32,
    },
    /// The state of the workspace before the turn's first change was saved.
    Checkpoint {
        /// The number of the turn.
        turn: u32,
        /// Id of the checkpoint.
        id: String,
    },
    /// The net changes of a turn.
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
    /// The fill level of the model's window changed.
    Context {
        /// Tokens of the next request.
        used: u64,
        /// Size of the window in tokens.
        window: u64,
        /// `fine`, `warn` or `alert`.
        pressure: String,
    },
    /// The conversation was shortened.
    Compacted {
        /// Number of results that were removed.
        results: usize,
        /// True if older turns were replaced by a note or a summary.
        has_removed_turns: bool,
        /// The text that replaces the removed turns.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        note: Option<String>,
        /// Tokens of the next request before the change. Zero in records of earlier versions.
        #[serde(default, skip_serializing_if = "is_zero_bytes")]
        before: u64,
        /// Tokens of the next request after the change. Zero in records of earlier versions.
        #[serde(default, skip_serializing_if = "is_zero_bytes")]
        after: u64,
    },
    /// The provider refused a picture, and words replaced it.
    ImagesRemoved {
        /// The provider's message.
        reason: String,
    },
    /// A remark for the person: a refused answer or message, or a failed checkpoint.
    Notice {
        /// The remark.
        text: String,
    },
    /// The run cannot continue in this process. It can be resumed.
    Error {
        /// The error.
        message: String,
    },
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it so")]
fn is_zero(number: &u32) -> bool {
    *number == 0
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it so")]
fn is_zero_bytes(number: &u64) -> bool {
    *number == 0
}
