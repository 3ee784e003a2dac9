//! The path of a typed answer: a schema that the provider enforces, a call of a tool, or text.

use std::sync::Arc;

use serde::de::DeserializeOwned;
use windlass_protocol::{
    Message, OutputFormat, OutputSchema, RawJson, Request, RequestOptions, Support, ToolChoice, ToolName,
    ToolProtocol, ToolSpec,
};
use windlass_toolbox::Toolbox;

use super::answer_tool::{AnswerTool, Corrections};
use super::form::Form;
use crate::agent_inner::AgentInner;
use crate::{Agent, RunOptions};

/// The name of the schema, which some providers require, and of the tool.
const NAME: &str = "answer";
/// The number of names that are tried for the tool.
const MAX_NAMES: u32 = 9;
/// The description of the tool for the model.
const DESCRIPTION: &str = "Takes the answer of the task, and ends the task. Call it alone, once, when the answer is known. \
     The arguments are the answer.";

/// The path on which the answer of a run reaches its reader. It follows from what is known of the model.
#[derive(Debug)]
pub(crate) enum AnswerPath {
    /// The answer is text, and the provider enforces its schema.
    Schema(OutputFormat),
    /// The answer is the arguments of a call.
    Call(AnswerCall),
    /// The answer is text, and the task has the schema in words.
    Text,
}

/// The settings of a run whose answer is a call.
#[derive(Debug)]
pub(crate) struct AnswerCall {
    /// The tools of the run, with the tool that takes the answer.
    toolbox: Toolbox,
    name: ToolName,
    choice: ToolChoice,
}

impl AnswerPath {
    /// Chooses the first path that the agent's model can take.
    pub(crate) fn choose<T: DeserializeOwned + 'static>(
        agent: &Agent,
        form: &Arc<Form<T>>,
        corrections: &Arc<Corrections>,
    ) -> Self {
        if let Some(output) = agent.enforce(form.schema()) {
            return Self::Schema(output);
        }
        AnswerCall::new(agent, form, corrections).map_or(Self::Text, Self::Call)
    }

    /// Adds the settings of this path to the options of a run.
    pub(crate) fn apply(&self, mut options: RunOptions) -> RunOptions {
        match self {
            Self::Schema(output) => options = options.with_output(output.clone()),
            Self::Call(call) => {
                options.answer_toolbox = Some(call.toolbox.clone());
                let choice = RequestOptions::default().with_tool_choice(call.choice.clone());
                options.request = options.request.merge(&choice);
            }
            Self::Text => {}
        }
        options
    }

    /// Returns the words that a task needs on this path.
    pub(crate) fn instruction<T>(&self, form: &Form<T>) -> Option<String> {
        match self {
            Self::Schema(_) => None,
            Self::Call(call) => (!call.choice.demands_call()).then(|| call.instruction()),
            Self::Text => Some(form.instruction()),
        }
    }

    /// Returns the words for a task that a completion tool can end, too: neither the provider nor the demand of a call
    /// holds for the argument of that tool.
    pub(crate) fn instruction_beside_completion<T>(&self, form: &Form<T>) -> String {
        match self {
            Self::Call(call) => call.instruction(),
            Self::Schema(_) | Self::Text => form.instruction(),
        }
    }

    /// Returns the message about a text that does not fit.
    pub(crate) fn correct<T>(&self, form: &Form<T>, problem: &str) -> String {
        match self {
            Self::Call(call) => format!("Your answer cannot be used: {problem}. {}", call.instruction()),
            Self::Schema(_) | Self::Text => form.correction(problem),
        }
    }

    /// Returns whether a call of this name gives the answer.
    pub(crate) fn is_answer(&self, name: &ToolName) -> bool {
        let Self::Call(call) = self else { return false };
        ToolName::loose_form(name.as_str()) == ToolName::loose_form(call.name.as_str())
    }
}

