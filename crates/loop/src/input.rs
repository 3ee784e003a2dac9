//! The inputs of the machine.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use windlass_assemble::CallIndex;
use windlass_hitl::{ApprovalOutcome, ApprovalRequest, Decision, PolicyInput, Reason};
use windlass_protocol::{CallId, Message, Part, ReconcileOutcome, ResultStatus, ToolResult};
use windlass_stream::Chunk;

use crate::{BudgetUsage, DeliverAt, HookReport, InterruptId, Offer};

/// An input of the machine. The driver passes the time separately, and ids are part of the input. Inputs are
/// serializable, so that a command can be executed in another process and its result sent back.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "input", content = "of", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Input {
    /// Starts the run with its task.
    Start {
        /// The task: a message of the user.
        task: Message,
    },
    /// Sets the tools, system prompt and mode of the next turn. The answer that is streaming, and its calls,
    /// keep the previous tools.
    Offer(Box<Offer>),
    /// A chunk of the answer that was requested last.
    Chunk(Chunk),
    /// The end of that answer.
    StreamEnd(Result<(), StreamFailure>),
    /// Policy or the tool is certain to refuse a call that still streams.
    RefusedEarly {
        /// The number of the answer, from `Command::CheckEarly`.
        answer: u64,
        /// The call's key in the answer.
        key: CallIndex,
        /// The reason.
        refusal: EarlyRefusal,
    },
    /// The result of a call that started while its answer streamed.
    #[serde(rename = "ahead")]
    Speculative {
        /// The number of the answer, from `Command::RunSpeculatively`.
        answer: u64,
        /// The id of the call.
        call: CallId,
        /// The outcome of the call.
        outcome: Box<SpeculativeOutcome>,
    },
    /// The decision about a call, after its lookup and the check of its arguments.
    #[serde(rename = "judged")]
    Decided {
        /// The id of the call.
        call: CallId,
        /// The decision.
        #[serde(rename = "judgement")]
        decision: Box<CallDecision>,
    },
    /// The outcome of an approval request.
    Approval(ApprovalOutcome),
    /// A call has started to run. Calls can wait for others before they run.
    Started(CallId),
    /// The result of a call.
    Result(ToolResult),
    /// A call continues outside this process. Its result arrives later, in this process or in another.
    Deferred(CallId),
    /// The state of the files that an interrupted call was to change.
    #[serde(rename = "looked_back")]
    Reconciled {
        /// The id of the call.
        call: CallId,
        /// The difference between the planned and the present state of the files.
        #[serde(rename = "aftermath")]
        outcome: ReconcileOutcome,
    },
    /// The decision or the execution of a call failed with an error that ends the run.
    Fatal {
        /// The id of the call.
        call: CallId,
        /// The error, for the human.
        message: String,
    },
    /// The usage of the other runs that share this run's budget, and the number of approvals of that budget.
    Shared {
        /// The total usage by run id.
        used: BTreeMap<String, BudgetUsage>,
        /// The number of times that a human let the other runs continue.
        grants: u64,
    },
    /// A message for the model, sent while the run works.
    Say {
        /// The message's id, if the message can arrive more than once: from a file that survives a crash, or
        /// over a connection that sends again. The run accepts each id once, also after a resume.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        id: Option<String>,
        /// The human's words.
        text: String,
        /// Pictures and files after the text.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        parts: Vec<Part>,
        /// The time at which the model receives the message.
        when: DeliverAt,
    },
    /// Compacts the conversation, regardless of its size. A machine that waits for its task starts a run that only
    /// compacts the conversation before it and then ends. A working run compacts before its next request. The input is
    /// not recorded until then.
    Compact,
    /// The human's answer to a question about how the run continues.
    #[serde(rename = "guidance")]
    InterruptReply {
        /// The question's id, from `Command::Interrupt` or `Wait::InterruptReply`. An answer to a question
        /// that is not open is refused.
        id: InterruptId,
        /// The answer; `None` if the human does not answer.
        words: Option<String>,
    },
    /// A hook of the program changed the course of the run.
    Hook(HookReport),
    /// Cancels the run.
    Cancel,
    /// Only the time has changed: the machine checks its deadlines.
    Tick,
}

