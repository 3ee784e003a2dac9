//! A workflow as it is written, in a file or in code.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::ConditionDefinition;

/// A workflow as it is written.
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
    /// By which it is run.
    pub name: String,
    /// What it does, for whoever chooses one.
    #[serde(default)]
    pub description: String,
    /// What it has to be given.
    #[serde(default)]
    pub input: BTreeMap<String, InputDefinition>,
    /// What comes of it. Without it: the outputs of all steps by their names.
    #[serde(default)]
    pub output: Option<Value>,
    /// How many calls may run at once, over all steps. Without it: 8.
    #[serde(default)]
    pub at_once: Option<usize>,
    /// What is done.
    #[serde(default, rename = "step")]
    pub steps: Vec<StepDefinition>,
}

/// Something that a workflow is given.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct InputDefinition {
    /// What it is.
    #[serde(default)]
    pub description: String,
    /// What it is where it is not given. Without it, it has to be given.
    #[serde(default)]
    pub default: Option<Value>,
}

/// A step as it is written. It has exactly one kind: `tool`, `agent`, `approval`, `ask`, `condition`, `parallel` or `map`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
#[non_exhaustive]
pub struct StepDefinition {
    /// Under which its output is read.
    pub name: String,
    /// Steps that have to end before it. What it reads comes before it anyhow.
    pub after: Vec<String>,
    /// Calls a tool.
    pub tool: Option<String>,
    /// What the tool is called with.
    pub arguments: Map<String, Value>,
    /// Hands a task to the agent of this name.
    pub agent: Option<String>,
    /// The task.
    pub task: Option<String>,
    /// How the output of a tool or an agent is read.
    pub output: Option<OutputForm>,
    /// Asks a human whether it goes on; a no is a failure of the step.
    pub approval: Option<String>,
    /// What the question is about: it is shown whole.
    pub about: Option<Value>,
    /// Asks a human for words.
    pub ask: Option<String>,
    /// Likely answers.
    pub suggestions: Vec<String>,
    /// Looks at the state and opens one of two sets of steps.
    pub condition: Option<ConditionDefinition>,
    /// The steps that are opened where it holds.
    pub then: Vec<String>,
    /// The steps that are opened where it does not.
    #[serde(rename = "else")]
    pub otherwise: Vec<String>,
    /// Does steps beside each other.
    pub parallel: Vec<Self>,
    /// Does steps for each element of a list.
    pub map: Option<Value>,
    /// What is done for each, which reads `item` and `index`.
    #[serde(rename = "do")]
    pub body: Vec<Self>,
    /// How many elements, or steps, at once. Without it: one element, or all steps.
    pub at_once: Option<usize>,
    /// The most elements that are taken; more are a failure. Without it: 100.
    pub most: Option<usize>,
    /// How often a failed call is made again, if it may be.
    pub retries: u32,
    /// How long before that, in milliseconds; twice as long each time.
    pub backoff_ms: Option<u64>,
    /// How long one call may take, in milliseconds.
    pub timeout_ms: Option<u64>,
    /// Says that the call may be made twice although its tool does not say so: nothing is done by it that was not done by
    /// the first. It is then also made again where a crash cut it off.
    pub repeatable: bool,
    /// What happens when it fails. Without it: everything stops.
    pub on_failure: Option<Onward>,
    /// What happens when nobody knows what it did, because a crash cut it off. Without it: as for a failure.
    pub on_unknown: Option<Onward>,
}

/// How an output is read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[expect(clippy::exhaustive_enums, reason = "words or a value")]
pub enum OutputForm {
    /// As words.
    #[default]
    Text,
    /// As the JSON that it is, or that stands in it between fences. Without any the step has failed.
    Json,
}

/// How it goes on behind a step that failed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[expect(clippy::exhaustive_enums, reason = "no further, on, or elsewhere")]
pub enum Onward {
    /// Nothing more is begun.
    #[default]
    Stop,
    /// As if it had not failed; its output is what there is of one.
    Continue,
    /// With this step, which is left out otherwise. What reads the failed step is left out.
    Goto(String),
}

