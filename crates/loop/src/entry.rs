//! What is written down of a run.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use windlass_assemble::Repair;
use windlass_hitl::{ApprovalOutcome, ApprovalRequest, Decision, Facts};
use windlass_protocol::{CallId, History, Message, StopReason, ToolProtocol, ToolResult, Usage};
use windlass_stream::CallKey;

use crate::{ConsultationId, Moment, Outcome, RunOrigin, Used};

/// What is written down of a run, in order: enough to go on with it in another process.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "entry", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Entry {
    /// The run begins.
    Started {
        /// The version of this vocabulary.
        version: u32,
        /// The task.
        task: Message,
        /// How calls reach the model. Records of version 1 have no word for it: theirs are native.
        #[serde(default)]
        protocol: ToolProtocol,
        /// The run's id, which calls are known by outside of it. Records before version 5 have none.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        run: String,
        /// The origin of a run that another run began. Records before version 7 do not have it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        origin: Option<RunOrigin>,
    },
    /// The run goes on from a conversation that was had elsewhere; the task comes after it.
    Imported {
        /// The conversation.
        messages: History,
    },
    /// Another process has taken the run up.
    Resumed {
        /// How often that was done, this time included.
        generation: u32,
    },
    /// The provider refused that, before the first answer; from now on it is another.
    Protocol {
        /// How calls reach the model.
        protocol: ToolProtocol,
    },
    /// From now on the run is in this mode.
    Mode {
        /// Its slug.
        mode: String,
    },
    /// The model answered.
    Answered {
        /// The answer; each of its calls gets a result.
        message: Message,
        /// Results that were clear at once: of calls that are malformed or out of place. Kept with the answer,
        /// so that no crash can make such a call look runnable.
        refused: Vec<ToolResult>,
        /// How many of `refused`, from the first, are of calls that were malformed: these count neither as repeats nor for
        /// the budget of their tool. Records before version 6 do not have it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        malformed: Option<usize>,
        /// What was repaired of calls' arguments (RULES J8).
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        repaired: Vec<CallRepairs>,
        /// Why the model stopped, if it said so.
        stop: Option<StopReason>,
        /// The answer's tokens.
        usage: Usage,
    },
    /// An attempt to get an answer or a summary came to nothing, and its tokens were used.
    Discarded {
        /// The tokens that the provider reported for it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        usage: Option<Usage>,
    },
    /// Something was said to the model besides results: a nudge, or the human's guidance.
    Said {
        /// Why it was said. Records before version 6 do not have it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        source: Option<MessageSource>,
        /// The message.
        message: Message,
    },
    /// Policy has decided.
    Judged {
        /// Which call.
        call: CallId,
        /// The decision.
        decision: Decision,
        /// What it rests on, so that it can be made again: without the payload, which the answer has. Older records
        /// do not have it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        facts: Option<Box<Facts>>,
    },
    /// The human was asked.
    Asked {
        /// The question.
        request: Box<ApprovalRequest>,
    },
    /// The question has ended.
    Approval {
        /// Which call.
        call: CallId,
        /// How.
        outcome: ApprovalOutcome,
    },
    /// A call is about to run. Without a result after it, nobody knows what it did (RULES R6).
    Intent {
        /// Which call.
        call: CallId,
    },
    /// A call has its result.
    Result {
        /// The result.
        result: ToolResult,
    },
    /// The call goes on without this process: its result comes from outside, now or in another process.
    Deferred {
        /// Which call.
        call: CallId,
    },
    /// Something is to be said to the model as soon as that can be, or when the task is done.
    Queued {
        /// The id that the message came with: one that comes again under it is not queued again. Records before version 7
        /// do not have it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        id: Option<String>,
        /// In the human's words.
        text: String,
        /// When.
        when: Moment,
    },
    /// What other runs have used that share the budget of this one, each in all.
    Shared {
        /// By the run's id.
        used: BTreeMap<String, Used>,
    },
    /// The conversation was made shorter.
    Compacted {
        /// The calls whose results were left out.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        pruned: Vec<CallId>,
        /// The first message that stayed after those that were left out; 0 where no turn was left out.
        #[serde(default)]
        until: usize,
        /// The message before `until` that stayed: the task. Records before version 6 do not have it, and kept the first
        /// message.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        kept: Option<usize>,
        /// Whether the model was asked for a summary. Records before version 6 do not have it.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        summarized: bool,
        /// What stands in the place of the turns that were left out.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        note: Option<String>,
        /// The tokens of the summary.
        #[serde(default)]
        usage: Usage,
    },
    /// The provider refused a picture, and words took the place of the newest pictures. Records before version 7 never
    /// have it.
    ImagesRemoved {
        /// The positions of the messages that had the pictures, in the conversation as it was then.
        messages: Vec<usize>,
        /// The provider's words.
        reason: String,
    },
    /// The human was asked whether and how the run continues.
    Consulted {
        /// The id of the question.
        id: ConsultationId,
        /// The question.
        question: String,
    },
    /// The human was asked whether and how the run goes on, and said that it does.
    Guided {
        /// The question that was answered; `None` where another run that shares the budget got a yes. Records before
        /// version 6 never have it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        id: Option<ConsultationId>,
        /// In these words, which are also said to the model; nothing if it was a plain yes.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        words: Option<String>,
    },
    /// The run is over.
    Finished {
        /// How.
        outcome: Outcome,
    },
}

/// Why something was said to the model besides results.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum MessageSource {
    /// The answer before it had no call, or nothing at all (RULES L3).
    Nudge,
    /// The human's answer to a question about how the run continues.
    Guidance,
    /// The human's message to the working run.
    Queue,
    /// The human's next task.
    NextTask,
    /// The run was interrupted in the middle of an answer.
    Continuation,
}

/// What was repaired of one call's arguments.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct CallRepairs {
    /// The call's place in its answer.
    pub key: CallKey,
    /// What was repaired.
    pub repairs: Vec<Repair>,
}

impl Entry {
    /// The version of this vocabulary that is written. 2 has the protocol, 3 the mode, 4 what a suspended run waits for and
    /// what was planned for files, 5 the run's id and what others used, 6 the questions about how the run continues under
    /// their ids, discarded attempts, and what the counters of a resumed run need, 7 the pictures that a provider refused,
    /// the ids of messages and the origin of a run; all before can be read.
    pub const VERSION: u32 = 7;

    /// Whether what follows has to wait until this is on the disk: before a call runs, and after it ran.
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
