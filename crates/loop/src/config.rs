//! The configuration of a run.

mod tools;

use serde::{Deserialize, Serialize};
use windlass_assemble::Repairs;
use windlass_hitl::DEFAULT_TIMEOUT_MS;
use windlass_protocol::{
    Control, Delivery, Hints, History, OutputFormat, Request, RequestOptions, ToolName, ToolProtocol,
    ToolSpec,
};

use windlass_tokens::Tokenizer;

use crate::{Budget, ContextLimits, KnownTool, RunOrigin};

/// A tool that the model may call: its description for the model, and its hints for the machine.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct OfferedTool {
    /// The description that the model receives.
    pub spec: ToolSpec,
    /// The tool's hints.
    pub hints: Hints,
}

impl OfferedTool {
    /// Creates an offered tool.
    pub fn new(spec: ToolSpec, hints: Hints) -> Self {
        Self { spec, hints }
    }
}

/// The limits at which a run stops or asks the human. Zero turns a limit off, except for `stream_retries`,
/// where zero means no retry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
#[expect(clippy::exhaustive_structs, reason = "callers write it with `..RunLimits::default()`")]
pub struct RunLimits {
    /// Number of answers of the model.
    pub turns: u32,
    /// Cost of the run and of the other runs that share its budget, in millionths of the currency of
    /// [`Budget::prices`]. The last answer can exceed it. A resumed run counts from its beginning. Without known prices
    /// the cost stays zero.
    #[serde(skip_serializing_if = "crate::budget::is_zero")]
    pub cost: u64,
    /// Number of consecutive turns with a mistake and without a successful result, at which the human is
    /// asked (RULES L4).
    pub mistakes: u32,
    /// Number of consecutive equal calls that may run (RULES L4). A read-only call restarts the count if its
    /// result changes, and [`Hints::polls`](windlass_protocol::Hints::polls) exempts a tool.
    pub repeats: u32,
    /// Number of consecutive instructions to use a tool, after which the human is asked (RULES L3).
    pub nudges: u32,
    /// Number of repeated requests for a broken or empty answer. An empty answer is requested at most twice
    /// more.
    pub stream_retries: u32,
    /// Timeout of an approval request in milliseconds. With zero the request waits as long as the run.
    pub approval_timeout_ms: u64,
}

impl Default for RunLimits {
    fn default() -> Self {
        Self {
            turns: 100,
            cost: 0,
            mistakes: 3,
            repeats: 3,
            nudges: 3,
            stream_retries: 5,
            approval_timeout_ms: DEFAULT_TIMEOUT_MS,
        }
    }
}

/// The time at which the calls of an answer start.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[expect(clippy::exhaustive_enums, reason = "before the end of the answer, or after it")]
pub enum CallStart {
    /// The read-only calls at the beginning of an answer start while the rest of it streams, if policy allows
    /// them without a question (RULES L6).
    #[default]
    Early,
    /// All calls start after the end of the answer.
    AfterAnswer,
}

/// The reaction to a question that the human does not answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[expect(clippy::exhaustive_enums, reason = "it is a no, or the run waits")]
pub enum UnansweredPolicy {
    /// The missing answer counts as a denial: the call does not run, or the run stops (RULES H12).
    #[default]
    Deny,
    /// The run continues as far as possible without the answer, and is then suspended. The answer can arrive
    /// after the process has ended.
    Suspend,
}

/// The recipient of a report about a call whose effects are unknown, because its process ended while it ran
/// (RULES R6).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[expect(clippy::exhaustive_enums, reason = "the model, or the human before it")]
pub enum UnknownEffects {
    /// Only the model, which then inspects the present state.
    #[default]
    TellModel,
    /// The human before the model continues, and the model.
    AskHuman,
}