impl Definition {
    /// A workflow without steps.
    pub fn new(name: impl Into<String>, description: impl Into<String>) -> Self {
        Self { name: name.into(), description: description.into(), ..Self::default() }
    }

    /// The same with an input that has to be given.
    pub fn with_input(mut self, name: impl Into<String>, description: impl Into<String>) -> Self {
        let input = InputDefinition { description: description.into(), default: None };
        self.input.insert(name.into(), input);
        self
    }

    /// The same with an input that may be given.
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

    /// The same with one more step.
    pub fn with_step(mut self, step: StepDefinition) -> Self {
        self.steps.push(step);
        self
    }

    /// The same with another output.
    pub fn with_output(mut self, output: impl Into<Value>) -> Self {
        self.output = Some(output.into());
        self
    }
}

impl StepDefinition {
    fn named(name: impl Into<String>) -> Self {
        Self { name: name.into(), ..Self::default() }
    }

    /// A step that calls a tool.
    pub fn tool(name: impl Into<String>, tool: impl Into<String>) -> Self {
        Self { tool: Some(tool.into()), ..Self::named(name) }
    }

    /// A step that hands a task to an agent.
    pub fn agent(name: impl Into<String>, agent: impl Into<String>, task: impl Into<String>) -> Self {
        Self { agent: Some(agent.into()), task: Some(task.into()), ..Self::named(name) }
    }

    /// A step that asks a human for a yes.
    pub fn approval(name: impl Into<String>, question: impl Into<String>, about: impl Into<Value>) -> Self {
        Self { approval: Some(question.into()), about: Some(about.into()), ..Self::named(name) }
    }

    /// A step that asks a human for words.
    pub fn ask(name: impl Into<String>, question: impl Into<String>) -> Self {
        Self { ask: Some(question.into()), ..Self::named(name) }
    }

    /// A step that opens others.
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
            ..Self::named(name)
        }
    }

    /// A step that does others beside each other.
    pub fn parallel(name: impl Into<String>, steps: impl IntoIterator<Item = Self>) -> Self {
        Self { parallel: steps.into_iter().collect(), ..Self::named(name) }
    }

    /// A step that does others for each element of a list.
    pub fn map(
        name: impl Into<String>,
        list: impl Into<Value>,
        body: impl IntoIterator<Item = Self>,
    ) -> Self {
        Self { map: Some(list.into()), body: body.into_iter().collect(), ..Self::named(name) }
    }

    /// The same with an argument for its tool.
    pub fn with_argument(mut self, name: impl Into<String>, value: impl Into<Value>) -> Self {
        self.arguments.insert(name.into(), value.into());
        self
    }

    /// The same after these steps.
    pub fn with_after<T: Into<String>>(mut self, steps: impl IntoIterator<Item = T>) -> Self {
        self.after.extend(steps.into_iter().map(Into::into));
        self
    }

    /// The same with its output read so.
    pub fn with_output(mut self, form: OutputForm) -> Self {
        self.output = Some(form);
        self
    }

    /// The same, with so many elements or steps at once.
    pub fn with_at_once(mut self, count: usize) -> Self {
        self.at_once = Some(count);
        self
    }

    /// The same, tried again so often after so long.
    pub fn with_retries(mut self, retries: u32, backoff_ms: u64) -> Self {
        self.retries = retries;
        self.backoff_ms = Some(backoff_ms);
        self
    }

    /// The same, whose call may be made twice.
    pub fn with_repeatable(mut self) -> Self {
        self.repeatable = true;
        self
    }

    /// The same, given up after so long.
    pub fn with_timeout_ms(mut self, timeout_ms: u64) -> Self {
        self.timeout_ms = Some(timeout_ms);
        self
    }

    /// The same, going on so where it fails.
    pub fn with_on_failure(mut self, onward: Onward) -> Self {
        self.on_failure = Some(onward);
        self
    }

    /// The same, going on so where nobody knows what it did.
    pub fn with_on_unknown(mut self, onward: Onward) -> Self {
        self.on_unknown = Some(onward);
        self
    }
}
