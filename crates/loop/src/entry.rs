//! The entries of a run's record.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use windlass_assemble::{CallIndex, Repair};
use windlass_hitl::{ApprovalOutcome, ApprovalRequest, Decision, PolicyInput};
use windlass_protocol::{
    CallId, History, Message, Part, Prices, RequestOptions, StopReason, ToolProtocol, ToolResult, Usage,
};

use crate::{BudgetUsage, DeliverAt, HookReport, InterruptId, Outcome, RunOrigin};

/// An entry of a run's record. The entries of a run in their order are sufficient to resume it in another
/// process.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "entry", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Entry {
    /// The run started.
    Started {
        /// The version of the record format.
        version: u32,
        /// The task.
        task: Message,
        /// The protocol in which calls reach the model. Records of version 1 do not have it and use native
        /// calls.
        #[serde(default)]
        protocol: ToolProtocol,
        /// The run's id, which identifies its calls outside the run. Records before version 5 do not have it.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        run: String,
        /// The origin of a run that another run began. Records before version 7 do not have it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        origin: Option<RunOrigin>,
        /// The options of the run's requests, which a resumed run keeps. Records before version 8 do not have them.
        #[serde(default, skip_serializing_if = "is_default")]
        options: Box<RequestOptions>,
        /// True if the run only compacts the conversation before it. The task then describes the run for people, and
        /// the model does not receive it.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        only_compacts: bool,
    },
    /// The conversation that precedes the task, from outside this run.
    Imported {
        /// The messages.
        messages: History,
    },
    /// Another process resumed the run.
    Resumed {
        /// The number of resumes, including this one.
        generation: u32,
    },
    /// The provider refused the protocol in use before the first answer. The run uses this protocol from now
    /// on.
    Protocol {
        /// The new protocol.
        protocol: ToolProtocol,
    },
    /// The run is in this mode from now on.
    Mode {
        /// The slug of the mode.
        mode: String,
    },
    /// The model answered.
    Answered {
        /// The answer. Each of its calls gets a result.
        message: Message,
        /// Results that are known without a run: of calls that are malformed, repeated, out of place or over
        /// budget. They are part of this entry, so that a crash cannot make such a call look runnable.
        refused: Vec<ToolResult>,
        /// The number of results at the start of `refused` that belong to malformed calls, which do not count
        /// as repeats or for the budget of their tool. Records before version 6 do not have it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        malformed: Option<usize>,
        /// The repairs of calls' arguments (RULES J8).
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        repaired: Vec<CallRepairs>,
        /// The reason that the provider reported for the end of the answer.
        stop: Option<StopReason>,
        /// The answer's tokens.
        usage: Usage,
        /// The prices of the tokens, if another model than the run's answered.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        prices: Option<Box<Prices>>,
    },
    /// An attempt at an answer or a summary failed after it had used tokens.
    Discarded {
        /// The tokens that the provider reported for it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        usage: Option<Usage>,
        /// The prices of the tokens, if another model than the run's answered.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        prices: Option<Box<Prices>>,
    },
    /// A message other than a result was added to the conversation, such as a nudge or the human's guidance.
    Said {
        /// The origin of the message. Records before version 6 do not have it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        source: Option<MessageSource>,
        /// The message.
        message: Message,
    },
    /// Policy decided about a call.
    #[serde(rename = "judged")]
    Decided {
        /// The id of the call.
        call: CallId,
        /// The decision.
        decision: Decision,
        /// The facts of the decision, which are sufficient to repeat it. They omit the payload, which is part
        /// of the answer. Records of early versions do not have them.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        facts: Option<Box<PolicyInput>>,
    },
    /// The human was asked to approve a call.
    Asked {
        /// The approval request.
        request: Box<ApprovalRequest>,
    },
    /// An approval request ended.
    Approval {
        /// The id of the call.
        call: CallId,
        /// The outcome.
        outcome: ApprovalOutcome,
    },
    /// A call is about to run. If no result follows, the effects of the call are unknown (RULES R6).
    Intent {
        /// The id of the call.
        call: CallId,
    },
    /// A call ended.
    Result {
        /// The result.
        result: ToolResult,
    },
    /// A call continues outside this process. Its result arrives later, in this process or in another.
    Deferred {
        /// The id of the call.
        call: CallId,
    },
    /// A message for the model was queued until the next turn or the end of the task.
    Queued {
        /// The message's id; a second message with the id is not queued. Records before version 7 do not have
        /// it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        id: Option<String>,
        /// The human's words.
        text: String,
        /// Pictures and files after the text.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        parts: Vec<Part>,
        /// The moment at which the model receives the message.
        when: DeliverAt,
    },
    /// The usage of the other runs that share this run's budget.
    Shared {
        /// The total usage by run id.
        used: BTreeMap<String, BudgetUsage>,
    },
    /// The conversation was shortened.
    Compacted {
        /// The calls whose results were removed.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        pruned: Vec<CallId>,
        /// The position of the first message that stayed after the removed turns; 0 if no turn was removed.
        #[serde(default)]
        until: usize,
        /// The position of the message before `until` that stayed, which is the task. Records before version
        /// 6 do not have it, and kept the first message.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        kept: Option<usize>,
        /// True if the model was asked for a summary. Records before version 6 do not have it.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        summarized: bool,
        /// The text that replaces the removed turns.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        note: Option<String>,
        /// The tokens of the summary.
        #[serde(default)]
        usage: Usage,
        /// Tokens of the next request before the change; 0 in records of earlier versions.
        #[serde(default, skip_serializing_if = "is_zero")]
        before: u64,
        /// Tokens of the next request after the change; 0 in records of earlier versions.
        #[serde(default, skip_serializing_if = "is_zero")]
        after: u64,
    },
    /// The provider refused a picture, and words replaced the newest pictures. Records before version 7 never
    /// have it.
    ImagesRemoved {
        /// The positions of the messages with the pictures in the conversation of that time.
        messages: Vec<usize>,
        /// The provider's message.
        reason: String,
    },
    /// The human was asked how the run continues.
    #[serde(rename = "consulted")]
    Interrupt {
        /// The id of the question.
        id: InterruptId,
        /// The question.
        question: String,
    },
    /// The human let the run continue after a question.
    #[serde(rename = "guided")]
    InterruptReply {
        /// The id of the question; `None` if another run that shares the budget got the approval. Records
        /// before version 6 never have it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        id: Option<InterruptId>,
        /// The human's words, which are also added to the conversation; `None` for a plain yes.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        words: Option<String>,
    },
    /// A hook of the program changed the course of the run. Records before version 9 never have it.
    Hook {
        /// The report of the hook.
        report: HookReport,
    },
    /// The run is over.
    Finished {
        /// The outcome.
        outcome: Outcome,
    },
}

