//! The declaration of a workflow, in a file or in code.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::ConditionDefinition;

/// The declaration of a workflow: its inputs, its steps and its output. Pass it to
/// [`Workflow::new`](crate::Workflow::new), which validates it.
///
/// ```
/// use windlass_workflow::{Definition, StepDefinition, Workflow};
/// let look = StepDefinition::tool("look", "list_files").with_argument("path", "{{ input.folder }}");
/// let definition = Definition::new("survey", "Looks into a folder.")
///     .with_input("folder", "Which folder.")
///     .with_step(look)
///     .with_step(StepDefinition::agent("report", "code_explorer", "Describe: {{ steps.look.output }}"));
/// assert_eq!(Workflow::new(definition)?.name(), "survey");
/// # Ok::<(), windlass_workflow::WorkflowError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Definition {
    /// The name that runs refer to.
    pub name: String,
    /// A description, for the human or the model that chooses a workflow.
    #[serde(default)]
    pub description: String,
    /// The inputs of the workflow, by name.
    #[serde(default)]
    pub input: BTreeMap<String, InputDefinition>,
    /// The output of the workflow, with paths. Default: the outputs of all completed steps by name.
    #[serde(default)]
    pub output: Option<Value>,
    /// Maximum number of concurrent calls over all steps, at most 64. Default: 8.
    #[serde(default)]
    pub at_once: Option<usize>,
    /// The steps.
    #[serde(default, rename = "step")]
    pub steps: Vec<StepDefinition>,
}

/// The declaration of an input.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct InputDefinition {
    /// A description of the input.
    #[serde(default)]
    pub description: String,
    /// The value that is used if the input is omitted. An input without a default is required.
    #[serde(default)]
    pub default: Option<Value>,
}

/// The declaration of a step. It has exactly one kind: `tool`, `agent`, `approval`, `ask`, `condition`,
/// `parallel` or `map`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
#[non_exhaustive]
pub struct StepDefinition {
    /// The name by which other steps read its output.
    pub name: String,
    /// Steps that must end before this one starts. Steps that it reads precede it in any case.
    pub after: Vec<String>,
    /// Calls the tool of this name.
    pub tool: Option<String>,
    /// The arguments of the tool, with paths.
    pub arguments: Map<String, Value>,
    /// Delegates a task to the agent of this name.
    pub agent: Option<String>,
    /// The task of the agent.
    pub task: Option<String>,
    /// The format of the output of a tool, an agent or an `ask` step. Default: text.
    pub output: Option<OutputForm>,
    /// Asks a human for approval with this question; a denial is a failure of the step.
    pub approval: Option<String>,
    /// The subject of the approval, which the human sees in full.
    pub about: Option<Value>,
    /// Asks a human for a text with this question.
    pub ask: Option<String>,
    /// Suggested answers of an `ask` step.
    pub suggestions: Vec<String>,
    /// Evaluates a condition and opens one of two sets of steps.
    pub condition: Option<ConditionDefinition>,
    /// The steps to open if the condition holds.
    pub then: Vec<String>,
    /// The steps to open if the condition does not hold.
    #[serde(rename = "else")]
    pub otherwise: Vec<String>,
    /// Runs these steps concurrently.
    pub parallel: Vec<Self>,
    /// Runs the steps in `do` for each element of this list.
    pub map: Option<Value>,
    /// The steps for each element of a `map`; they can read `item` and `index`.
    #[serde(rename = "do")]
    pub body: Vec<Self>,
    /// Maximum number of concurrent elements of a `map` (default: 1) or steps of a `parallel` (default: all).
    pub at_once: Option<usize>,
    /// Maximum number of elements of a `map`, at most 1,000; a longer list is a failure. Default: 100.
    pub most: Option<usize>,
    /// Number of retries of a failed call, at most 20. Only a call that is repeatable or did not start is
    /// retried.
    pub retries: u32,
    /// Wait before the first retry, in milliseconds; it doubles for each further retry, up to ten minutes.
    /// Default: 1,000.
    pub backoff_ms: Option<u64>,
    /// Timeout of one call, in milliseconds. Time spent waiting for a human's approval does not count.
    pub timeout_ms: Option<u64>,
    /// Declares the call idempotent although its tool does not: a second call has no further effect. A call
    /// that a crash interrupted is then repeated as well.
    pub repeatable: bool,
    /// Continuation after a failure. Default: stop.
    pub on_failure: Option<FailurePolicy>,
    /// Continuation if a crash interrupted the call and its effects are unknown. Default: like `on_failure`.
    pub on_unknown: Option<FailurePolicy>,
}

/// The format of an output.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[expect(clippy::exhaustive_enums, reason = "words or a value")]
pub enum OutputForm {
    /// The text of the result.
    #[default]
    Text,
    /// The result parsed as JSON, or else the JSON in its last fenced block that is valid. The step fails
    /// without either.
    Json,
}

/// The continuation after a step that failed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[expect(clippy::exhaustive_enums, reason = "no further, on, or elsewhere")]
pub enum FailurePolicy {
    /// Starts no further steps of this level.
    #[default]
    Stop,
    /// Continues as if the step had succeeded; its output is whatever the failed call returned.
    Continue,
    /// Runs this step, which is skipped otherwise. Steps that read the output of the failed step are skipped.
    Goto(String),
}