/// The configuration of a run. It stays the same for the whole run, so that every request begins with the
/// bytes of the previous one (RULES N6). Only `Input::Offer` changes it: it replaces the tools, the system
/// prompt and the mode from a turn on.
///
/// A durable engine stores the serialised configuration with the run, so that a later process continues the
/// run under the configuration with which it began.
///
/// Create it with [`Config::new`] and the `with_` methods.
///
/// ```
/// use windlass_loop::{Config, RunLimits};
///
/// let config = Config::new("some-model", Vec::new()).with_limits(RunLimits { turns: 20, ..RunLimits::default() });
/// assert_eq!(config.limits.mistakes, 3);
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Config {
    /// The provider's name of the model.
    pub model: String,
    /// The system prompt.
    pub system: Option<String>,
    /// The slug of the mode at the start.
    pub mode: Option<String>,
    /// The tools that the model may call.
    pub tools: Vec<OfferedTool>,
    /// All tools, offered or hidden, with the names that select them. If the list is empty, the offered tools
    /// are selected by their own names.
    pub known_tools: Vec<KnownTool>,
    /// The options of each request.
    #[serde(flatten)]
    pub options: RequestOptions,
    /// The format of each answer's text.
    #[serde(default)]
    pub output: OutputFormat,
    /// The protocols in which calls may reach the model, in order of preference. The run keeps and records
    /// the first one that the provider does not refuse (RULES P5).
    pub protocols: Vec<ToolProtocol>,
    /// True if a text without a call ends the task although a completion tool is offered, as in a conversation.
    /// Otherwise the model is asked to use the tool.
    #[serde(default)]
    pub ends_with_text: bool,
    /// The repairs of arguments that are not valid JSON.
    pub repairs: Repairs,
    /// The limits at which the run stops or asks the human.
    pub limits: RunLimits,
    /// The limits on the usage of this run, at which the human is asked.
    pub budget: Budget,
    /// The limits on the usage of this run and the other runs that share the budget, at which the human is
    /// asked. The limits `wall_ms` and `calls` count for this run only.
    pub shared_budget: Budget,
    /// The run's id, which identifies its calls outside the run; empty for a run that is not identified.
    pub run: String,
    /// The origin of a run that another run starts.
    pub origin: Option<RunOrigin>,
    /// The time at which calls start.
    pub call_start: CallStart,
    /// The limits for compaction.
    pub context: ContextLimits,
    /// The model's tokenizer, if it is known.
    pub tokenizer: Tokenizer,
    /// The reaction to a question that the human does not answer.
    pub unanswered: UnansweredPolicy,
    /// The recipient of a report about an interrupted call.
    pub unknown_effects: UnknownEffects,
}

impl Config {
    /// Creates the configuration of a run with this model and these tools.
    pub fn new(model: impl Into<String>, tools: Vec<OfferedTool>) -> Self {
        Self {
            model: model.into(),
            system: None,
            mode: None,
            tools,
            known_tools: Vec::new(),
            options: RequestOptions::default(),
            output: OutputFormat::Text,
            protocols: vec![ToolProtocol::Native],
            ends_with_text: false,
            repairs: Repairs::default(),
            limits: RunLimits::default(),
            budget: Budget::default(),
            shared_budget: Budget::default(),
            run: String::new(),
            origin: None,
            call_start: CallStart::default(),
            context: ContextLimits::default(),
            tokenizer: Tokenizer::default(),
            unanswered: UnansweredPolicy::default(),
            unknown_effects: UnknownEffects::default(),
        }
    }

    /// Sets the tools that names select.
    pub fn with_known_tools(mut self, known: Vec<KnownTool>) -> Self {
        self.known_tools = known;
        self
    }

    /// Sets the run's own budget.
    pub fn with_budget(mut self, budget: Budget) -> Self {
        self.budget = budget;
        self
    }

    /// Sets the budget that the run shares with others.
    pub fn with_shared_budget(mut self, budget: Budget) -> Self {
        self.shared_budget = budget;
        self
    }

