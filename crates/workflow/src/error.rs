//! Errors of loading a workflow and of driving a run. The failure of a step is an outcome, not an error.

use windlass_agent::AgentError;
use windlass_journal::JournalError;

use crate::StepKey;

/// The reason why a definition is invalid. Reported before any step runs.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum WorkflowError {
    /// The file is not valid TOML, or contains an unknown key.
    #[error("the workflow cannot be read")]
    Toml(#[source] Box<dyn std::error::Error + Send + Sync>),
    /// A name is not plain. Names are parts of keys and paths, so only some characters are allowed.
    #[error("`{name}` is not a valid name: use 1 to 64 of a-z, A-Z, 0-9, - and _")]
    Name {
        /// The invalid name.
        name: String,
    },
    /// Two steps of one level have the same name.
    #[error("two steps have the name {step}")]
    Twice {
        /// The name.
        step: String,
    },
    /// A step does not have exactly one kind, or has keys of another kind.
    #[error("step {step}: {problem}")]
    Kind {
        /// The name of the step.
        step: String,
        /// The problem.
        problem: String,
    },
    /// A step refers to a step that does not exist on its level or on a level around it.
    #[error("step {step}: no step {named} exists beside it or around it")]
    UnknownStep {
        /// The name of the step.
        step: String,
        /// The name that it refers to.
        named: String,
    },
    /// Steps depend on each other in a cycle.
    #[error("the steps wait for each other: {}", steps.join(" -> "))]
    Cycle {
        /// The steps of the cycle, with the first one repeated at the end.
        steps: Vec<String>,
    },
    /// A step reads an input that is not declared.
    #[error("step {step}: the input {input} does not exist")]
    UnknownInput {
        /// The name of the step.
        step: String,
        /// The name of the input.
        input: String,
    },
    /// A path or a condition is invalid.
    #[error("step {step}: {problem}")]
    Path {
        /// The name of the step.
        step: String,
        /// The problem.
        #[source]
        problem: PathError,
    },
    /// The workflow exceeds a size limit.
    #[error("the workflow has {count} {what}, at most {most} are allowed")]
    TooMany {
        /// The counted items: `bytes`, `steps` or `levels`.
        what: &'static str,
        /// The number of items.
        count: usize,
        /// The maximum number of items.
        most: usize,
    },
}

/// The reason why a path cannot be parsed or resolved.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PathError {
    /// A path lacks its closing braces.
    #[error("a place begins with {{{{ and has no }}}}")]
    Open,
    /// The text between the braces is not a path.
    #[error(
        "`{text}` is not a path; a path begins with input, item, index or steps.NAME, and has dots between \
         its names"
    )]
    NoPath {
        /// The invalid text.
        text: String,
    },
    /// The path does not lead to a value.
    #[error("the path {path} does not lead to a value")]
    Missing {
        /// The path.
        path: String,
    },
    /// The value to spread is not a list.
    #[error("the value at {path} is not a list and cannot be spread")]
    NoList {
        /// The path of the value.
        path: String,
    },
    /// The value is nested too deeply.
    #[error("the value is nested too deep")]
    TooDeep,
}

/// The reason why a run cannot be driven.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RunError {
    /// The record cannot be written or read. No effect that it would announce has happened.
    #[error("the workflow's record cannot be stored")]
    Journal(#[from] JournalError),
    /// The calls of a step cannot be made.
    #[error("the calls of step {step} cannot be made")]
    Step {
        /// The key of the step.
        step: StepKey,
        /// The cause.
        source: AgentError,
    },
    /// The record belongs to another workflow.
    #[error("the record belongs to the workflow {recorded}, not to {asked}")]
    OtherWorkflow {
        /// The workflow in the record.
        recorded: String,
        /// The requested workflow.
        asked: String,
    },
    /// The record does not start with an [`WorkflowEntry::Started`](crate::WorkflowEntry::Started).
    #[error("the record does not begin with the start of a workflow")]
    NotStarted,
    /// A later version of this program wrote the record.
    #[error("the record has version {version}, this program reads up to {}", crate::version::RECORD_VERSION)]
    Version {
        /// The version of the record.
        version: u32,
    },
    /// The workflow was changed after the record was written: the step now makes a different call.
    #[error("step {step} differs from its record; the workflow was changed after the record was written")]
    Changed {
        /// The key of the step.
        step: StepKey,
    },
    /// A required input is missing, or the workflow does not declare an input.
    #[error("{problem}")]
    Input {
        /// The problem.
        problem: String,
    },
}
