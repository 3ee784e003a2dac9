//! What the machine wants done.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use windlass_hitl::ApprovalRequest;
use windlass_protocol::{PlannedFile, Request, ToolCall, ToolName, ToolProtocol};
use windlass_stream::CallKey;

use crate::{ConsultationId, Entry, Event, Outcome};

/// What the machine wants done, in this order. It is data: what is to be done somewhere else can be sent there.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "effect", content = "of", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Effect {
    /// Write this down. What follows may only be done once it is durable.
    Record(Entry),
    /// Ask the model, after a wait.
    Send {
        /// The request.
        request: Box<Request>,
        /// How calls reach the model. The request has them natively; whoever sends it puts them into the form.
        protocol: ToolProtocol,
        /// How long to wait first, in milliseconds.
        delay_ms: u64,
    },
    /// The request that follows is the first with what this offer has.
    Offered {
        /// The offer, as `Input::Offer` said it.
        number: u64,
    },
    /// Read no further in the answer that streams.
    CloseStream,
    /// Look at an argument that is complete while the rest of its call still streams. If the call is sure to be
    /// refused, come back with `Input::RefusedEarly`; if not, do nothing.
    CheckEarly {
        /// Which answer of the run.
        answer: u64,
        /// The call's place in it.
        key: CallKey,
        /// The tool's name, as the model wrote it.
        tool: ToolName,
        /// The argument's name.
        argument: String,
        /// The argument's value.
        value: Value,
    },
    /// A call is whole while its answer still streams, and only reads. Look it up, check it and judge it; if policy
    /// lets it run without a question, run it; come back with `Input::Ahead` in any case.
    RunAhead {
        /// Which answer of the run.
        answer: u64,
        /// The call.
        call: ToolCall,
    },
    /// That answer is void: stop what was begun for it.
    AbandonAhead {
        /// Which answer of the run.
        answer: u64,
    },
    /// Look the call up, check it and judge it; come back with `Input::Judged`.
    Decide(ToolCall),
    /// Put this to the human; come back with `Input::Approval`.
    Ask(Box<ApprovalRequest>),
    /// Run the call; come back with `Input::Result`, whatever happens.
    Run(ToolCall),
    /// The call had begun when the process that ran it ended. Look whether the files say what became of it; come back
    /// with `Input::LookedBack`.
    LookBack {
        /// The call.
        call: ToolCall,
        /// The files as it found them and as it would leave them.
        planned: Vec<PlannedFile>,
    },
    /// The call's result comes from outside. If it is there, come back with `Input::Result`; if not, with
    /// `Input::Deferred`.
    Collect(ToolCall),
    /// Stop all calls that run; each still comes back with its result.
    Abort,
    /// Ask the human what to do; come back with `Input::Guidance`.
    Consult {
        /// The id that the answer repeats.
        id: ConsultationId,
        /// The question.
        question: String,
    },
    /// Take this question to the human back: the run continues without an answer, and one that still comes is refused.
    Withdraw {
        /// The question, as `Effect::Consult` named it.
        id: ConsultationId,
    },
    /// Tell whoever watches.
    Show(Event),
    /// The run is over.
    Done(Outcome),
}