    /// Sets the run's id.
    pub fn with_run(mut self, id: impl Into<String>) -> Self {
        self.run = id.into();
        self
    }

    /// Sets the origin of a run that another run begins.
    pub fn with_origin(mut self, origin: Option<RunOrigin>) -> Self {
        self.origin = origin;
        self
    }

    /// Sets the time at which calls start.
    pub fn with_call_start(mut self, start: CallStart) -> Self {
        self.call_start = start;
        self
    }

    /// Sets the limits for compaction.
    pub fn with_context(mut self, limits: ContextLimits) -> Self {
        self.context = limits;
        self
    }

    /// Sets the model's tokenizer.
    pub fn with_tokenizer(mut self, tokenizer: Tokenizer) -> Self {
        self.tokenizer = tokenizer;
        self
    }

    /// Sets the reaction to a question that the human does not answer.
    pub fn with_unanswered(mut self, unanswered: UnansweredPolicy) -> Self {
        self.unanswered = unanswered;
        self
    }

    /// Sets the recipient of a report about an interrupted call.
    pub fn with_unknown_effects(mut self, told: UnknownEffects) -> Self {
        self.unknown_effects = told;
        self
    }

    /// Sets the system prompt.
    pub fn with_system(mut self, system: Option<String>) -> Self {
        self.system = system;
        self
    }

    /// Sets the mode at the start.
    pub fn with_mode(mut self, mode: Option<String>) -> Self {
        self.mode = mode;
        self
    }

    /// Sets the protocols in order of preference. An empty list means native calls.
    pub fn with_protocols(mut self, protocols: impl IntoIterator<Item = ToolProtocol>) -> Self {
        self.protocols = protocols.into_iter().collect();
        self
    }

    /// Sets the limits.
    pub fn with_limits(mut self, limits: RunLimits) -> Self {
        self.limits = limits;
        self
    }

    /// Sets whether a text without a call ends the task although a completion tool is offered.
    pub fn with_ends_with_text(mut self, ends: bool) -> Self {
        self.ends_with_text = ends;
        self
    }

    /// Sets the repairs of arguments that are not valid JSON.
    pub fn with_repairs(mut self, repairs: Repairs) -> Self {
        self.repairs = repairs;
        self
    }

    /// Sets the format of each answer's text.
    pub fn with_output(mut self, output: OutputFormat) -> Self {
        self.output = output;
        self
    }

    /// Sets the options of each request. A tool choice that demands a call holds until the first call of the task,
    /// because the run could not end otherwise. If a tool takes the answer ([`Control::Answer`]), it holds for each
    /// request.
    pub fn with_options(mut self, options: RequestOptions) -> Self {
        self.options = options;
        self
    }

    /// Returns the name of the offered tool that completes the task, if one is offered. The tool of the answer comes
    /// before others.
    pub(crate) fn completion_tool(&self) -> Option<&str> {
        let find = |control| self.tools.iter().find(|tool| tool.hints.control == control);
        let tool = find(Control::Answer).or_else(|| find(Control::Completion));
        tool.map(|tool| tool.spec.name().as_str())
    }

    /// Returns true if a tool takes the answer of the task. Each answer of the model can then be demanded to be a call.
    pub(crate) fn has_answer_tool(&self) -> bool {
        self.tools.iter().any(|tool| tool.hints.control == Control::Answer)
    }

    /// Returns true if a tool of this name is offered.
    pub(crate) fn offers(&self, name: &ToolName) -> bool {
        self.tools.iter().any(|tool| tool.spec.name() == name)
    }

    pub(crate) fn request(&self, messages: History) -> Request {
        let mut request = Request::new(self.model.clone(), messages)
            .with_tools(self.tools.iter().map(|tool| tool.spec.clone()).collect())
            .with_delivery(Delivery::Stream)
            .with_options(self.options.clone())
            .with_output(self.output.clone());
        request.system.clone_from(&self.system);
        request
    }
}