/// The reason to refuse a call before all of its arguments have arrived.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[expect(clippy::exhaustive_enums, reason = "refused before policy decides, or by policy")]
pub enum EarlyRefusal {
    /// The tool does not exist, or does not accept an argument.
    Refused {
        /// The status of the call's result.
        status: ResultStatus,
        /// The reason.
        text: String,
        /// The next step for the model.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        advice: Option<String>,
    },
    /// Policy denies the call, independently of the arguments that are missing.
    Denied(Reason),
}

/// The outcome of a call that the driver looked up while its answer streamed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[expect(clippy::exhaustive_enums, reason = "it did not run, it ran, or the run cannot continue")]
pub enum SpeculativeOutcome {
    /// The call was not looked up. It is decided after the end of the answer, like the others.
    NotBegun,
    /// The call did not run, because policy did not allow it without a question, or because it was refused.
    #[serde(rename = "judged")]
    Decided(CallDecision),
    /// The call ran.
    Ran {
        /// The facts of the decision.
        facts: Box<PolicyInput>,
        /// The decision to allow the call.
        decision: Decision,
        /// The call's result.
        result: ToolResult,
    },
    /// The call ran and found an error that ends the run.
    Fatal {
        /// The facts of the decision.
        facts: Box<PolicyInput>,
        /// The decision to allow the call.
        decision: Decision,
        /// The error, for the human.
        message: String,
    },
}

/// The outcome of a call's lookup, the check of its arguments, and the decision of policy.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[expect(clippy::exhaustive_enums, reason = "refused before policy decides, or decided")]
pub enum CallDecision {
    /// The call was refused before policy: the tool does not exist or does not accept the arguments.
    Refused(ToolResult),
    /// Policy has decided.
    Decided {
        /// The facts of the decision.
        facts: Box<PolicyInput>,
        /// The decision.
        decision: Decision,
        /// The approval request for the human, if policy asks.
        request: Option<Box<ApprovalRequest>>,
    },
}

/// The failure of an answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct StreamFailure {
    /// The message, for the human.
    pub message: String,
    /// True if the same request may succeed later.
    pub retryable: bool,
    /// The wait that the provider requested, in milliseconds.
    pub retry_after_ms: Option<u64>,
    /// The subject of the failure.
    #[serde(default)]
    pub subject: FailureSubject,
}

/// The subject of an answer's failure, which decides how the machine changes the next request.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum FailureSubject {
    /// Another subject: a changed request would fail too.
    #[default]
    Other,
    /// The protocol in which calls reach the model: the machine tries the next protocol.
    Protocol,
    /// The length of the conversation exceeds the model's window: the machine shortens the conversation.
    ContextLength,
    /// A picture in the request: the machine sends the request without it.
    Image,
    /// A hook refused the answer: if the failure is retryable, the machine sends the reason to the model
    /// and requests another answer.
    Hook,
}

impl StreamFailure {
    /// Creates a failure with this message.
    pub fn new(message: impl Into<String>, retryable: bool) -> Self {
        Self { message: message.into(), retryable, retry_after_ms: None, subject: FailureSubject::Other }
    }

    /// Marks the failure as not retryable, because the sender has already retried.
    pub fn final_word(mut self) -> Self {
        self.retryable = false;
        self
    }

    /// Marks the failure as the refusal of the protocol in which calls reach the model.
    pub fn mark_protocol(mut self) -> Self {
        self.subject = FailureSubject::Protocol;
        self
    }

    /// Marks the failure as the refusal of a conversation that is too long.
    pub fn mark_length(mut self) -> Self {
        self.subject = FailureSubject::ContextLength;
        self
    }

    /// Marks the failure as the refusal of a picture: the machine replaces the newest pictures by words and
    /// sends again.
    pub fn mark_image(mut self) -> Self {
        self.subject = FailureSubject::Image;
        self
    }

    /// Marks the failure as a hook's refusal of the answer; the message is the reason for the model.
    pub fn mark_hook(mut self) -> Self {
        self.subject = FailureSubject::Hook;
        self
    }

    /// Sets the wait that the provider requested.
    pub fn with_retry_after_ms(mut self, wait: Option<u64>) -> Self {
        self.retry_after_ms = wait;
        self
    }
}
