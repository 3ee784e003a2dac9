//! Reports about hooks that changed the course of a run.

use std::fmt;

use serde::{Deserialize, Serialize};
use windlass_protocol::CallId;

/// Report that a hook of the program changed the course of a run. It is part of the record, and shown to
/// observers. A hook that changes nothing is not reported.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct HookReport {
    /// The name of the hook.
    pub hook: String,
    /// The point of the run at which the hook was called.
    pub point: HookPoint,
    /// The change.
    pub action: HookAction,
    /// The call that the hook was called for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub call: Option<CallId>,
    /// The hook's reason, or the new arguments or text of a rewrite.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub text: String,
}

/// Point of a run at which hooks are called.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum HookPoint {
    /// The task, or a message to the run, has arrived.
    Input,
    /// A request is about to be sent.
    Request,
    /// A request has ended, with an answer or with an error.
    Response,
    /// An answer is complete.
    Answer,
    /// A call is about to be decided.
    Call,
    /// A call has ended.
    Result,
    /// The conversation is about to be shortened.
    Compaction,
    /// The run has ended.
    End,
}

/// Change that a hook made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum HookAction {
    /// The hook refused.
    Veto,
    /// The hook changed the value.
    Rewrite,
    /// The hook demanded a human's answer.
    Ask,
}

impl HookReport {
    /// Creates a report.
    pub fn new(
        hook: impl Into<String>,
        point: HookPoint,
        action: HookAction,
        text: impl Into<String>,
    ) -> Self {
        Self { hook: hook.into(), point, action, call: None, text: text.into() }
    }

    /// Sets the call that the hook was called for.
    pub fn with_call(mut self, call: CallId) -> Self {
        self.call = Some(call);
        self
    }
}

impl fmt::Display for HookPoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Input => "input",
            Self::Request => "request",
            Self::Response => "response",
            Self::Answer => "answer",
            Self::Call => "call",
            Self::Result => "result",
            Self::Compaction => "compaction",
            Self::End => "end",
        })
    }
}
