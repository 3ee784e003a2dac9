#![doc = include_str!("../README.md")]
#![expect(clippy::disallowed_methods, reason = "records are made with the time of the clock")]

mod condition;
mod definition;
mod key;
mod template;

mod plan;

mod check;
mod workflow;

mod machine;
mod outcome;
mod work;

mod error;
mod record;
mod version;

mod options;
mod runner;
mod stepping;

mod builtin;
mod draw;
mod questions;
mod tool;
mod workflows;

pub use builtin::{builtin, git_commit};
pub use condition::ConditionDefinition;
pub use definition::{Definition, FailurePolicy, InputDefinition, OutputForm, StepDefinition};
pub use draw::draw;
pub use error::{PathError, RunError, WorkflowError};
pub use key::StepKey;
pub use options::WorkflowOptions;
pub use outcome::{StepStatus, WaitingStep, WorkflowEvent, WorkflowOutcome};
pub use record::{StepEnd, WorkflowEntry};
pub use runner::Runner;
pub use tool::RunWorkflow;
pub use workflow::Workflow;
pub use workflows::{Owner, Workflows};
