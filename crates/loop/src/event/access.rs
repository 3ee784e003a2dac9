//! The name of an event, and its content independent of its variant.

use windlass_protocol::{CallId, ToolCall, ToolResult};

use super::Event;

/// Implements the names of events by one list, which the compiler compares with the variants.
macro_rules! names {
    ($($variant:ident => $name:literal,)*) => {
        impl Event {
            /// The names of all events in JSON, in the order of the variants.
            ///
            /// `Event` is `non_exhaustive`, so a reader that matches it has an arm for events that it does not know. A test
            /// of the reader that compares its own list of events with this one fails when a version adds an event.
            ///
            /// ```
            /// use windlass_loop::Event;
            ///
            /// /// Returns the text that a line of output gets for an event.
            /// fn to_line(event: &Event) -> Option<String> {
            ///     match event {
            ///         Event::Text { text } => Some(text.clone()),
            ///         Event::CallRunning { call } => Some(format!("[{call} runs]")),
            ///         Event::AnswerRefused { reason } => Some(format!("[refused: {reason}]")),
            ///         // Later versions add events.
            ///         _ => None,
            ///     }
            /// }
            /// assert_eq!(to_line(&Event::Text { text: "Done.".to_owned() }).as_deref(), Some("Done."));
            /// ```
            pub const NAMES: &'static [&'static str] = &[$($name,)*];

            /// Returns the name of the event in JSON, for example `call_ended`.
            pub fn name(&self) -> &'static str {
                match self {
                    $(Self::$variant { .. } => $name,)*
                }
            }
        }
    };
}

names! {
    TurnStarted => "turn_started",
    ProtocolChanged => "protocol_changed",
    ModeChanged => "mode_changed",
    Text => "text",
    TextEnded => "text_ended",
    Reasoning => "reasoning",
    ReasoningEnded => "reasoning_ended",
    CallStarted => "call_started",
    CallArguments => "call_arguments",
    CallPreview => "call_preview",
    CallFinished => "call_finished",
    CallCoerced => "call_coerced",
    CallRepaired => "call_repaired",
    CallRefusedEarly => "call_refused_early",
    CallMalformed => "call_malformed",
    HostedCall => "hosted_call",
    HostedResult => "hosted_result",
    AttemptDiscarded => "attempt_discarded",
    CallTakenUp => "call_taken_up",
    AnswerEnded => "answer_ended",
    Decided => "decided",
    ToolApprovalRequest => "tool_approval_request",
    ApprovalEnded => "approval_ended",
    CallEdited => "call_edited",
    AnswerRefused => "answer_refused",
    CallRunning => "call_running",
    CallProgress => "call_progress",
    CallNote => "call_note",
    AgentEvent => "agent_event",
    HandOff => "hand_off",
    CallEnded => "call_ended",
    ApprovalPostponed => "approval_postponed",
    CallDeferred => "call_deferred",
    Checkpoint => "checkpoint",
    CheckpointFailed => "checkpoint_failed",
    TurnDiff => "turn_diff",
    RunDiff => "run_diff",
    MessageQueued => "message_queued",
    Said => "said",
    MessageRepeated => "message_repeated",
    MessageRefused => "message_refused",
    CompletionProposed => "completion_proposed",
    TaskCompleted => "task_completed",
    ContextFilling => "context_filling",
    ContextCondensing => "context_condensing",
    ContextCompacted => "context_compacted",
    ImagesRemoved => "images_removed",
    Nudged => "nudged",
    Hook => "hook",
    Withheld => "withheld",
    Finished => "finished",
}

impl Event {
    /// Returns the text that the event adds to the answer for a person, without reasoning and the output of tools.
    pub fn text_delta(&self) -> Option<&str> {
        match self {
            Self::Text { text } => Some(text),
            _ => None,
        }
    }

    /// Returns the call that has arrived completely: from the model, or from the record of a resumed run.
    pub fn new_call(&self) -> Option<&ToolCall> {
        match self {
            Self::CallFinished { call } | Self::CallTakenUp { call } => Some(call),
            _ => None,
        }
    }

    /// Returns the result of the call that has ended.
    pub fn call_result(&self) -> Option<&ToolResult> {
        match self {
            Self::CallEnded { result } => Some(result),
            _ => None,
        }
    }

    /// Returns the id of the tool call that the event is about, also for an event of an agent that the call started.
    pub fn call_id(&self) -> Option<&CallId> {
        match self {
            Self::CallStarted { call, .. }
            | Self::CallArguments { call, .. }
            | Self::CallPreview { call, .. }
            | Self::CallCoerced { call, .. }
            | Self::CallRepaired { call, .. }
            | Self::CallRefusedEarly { call, .. }
            | Self::CallMalformed { call, .. }
            | Self::Decided { call, .. }
            | Self::CallRunning { call }
            | Self::CallProgress { call, .. }
            | Self::CallNote { call, .. }
            | Self::AgentEvent { call, .. }
            | Self::CallDeferred { call }
            | Self::CompletionProposed { call, .. } => Some(call),
            Self::CallFinished { call } | Self::CallTakenUp { call } | Self::CallEdited { call } => {
                Some(&call.id)
            }
            Self::CallEnded { result } => Some(&result.call),
            Self::ToolApprovalRequest { request, .. } => Some(&request.call.id),
            Self::ApprovalEnded { .. }
            | Self::TurnStarted { .. }
            | Self::ProtocolChanged { .. }
            | Self::ModeChanged { .. }
            | Self::Text { .. }
            | Self::TextEnded
            | Self::Reasoning { .. }
            | Self::ReasoningEnded
            | Self::HostedCall { .. }
            | Self::HostedResult { .. }
            | Self::AttemptDiscarded { .. }
            | Self::AnswerEnded { .. }
            | Self::AnswerRefused { .. }
            | Self::HandOff { .. }
            | Self::ApprovalPostponed { .. }
            | Self::Checkpoint { .. }
            | Self::CheckpointFailed { .. }
            | Self::TurnDiff { .. }
            | Self::RunDiff { .. }
            | Self::MessageQueued { .. }
            | Self::Said { .. }
            | Self::MessageRepeated { .. }
            | Self::MessageRefused { .. }
            | Self::TaskCompleted { .. }
            | Self::ContextFilling { .. }
            | Self::ContextCondensing
            | Self::ContextCompacted { .. }
            | Self::ImagesRemoved { .. }
            | Self::Nudged { .. }
            | Self::Hook { .. }
            | Self::Withheld { .. }
            | Self::Finished { .. } => None,
        }
    }
}

#[cfg(test)]
mod tests;
