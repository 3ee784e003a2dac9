//! A workflow that was checked: every step that is named is there, and none waits for itself.

use std::sync::Arc;

use serde_json::{Map, Value};

use crate::condition::Condition;
use crate::template::Filling;
use crate::{Definition, Onward, OutputForm, RunError, WorkflowError, check};

/// A workflow that was checked, ready to be run. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Workflow {
    definition: Arc<Definition>,
    pub(crate) plan: Arc<Plan>,
}

/// What is run of a workflow.
#[derive(Debug)]
pub(crate) struct Plan {
    pub(crate) nodes: Vec<Arc<Node>>,
    pub(crate) output: Option<Filling>,
    pub(crate) at_once: usize,
}

/// One step.
#[derive(Debug)]
pub(crate) struct Node {
    pub(crate) name: String,
    pub(crate) kind: Kind,
    /// The steps beside it that have to end before it.
    pub(crate) needs: Vec<Need>,
    /// The steps beside it of which one has to open it; any time if there are none.
    pub(crate) gates: Vec<String>,
    pub(crate) tries: Tries,
    pub(crate) on_failure: Onward,
    pub(crate) on_unknown: Onward,
}

/// How a call is made again.
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
    pub(crate) why: Why,
}

/// Why a step waits for another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Why {
    /// It asks how the other ended, however that was.
    Status,
    /// It is to come behind it.
    Order,
    /// It reads its output.
    Data,
}

#[derive(Debug)]
pub(crate) enum Kind {
    Call { tool: String, arguments: Filling, reading: Reading },
    Condition { condition: Condition, then: Vec<String>, otherwise: Vec<String> },
    Group(Group),
}

/// How a result becomes an output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reading {
    Output(OutputForm),
    /// A human's yes, with a comment.
    Approval,
}

/// Steps that are done beside each other, or for each element of a list.
#[derive(Debug)]
pub(crate) struct Group {
    pub(crate) over: Option<Filling>,
    pub(crate) nodes: Vec<Arc<Node>>,
    pub(crate) at_once: Option<usize>,
    pub(crate) most: usize,
}

/// How many calls may run at once where nothing else is said.
const CALLS_AT_ONCE: usize = 8;
/// More than this would be a mistake.
const MOST_AT_ONCE: usize = 64;

impl Workflow {
    /// Checks a definition.
    ///
    /// # Errors
    /// If a name, a kind, a path or a condition is wrong, a step or input that is named is not there, or steps wait for
    /// each other.
    pub fn new(definition: Definition) -> Result<Self, WorkflowError> {
        let nodes = check::nodes(&definition)?;
        let output = check::output(&definition)?;
        let at_once = definition.at_once.unwrap_or(CALLS_AT_ONCE).clamp(1, MOST_AT_ONCE);
        Ok(Self { definition: Arc::new(definition), plan: Arc::new(Plan { nodes, output, at_once }) })
    }

    /// Reads a file of steps. A key that nobody knows is an error with its line.
    ///
    /// ```
    /// let text = r#"
    ///     name = "greet"
    ///     description = "Says hello."
    ///     [input.name]
    ///     description = "Whom to greet."
    ///     [[step]]
    ///     name = "hello"
    ///     tool = "run_command"
    ///     arguments = { argv = ["echo", "hello {{ input.name }}"] }
    /// "#;
    /// let workflow = windlass_workflow::Workflow::from_toml(text)?;
    /// assert_eq!(workflow.definition().steps.len(), 1);
    /// # Ok::<(), windlass_workflow::WorkflowError>(())
    /// ```
    ///
    /// # Errors
    /// If the text is no workflow; see [`new`](Self::new).
    pub fn from_toml(text: &str) -> Result<Self, WorkflowError> {
        let definition = toml::from_str(text).map_err(|error| WorkflowError::Toml(Box::new(error)))?;
        Self::new(definition)
    }

    /// By which it is run.
    pub fn name(&self) -> &str {
        &self.definition.name
    }

    /// As it was written.
    pub fn definition(&self) -> &Definition {
        &self.definition
    }

    /// The inputs with what stands for those that are not given.
    ///
    /// # Errors
    /// If one is missing that has to be given, or is none of the workflow's.
    pub fn complete(&self, mut input: Map<String, Value>) -> Result<Map<String, Value>, RunError> {
        let declared = &self.definition.input;
        let names = || declared.keys().map(String::as_str).collect::<Vec<_>>().join(", ");
        if let Some(unknown) = input.keys().find(|name| !declared.contains_key(*name)) {
            let problem = format!("the workflow {} has no input {unknown}; it has: {}", self.name(), names());
            return Err(RunError::Input { problem });
        }
        for (name, definition) in declared {
            if input.contains_key(name) {
                continue;
            }
            let Some(default) = &definition.default else {
                let problem = format!(
                    "the workflow {} needs the input {name}: {}",
                    self.name(),
                    definition.description
                );
                return Err(RunError::Input { problem });
            };
            input.insert(name.clone(), default.clone());
        }
        Ok(input)
    }
}