/// The origin of a message other than a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum MessageSource {
    /// The answer before it had no call, or was empty (RULES L3).
    Nudge,
    /// The human's answer to a question about how the run continues.
    #[serde(rename = "guidance")]
    InterruptReply,
    /// The human's message to the working run.
    Queue,
    /// The human's next task.
    NextTask,
    /// The run was interrupted in the middle of an answer.
    Continuation,
    /// A hook refused the answer before it.
    Hook,
}

/// The repairs of one call's arguments.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct CallRepairs {
    /// The call's key in its answer.
    pub key: CallIndex,
    /// The repairs.
    pub repairs: Vec<Repair>,
}

fn is_default(options: &RequestOptions) -> bool {
    options.is_default()
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it so")]
pub(crate) fn is_zero(number: &u64) -> bool {
    *number == 0
}

impl Entry {
    /// The version of the format that is written; all earlier versions can be read. Version 2 added the
    /// protocol. Version 3 added the mode. Version 4 added the open questions of a suspended run and the
    /// plans for files. Version 5 added the run's id and the usage of other runs. Version 6 added the
    /// questions about how the run continues, discarded attempts, and the data that restores the counters of
    /// a resumed run. Version 7 added refused pictures, the ids of messages and the origin of a run. Version 8 added
    /// the options of requests. Version 9 added approvals with changed arguments, hooks, and runs that
    /// only compact.
    pub const VERSION: u32 = 9;

    /// The task in the record of a run that only compacts the conversation before it. People read it, and the model does not.
    pub const COMPACTION_TASK: &'static str = "Compact the conversation.";
    /// The first version that has the options of requests.
    pub(crate) const FIRST_WITH_OPTIONS: u32 = 8;

    /// Returns true if the entry must be on the disk before the next command is executed, as before and after
    /// the run of a call.
    pub fn is_critical(&self) -> bool {
        matches!(
            self,
            Self::Started { .. }
                | Self::Resumed { .. }
                | Self::Protocol { .. }
                | Self::Mode { .. }
                | Self::Intent { .. }
                | Self::Deferred { .. }
                | Self::Queued { .. }
                | Self::Result { .. }
                | Self::Finished { .. }
        )
    }
}
