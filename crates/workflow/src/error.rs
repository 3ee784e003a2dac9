//! Why a workflow cannot be used, and why a run of one cannot be driven. A step that fails is an outcome.

use windlass_agent::AgentError;
use windlass_journal::JournalError;

use crate::StepKey;

/// Why a workflow cannot be used. It is found before anything runs.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum WorkflowError {
    /// The file is no TOML, or has a key that nobody knows.
    #[error("the workflow cannot be read")]
    Toml(#[source] Box<dyn std::error::Error + Send + Sync>),
    /// A name is used in keys and paths, so it is kept plain.
    #[error("`{name}` is no name: 1 to 64 of a-z, A-Z, 0-9, - and _")]
    Name {
        /// What was met.
        name: String,
    },
    /// Two steps of one level have one name.
    #[error("there are two steps {step}")]
    Twice {
        /// The name.
        step: String,
    },
    /// A step is of no kind, or of two.
    #[error("step {step}: {problem}")]
    Kind {
        /// Which step.
        step: String,
        /// What is wrong.
        problem: String,
    },
    /// A step that is named is not there.
    #[error("step {step}: there is no step {named} beside it or around it")]
    UnknownStep {
        /// Which step.
        step: String,
        /// What it names.
        named: String,
    },
    /// Steps wait for each other.
    #[error("the steps wait for each other: {}", steps.join(" -> "))]
    Cycle {
        /// The steps, the first again at the end.
        steps: Vec<String>,
    },
    /// An input that is read is not declared.
    #[error("step {step}: there is no input {input}")]
    UnknownInput {
        /// Which step.
        step: String,
        /// What it reads.
        input: String,
    },
    /// A place cannot be filled.
    #[error("step {step}: {problem}")]
    Path {
        /// Which step.
        step: String,
        /// What is wrong.
        #[source]
        problem: PathError,
    },
    /// There is more of it than one run should do.
    #[error("the workflow has {count} {what}, at most {most} are taken")]
    TooMany {
        /// Of what.
        what: &'static str,
        /// How many.
        count: usize,
        /// How many are taken.
        most: usize,
    },
}

/// Why a place in a text or a value cannot be filled.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PathError {
    /// A place has no end.
    #[error("a place begins with {{{{ and has no }}}}")]
    Open,
    /// What stands between the braces is no path.
    #[error(
        "`{text}` is no path; one begins with input, item, index or steps.NAME, and has dots between its names"
    )]
    NoPath {
        /// What was met.
        text: String,
    },
    /// Nothing is there.
    #[error("nothing stands at {path}")]
    Missing {
        /// Where.
        path: String,
    },
    /// What is to be spread, or gone through, is no list.
    #[error("{path} is to be spread and is no list")]
    NoList {
        /// Where it came from.
        path: String,
    },
    /// It is nested too deep.
    #[error("the value is nested too deep")]
    TooDeep,
}

/// Why a run of a workflow cannot be driven.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RunError {
    /// The record cannot be kept or read, so nothing that it announces may happen.
    #[error("the workflow's record cannot be kept")]
    Journal(#[from] JournalError),
    /// A step's calls cannot be made.
    #[error("the calls of step {step} cannot be made")]
    Step {
        /// Which step.
        step: StepKey,
        /// Why.
        source: AgentError,
    },
    /// The record is of another workflow.
    #[error("the record is of the workflow {recorded}, not of {asked}")]
    OtherWorkflow {
        /// On record.
        recorded: String,
        /// Asked for.
        asked: String,
    },
    /// The record does not begin as one.
    #[error("the record does not begin with the start of a workflow")]
    NotStarted,
    /// The record is of a later version of this program.
    #[error("the record has version {version}, this program reads up to {}", crate::Entry::VERSION)]
    Version {
        /// The record's version.
        version: u32,
    },
    /// The step is asked for something else than is on record, because the workflow was changed since.
    #[error("step {step} is not what it was when it was recorded; the workflow has been changed since")]
    Changed {
        /// Which step.
        step: StepKey,
    },
    /// An input is missing, or is none of the workflow's.
    #[error("{problem}")]
    Input {
        /// What is wrong.
        problem: String,
    },
}