impl AnswerCall {
    /// Returns `None` if calls of the agent are not native, or if the model refuses the tool.
    fn new<T: DeserializeOwned + 'static>(
        agent: &Agent,
        form: &Arc<Form<T>>,
        corrections: &Arc<Corrections>,
    ) -> Option<Self> {
        let parts = agent.parts();
        if !parts.has_native_calls() || parts.config.options.tool_choice == ToolChoice::None {
            return None;
        }
        let toolbox = parts.begin().current();
        let toolbox = toolbox.or_else(|| Toolbox::builder().model(&parts.config.model).build().ok())?;
        let name = find_name(&toolbox)?;
        let spec =
            ToolSpec::function(name.clone(), DESCRIPTION, form.schema().clone()).with_eager_arguments();
        let is_alone =
            toolbox.iter_offered_names().next().is_none() && parts.config.options.hosted_tools.is_empty();
        let demand = if is_alone { ToolChoice::Named(name.clone()) } else { ToolChoice::Required };
        let choice = choose_demand(parts, &spec, demand)?;
        let tool = AnswerTool::new(spec, Arc::clone(form), Arc::clone(corrections));
        let toolbox = toolbox.with_unvalidated_tool(Arc::new(tool)).ok()?;
        Some(Self { toolbox, name, choice })
    }

    fn instruction(&self) -> String {
        format!("Give the answer by a call of the tool `{}`.", self.name)
    }
}

/// Returns a name for the tool that no other tool has.
fn find_name(toolbox: &Toolbox) -> Option<ToolName> {
    let names =
        (1..=MAX_NAMES).map(|number| if number == 1 { NAME.to_owned() } else { format!("{NAME}_{number}") });
    let mut free = names.filter(|name| toolbox.find(name).is_none());
    free.next().and_then(|name| ToolName::new(name).ok())
}

/// Returns the tool choice with which the model takes the tool: the demand, or `Auto` if the model does not take a
/// demand or the agent has a choice of its own. Returns `None` if the model refuses the tool itself.
fn choose_demand(parts: &AgentInner, spec: &ToolSpec, demand: ToolChoice) -> Option<ToolChoice> {
    let without = parts.probe();
    let is_demanded = without.options.tool_choice.demands_call();
    let known = parts.model.check(&without);
    let mut with = without;
    with.tools.push(spec.clone());
    let accepts =
        |request: &Request| parts.model.check(request).iter().all(|refusal| known.contains(refusal));
    let may_demand =
        parts.capabilities.is_none_or(|capabilities| capabilities.forced_tool_choice != Support::No);
    if may_demand && !is_demanded && accepts(&with.clone().with_tool_choice(demand.clone())) {
        return Some(demand);
    }
    accepts(&with).then_some(ToolChoice::Auto)
}

impl Agent {
    /// Returns the output format that makes the provider enforce the schema, or `None` if it cannot, or if calls take
    /// its place.
    pub(crate) fn enforce(&self, schema: &RawJson) -> Option<OutputFormat> {
        let parts = self.parts();
        if !parts.has_native_calls() || !parts.may_take_schema() {
            return None;
        }
        let output = OutputFormat::Schema(OutputSchema::new(NAME, schema.clone()));
        let config = parts.begin().config(&parts.config);
        let tools = config.tools.iter().map(|tool| tool.spec.clone()).collect();
        let request = Request::new(config.model.as_str(), vec![Message::user("JSON")]);
        let request = request.with_tools(tools).with_output(output.clone());
        let refusals = parts.model.check(&request);
        (!refusals.iter().any(|refusal| refusal.place.starts_with("output"))).then_some(output)
    }
}

impl AgentInner {
    /// Returns whether calls are native in the first protocol.
    fn has_native_calls(&self) -> bool {
        self.config.protocols.first().is_none_or(|first| *first == ToolProtocol::Native)
    }

    /// Returns a request with the options and the tools of the first request of a run.
    fn probe(&self) -> Request {
        let config = self.begin().config(&self.config);
        let tools = config.tools.into_iter().map(|tool| tool.spec).collect();
        Request::new(config.model, vec![Message::user("task")]).with_tools(tools).with_options(config.options)
    }
}
