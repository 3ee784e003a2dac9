//! The payloads of the workflow, its steps and its queries.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use windlass_hitl::{ApprovalRequest, Digest, Grants};
use windlass_loop::{BudgetUsage, Entry, Event, Input, InterruptId, Offer, Outcome};
use windlass_protocol::{CallId, Message, PlannedFile, Request, ToolCall, ToolProtocol, ToolResult};

use crate::version::Definition;
use crate::{ContentHash, RunSettings};

/// The input of the workflow.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct RunInput {
    pub(crate) task: String,
    pub(crate) settings: RunSettings,
    /// The state of the run if an earlier workflow of the run continued as new.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) carried: Option<Box<CarriedRun>>,
}

/// The state that a run takes along when it continues as a new workflow.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct CarriedRun {
    pub(crate) definition: Definition,
    pub(crate) record: Vec<Entry>,
    pub(crate) scope: RunScope,
    pub(crate) events: EventPage,
    pub(crate) results: BTreeMap<CallId, ToolResult>,
    pub(crate) letters: Vec<Letter>,
}

/// The part of a run's state on which decisions about calls depend.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct RunScope {
    pub(crate) mode: Option<String>,
    pub(crate) grants: Grants,
    pub(crate) is_tainted: bool,
    /// The digest of the offered tools.
    pub(crate) tools: String,
    /// True if only workers with these tools may execute the run's steps.
    pub(crate) is_pinned: bool,
}

/// A message from outside to the run: the content of a signal.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Letter {
    /// An input for the machine: an approval, words, or an answer to a question about the run.
    Input(Box<Input>),
    /// The result of a deferred call.
    Result(Box<ToolResult>),
    /// The request to stop.
    Stop,
}

/// The identity of a step.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct StepId {
    pub(crate) run: String,
    pub(crate) key: String,
    /// The fencing token of the step.
    pub(crate) generation: u32,
}

/// The input of the step that begins a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct BeginStep {
    pub(crate) run: String,
}

/// The output of the step that begins a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct BeginOutput {
    pub(crate) definition: Definition,
}

/// A request to the model. The conversation up to the previous request is stored by content hash; the step
/// has only the messages that were added.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct SendStep {
    pub(crate) id: StepId,
    /// The request without its messages.
    pub(crate) request: Box<Request>,
    /// The stored conversation that the messages continue.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) base: Option<ContentHash>,
    pub(crate) messages: Vec<Message>,
    pub(crate) protocol: ToolProtocol,
}

/// The answer to a request.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct SendOutput {
    pub(crate) inputs: Vec<Input>,
    /// The hash of the whole conversation of the request.
    pub(crate) stored: ContentHash,
}

/// A step about one call: its decision, its run, or the comparison of its files.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct CallStep {
    pub(crate) id: StepId,
    pub(crate) scope: RunScope,
    pub(crate) call: ToolCall,
    /// The digest of the request that a human approved.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) approved: Option<Digest>,
    /// The plan of an interrupted call.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) planned: Vec<PlannedFile>,
}

/// The output of a step about one call.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum CallOutput {
    /// The worker executed the step.
    Done(Box<CallDone>),
    /// The worker has other tools than those to which the run is pinned, and did nothing.
    OtherTools,
}

/// The result of an executed step about one call.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct CallDone {
    pub(crate) input: Input,
    /// The tools of the next turn, if the call or a new version of the worker changed them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) offer: Option<Offer>,
    pub(crate) is_tainted: bool,
}

/// The result of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct RunReport {
    /// The outcome.
    pub outcome: Outcome,
    /// The usage of the run.
    pub used: BudgetUsage,
    /// The number of entries in the run's record.
    pub entries: u64,
}

/// The answers that a run waits for.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct OpenRequests {
    /// The open approval requests, in call order.
    pub approvals: Vec<ApprovalRequest>,
    /// The open question about how the run continues, with its id.
    pub question: Option<(InterruptId, String)>,
    /// The calls whose results arrive from outside.
    pub results: Vec<CallId>,
    /// The number of steps that are scheduled or run.
    pub steps: usize,
    /// True if nothing happens until an answer arrives.
    pub is_idle: bool,
}

/// A part of a run's events. Events have consecutive numbers; a run keeps a limited number of them.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct EventPage {
    /// The number of the first event of the page. It is higher than the requested number if the run has
    /// dropped events in between.
    pub first: u64,
    /// The events.
    pub events: Vec<Event>,
}