impl Definition {
    /// Creates a workflow without steps.
    pub fn new(name: impl Into<String>, description: impl Into<String>) -> Self {
        Self { name: name.into(), description: description.into(), ..Self::default() }
    }

    /// Adds a required input.
    pub fn with_input(mut self, name: impl Into<String>, description: impl Into<String>) -> Self {
        let input = InputDefinition { description: description.into(), default: None };
        self.input.insert(name.into(), input);
        self
    }

    /// Adds an optional input with a default value.
    pub fn with_default(
        mut self,
        name: impl Into<String>,
        description: impl Into<String>,
        value: impl Into<Value>,
    ) -> Self {
        let input = InputDefinition { description: description.into(), default: Some(value.into()) };
        self.input.insert(name.into(), input);
        self
    }

    /// Adds a step.
    pub fn with_step(mut self, step: StepDefinition) -> Self {
        self.steps.push(step);
        self
    }

    /// Sets the output.
    pub fn with_output(mut self, output: impl Into<Value>) -> Self {
        self.output = Some(output.into());
        self
    }
}

impl StepDefinition {
    fn with_name(name: impl Into<String>) -> Self {
        Self { name: name.into(), ..Self::default() }
    }

    /// Creates a step that calls a tool.
    pub fn tool(name: impl Into<String>, tool: impl Into<String>) -> Self {
        Self { tool: Some(tool.into()), ..Self::with_name(name) }
    }

    /// Creates a step that delegates a task to an agent.
    pub fn agent(name: impl Into<String>, agent: impl Into<String>, task: impl Into<String>) -> Self {
        Self { agent: Some(agent.into()), task: Some(task.into()), ..Self::with_name(name) }
    }

    /// Creates a step that asks a human for approval.
    pub fn approval(name: impl Into<String>, question: impl Into<String>, about: impl Into<Value>) -> Self {
        Self { approval: Some(question.into()), about: Some(about.into()), ..Self::with_name(name) }
    }

    /// Creates a step that asks a human for a text.
    pub fn ask(name: impl Into<String>, question: impl Into<String>) -> Self {
        Self { ask: Some(question.into()), ..Self::with_name(name) }
    }

    /// Creates a step that opens other steps by a condition.
    pub fn condition<T: Into<String>>(
        name: impl Into<String>,
        condition: ConditionDefinition,
        then: impl IntoIterator<Item = T>,
        otherwise: impl IntoIterator<Item = T>,
    ) -> Self {
        Self {
            condition: Some(condition),
            then: then.into_iter().map(Into::into).collect(),
            otherwise: otherwise.into_iter().map(Into::into).collect(),
            ..Self::with_name(name)
        }
    }

    /// Creates a step that runs other steps concurrently.
    pub fn parallel(name: impl Into<String>, steps: impl IntoIterator<Item = Self>) -> Self {
        Self { parallel: steps.into_iter().collect(), ..Self::with_name(name) }
    }

    /// Creates a step that runs other steps for each element of a list.
    pub fn map(
        name: impl Into<String>,
        list: impl Into<Value>,
        body: impl IntoIterator<Item = Self>,
    ) -> Self {
        Self { map: Some(list.into()), body: body.into_iter().collect(), ..Self::with_name(name) }
    }

    /// Adds an argument for the tool.
    pub fn with_argument(mut self, name: impl Into<String>, value: impl Into<Value>) -> Self {
        self.arguments.insert(name.into(), value.into());
        self
    }

    /// Adds steps that must end before this one starts.
    pub fn with_after<T: Into<String>>(mut self, steps: impl IntoIterator<Item = T>) -> Self {
        self.after.extend(steps.into_iter().map(Into::into));
        self
    }

    /// Sets the format of the output.
    pub fn with_output(mut self, form: OutputForm) -> Self {
        self.output = Some(form);
        self
    }

    /// Sets the maximum number of concurrent elements or steps.
    pub fn with_at_once(mut self, count: usize) -> Self {
        self.at_once = Some(count);
        self
    }

    /// Sets the number of retries and the wait before the first one.
    pub fn with_retries(mut self, retries: u32, backoff_ms: u64) -> Self {
        self.retries = retries;
        self.backoff_ms = Some(backoff_ms);
        self
    }

    /// Declares the call idempotent, so that it may be repeated.
    pub fn with_repeatable(mut self) -> Self {
        self.repeatable = true;
        self
    }

    /// Sets the timeout of one call, in milliseconds.
    pub fn with_timeout_ms(mut self, timeout_ms: u64) -> Self {
        self.timeout_ms = Some(timeout_ms);
        self
    }

    /// Sets the continuation after a failure.
    pub fn with_on_failure(mut self, policy: FailurePolicy) -> Self {
        self.on_failure = Some(policy);
        self
    }

    /// Sets the continuation if the effects of an interrupted call are unknown.
    pub fn with_on_unknown(mut self, policy: FailurePolicy) -> Self {
        self.on_unknown = Some(policy);
        self
    }
}
