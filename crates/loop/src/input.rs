//! What the machine is told.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use windlass_hitl::{ApprovalOutcome, ApprovalRequest, Decision, Facts, Reason};
use windlass_protocol::{Aftermath, CallId, ResultStatus, ToolResult};
use windlass_stream::{CallKey, Chunk};

use crate::{ConsultationId, Moment, Offer, Used};

/// What the machine is told. Time comes beside each input; ids come inside. It is data: what was done somewhere else can
/// come back from there.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "input", content = "of", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Input {
    /// The task, once, at the beginning.
    Start {
        /// In the human's words.
        task: String,
    },
    /// What the next turn is offered. The answer that streams, and its calls, stay with what they were offered.
    Offer(Box<Offer>),
    /// A chunk of the answer that was asked for last.
    Chunk(Chunk),
    /// That answer has ended.
    StreamEnd(Result<(), StreamFailure>),
    /// A call that still streams is sure to be refused.
    RefusedEarly {
        /// Which answer of the run, as `Effect::CheckEarly` said it.
        answer: u64,
        /// The call's place in it.
        key: CallKey,
        /// Why.
        refusal: EarlyRefusal,
    },
    /// What came of a call that was begun while its answer streamed.
    Ahead {
        /// Which answer of the run, as `Effect::RunAhead` said it.
        answer: u64,
        /// Which call.
        call: CallId,
        /// What came of it.
        outcome: Box<Ahead>,
    },
    /// A call was looked up, checked and judged.
    Judged {
        /// Which call.
        call: CallId,
        /// What came of it.
        judgement: Box<Judgement>,
    },
    /// An approval request has ended.
    Approval(ApprovalOutcome),
    /// A call has its turn and runs.
    Started(CallId),
    /// A call has ended.
    Result(ToolResult),
    /// A call goes on without this process: its result comes from outside, perhaps when this process is gone.
    Deferred(CallId),
    /// What is left of a call that had begun when its process ended.
    LookedBack {
        /// Which call.
        call: CallId,
        /// What the files say.
        aftermath: Aftermath,
    },
    /// A call found that the run cannot go on.
    Fatal {
        /// Which call.
        call: CallId,
        /// Why, for the human.
        message: String,
    },
    /// What other runs have used that share the budget of this one, each in all; and how often anybody said that all may
    /// go on.
    Shared {
        /// By the run's id.
        used: BTreeMap<String, Used>,
        /// How often.
        grants: u64,
    },
    /// Something to be said to the model while the run works.
    Say {
        /// An id of the message, where it can come more than once: from a file that outlives a crash, or over a connection
        /// that sends again. The run takes it once, also after a resume.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        id: Option<String>,
        /// In the human's words.
        text: String,
        /// When.
        when: Moment,
    },
    /// The human's answer to a question about how the run continues.
    Guidance {
        /// The question, as `Effect::Consult` or `Wait::Guidance` named it. An answer to another question than the open one
        /// is refused.
        id: ConsultationId,
        /// The answer; `None` if nobody answers.
        words: Option<String>,
    },
    /// Stop.
    Cancel,
    /// Nothing but that time has passed.
    Tick,
}

/// Why a call is refused before all of its arguments have come.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[expect(clippy::exhaustive_enums, reason = "refused before judging, or by policy")]
pub enum EarlyRefusal {
    /// No such tool, or an argument that the tool does not take.
    Refused {
        /// The status of its result.
        status: ResultStatus,
        /// In words for the model.
        text: String,
    },
    /// Policy denies it, whatever else comes.
    Denied(Reason),
}

/// What came of a call that was begun while its answer streamed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[expect(clippy::exhaustive_enums, reason = "it did not run, it ran, or the run cannot go on")]
pub enum Ahead {
    /// It was not even looked at, and is to be judged like the others.
    NotBegun,
    /// It did not run: policy did not let it at once.
    Judged(Judgement),
    /// It ran.
    Ran {
        /// What the decision rests on.
        facts: Box<Facts>,
        /// The decision that let it.
        decision: Decision,
        /// Its result.
        result: ToolResult,
    },
    /// It ran, and found that the run cannot go on.
    Fatal {
        /// What the decision rests on.
        facts: Box<Facts>,
        /// The decision that let it.
        decision: Decision,
        /// Why, for the human.
        message: String,
    },
}

/// What came of looking a call up, checking it and judging it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[expect(clippy::exhaustive_enums, reason = "refused before judging, or judged")]
pub enum Judgement {
    /// It was not even judged: no such tool, or arguments that the tool does not take.
    Refused(ToolResult),
    /// Policy has decided. Where it asks, the request to put to the human is here too.
    Decided {
        /// What the decision rests on.
        facts: Box<Facts>,
        /// The decision.
        decision: Decision,
        /// The request, where the decision is to ask.
        request: Option<Box<ApprovalRequest>>,
    },
}

/// Why an answer broke off.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct StreamFailure {
    /// For the human.
    pub message: String,
    /// Whether the same request may work later.
    pub retryable: bool,
    /// How long the provider asked to wait, in milliseconds.
    pub retry_after_ms: Option<u64>,
    /// The subject of the failure.
    #[serde(default)]
    pub subject: FailureSubject,
}

/// The subject of an answer's failure, by what the machine can do about it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum FailureSubject {
    /// Nothing that another request would mend.
    #[default]
    Other,
    /// The way in which calls reach the model: another one may be taken.
    Protocol,
    /// The conversation is longer than the model's window: a shorter one may be taken.
    ContextLength,
    /// A picture of the request: the request may be taken without it.
    Image,
}

impl StreamFailure {
    /// A failure in these words.
    pub fn new(message: impl Into<String>, retryable: bool) -> Self {
        Self { message: message.into(), retryable, retry_after_ms: None, subject: FailureSubject::Other }
    }

    /// The same failure, but whoever reports it has tried again already.
    pub fn final_word(mut self) -> Self {
        self.retryable = false;
        self
    }

    /// The same failure, which is about the way in which calls reach the model.
    pub fn of_protocol(mut self) -> Self {
        self.subject = FailureSubject::Protocol;
        self
    }

    /// The same failure, which is about the length of the conversation.
    pub fn of_length(mut self) -> Self {
        self.subject = FailureSubject::ContextLength;
        self
    }

    /// Marks the failure as the refusal of a picture: the machine replaces the newest pictures by words and asks again.
    pub fn of_image(mut self) -> Self {
        self.subject = FailureSubject::Image;
        self
    }

    /// The same failure with the wait that the provider asked for.
    pub fn with_retry_after_ms(mut self, wait: Option<u64>) -> Self {
        self.retry_after_ms = wait;
        self
    }
}
