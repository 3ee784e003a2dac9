//! The commands of the machine to its driver.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use windlass_assemble::CallIndex;
use windlass_hitl::ApprovalRequest;
use windlass_protocol::{PlannedFile, Request, ToolCall, ToolName, ToolProtocol};

use crate::{Entry, Event, InterruptId, Outcome};

/// A request of the machine to its driver. The driver executes commands in their order. They are
/// serializable, so that another process can execute them. Their serialised names are older than the names
/// here, and stay the same.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "effect", content = "of", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Command {
    /// Append the entry to the record. If [`Entry::is_critical`] holds, it must be durable before the next
    /// command is executed.
    Record(Entry),
    /// Send a request to the model after a delay.
    Send {
        /// The request.
        request: Box<Request>,
        /// The protocol in which calls reach the model. The request contains native calls; the sender encodes
        /// them for the protocol.
        protocol: ToolProtocol,
        /// The delay before the request, in milliseconds.
        delay_ms: u64,
    },
    /// Announces that the next request is the first one with this offer.
    Offered {
        /// The offer's number, from `Input::Offer`.
        number: u64,
    },
    /// Stop reading the answer that streams.
    CloseStream,
    /// Check an argument that is complete while the rest of its call still streams. If the call is certain to
    /// be refused, reply with `Input::RefusedEarly`; otherwise do not reply.
    CheckEarly {
        /// The number of the answer.
        answer: u64,
        /// The call's key in the answer.
        key: CallIndex,
        /// The tool's name, as the model wrote it.
        tool: ToolName,
        /// The argument's name.
        argument: String,
        /// The argument's value.
        value: Value,
    },
    /// Decide about a complete read-only call while its answer still streams: look it up, check its
    /// arguments, and ask policy. If policy allows it without a question, run it. Reply with
    /// `Input::Speculative` in every case.
    #[serde(rename = "run_ahead")]
    RunSpeculatively {
        /// The number of the answer.
        answer: u64,
        /// The call.
        call: ToolCall,
    },
    /// Stop the calls that started ahead of the end of this answer, because the answer is void.
    #[serde(rename = "abandon_ahead")]
    AbandonSpeculative {
        /// The number of the answer.
        answer: u64,
    },
    /// Look the call up, check its arguments and ask policy; reply with `Input::Decided`.
    Decide(ToolCall),
    /// Show the approval request to the human; reply with `Input::Approval`.
    Ask(Box<ApprovalRequest>),
    /// Run the call; reply with `Input::Result` in every case, unless the call is deferred or ends the run.
    Run(ToolCall),
    /// Compare the files with the plan of a call whose process ended while it ran; reply with
    /// `Input::Reconciled`.
    #[serde(rename = "look_back")]
    Reconcile {
        /// The call.
        call: ToolCall,
        /// The planned files, each before and after the call.
        planned: Vec<PlannedFile>,
    },
    /// Collect the result of a call that continues outside this process. Reply with `Input::Result` if the
    /// result exists, otherwise with `Input::Deferred`.
    Collect(ToolCall),
    /// Stop all running calls. Each of them still replies with its result.
    Abort,
    /// Ask the human how the run continues; reply with `Input::InterruptReply`.
    #[serde(rename = "consult")]
    Interrupt {
        /// The id that the answer repeats.
        id: InterruptId,
        /// The question.
        question: String,
    },
    /// Withdraw a question to the human: the run continues without an answer, and a late answer is refused.
    Withdraw {
        /// The question's id, from `Command::Interrupt`.
        id: InterruptId,
    },
    /// Emit the event to observers.
    Show(Event),
    /// The run is over.
    Done(Outcome),
}
