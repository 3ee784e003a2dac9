//! The executable form of a workflow.

use std::sync::Arc;

use crate::condition::Condition;
use crate::template::Filling;
use crate::{FailurePolicy, OutputForm};

/// The executable form of a workflow.
#[derive(Debug)]
pub(crate) struct Plan {
    pub(crate) nodes: Vec<Arc<Node>>,
    pub(crate) output: Option<Filling>,
    pub(crate) at_once: usize,
}

/// An executable step.
#[derive(Debug)]
pub(crate) struct Node {
    pub(crate) name: String,
    pub(crate) kind: Kind,
    /// The steps of the same level that must end before it starts.
    pub(crate) needs: Vec<Need>,
    /// The steps of the same level of which one must open it; it is always open if the list is empty.
    pub(crate) gates: Vec<String>,
    pub(crate) tries: Tries,
    pub(crate) on_failure: FailurePolicy,
    pub(crate) on_unknown: FailurePolicy,
}

/// The rules for repeating and timing out a call.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Tries {
    pub(crate) retries: u32,
    pub(crate) backoff_ms: u64,
    pub(crate) timeout_ms: Option<u64>,
    pub(crate) repeatable: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Need {
    pub(crate) step: String,
    pub(crate) why: DependencyKind,
}

/// The reason for a dependency on another step, from weak to strong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum DependencyKind {
    /// It reads the status or the error of the other step, which may fail.
    Status,
    /// It must run after the other step.
    Order,
    /// It reads the output of the other step.
    Data,
}

#[derive(Debug)]
pub(crate) enum Kind {
    Call { tool: String, arguments: Filling, reading: OutputConversion },
    Condition { condition: Condition, then: Vec<String>, otherwise: Vec<String> },
    Group(Group),
}

/// The conversion of a result into an output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OutputConversion {
    Output(OutputForm),
    /// A human's approval, with a comment.
    Approval,
}

/// Steps that run concurrently, or for each element of a list.
#[derive(Debug)]
pub(crate) struct Group {
    pub(crate) over: Option<Filling>,
    pub(crate) nodes: Vec<Arc<Node>>,
    pub(crate) at_once: Option<usize>,
    pub(crate) most: usize,
}
