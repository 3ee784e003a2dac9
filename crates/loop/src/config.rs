//! What a run is set up with.

use serde::{Deserialize, Serialize};
use windlass_assemble::Repairs;
use windlass_hitl::DEFAULT_TIMEOUT_MS;
use windlass_protocol::{Control, Delivery, Hints, History, ParallelCalls, Request, ToolProtocol, ToolSpec};

use windlass_tokens::Tokenizer;

use crate::{Budget, ContextLimits, KnownTool, RunOrigin};

/// A tool as the loop knows it: what the model is told, and what a call means.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct OfferedTool {
    /// What the model is told.
    pub spec: ToolSpec,
    /// What the tool says about itself.
    pub hints: Hints,
}

impl OfferedTool {
    /// A tool on offer.
    pub fn new(spec: ToolSpec, hints: Hints) -> Self {
        Self { spec, hints }
    }
}

/// Where a run stops by itself. Zero turns a limit off, but for `stream_retries`: there it is the number that it says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_structs, reason = "callers write it with `..Limits::default()`")]
pub struct Limits {
    /// The most answers of the model.
    pub turns: u32,
    /// How many turns in a row may bring nothing but mistakes, before the human is asked (RULES L4).
    pub mistakes: u32,
    /// How often in a row the same call may be made (RULES L4). A call of a tool that only reads begins a new row when its
    /// answer is another than before, so that a tool can be polled.
    pub repeats: u32,
    /// How often in a row the model is told to use a tool, before the human is asked (RULES L3).
    pub nudges: u32,
    /// How often a broken or empty answer is asked for again. With zero it is not.
    pub stream_retries: u32,
    /// How long an approval request waits, in milliseconds. With zero it waits for as long as the run does.
    pub approval_timeout_ms: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            turns: 100,
            mistakes: 3,
            repeats: 3,
            nudges: 3,
            stream_retries: 5,
            approval_timeout_ms: DEFAULT_TIMEOUT_MS,
        }
    }
}

/// When the calls of an answer begin.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "before the end of the answer, or after it")]
pub enum CallStart {
    /// Those that only read and come first begin while the rest of the answer still streams, if policy lets them
    /// without a question (RULES L6).
    #[default]
    Early,
    /// When the answer has ended.
    AfterAnswer,
}

/// What happens where the human is needed and nobody answers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "it is a no, or the run waits")]
pub enum Unanswered {
    /// Silence is a no: the call does not run, or the run stops (RULES H12).
    #[default]
    Deny,
    /// The run goes on as far as it can without, and is then suspended: the answer can come when this process is gone.
    Suspend,
}

/// Who is told of a call whose effects nobody knows, because its process ended while it ran (RULES R6).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "the model, or the human before it")]
pub enum UnknownEffects {
    /// The model, which looks at the present state.
    #[default]
    TellModel,
    /// Also the human, before the model goes on.
    AskHuman,
}

/// What a run is set up with. It stays the same for the whole run, so that every request begins with the bytes of the one
/// before (RULES N6); only tools, system prompt and mode can be others from a turn on (`Input::Offer`).
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Config {
    /// The provider's name of the model.
    pub model: String,
    /// The system prompt.
    pub system: Option<String>,
    /// The mode that it begins in, by its slug.
    pub mode: Option<String>,
    /// The tools on offer.
    pub tools: Vec<OfferedTool>,
    /// All tools, offered or hidden, with the names that lead to them. Without any, the tools on offer are known by their
    /// own names.
    pub known_tools: Vec<KnownTool>,
    /// Whether one answer may hold several calls.
    pub parallel_calls: ParallelCalls,
    /// The most tokens of an answer.
    pub max_output_tokens: Option<u64>,
    /// How calls may reach the model, the best first. The first one that the provider does not refuse is kept for
    /// the whole run and written down with it (RULES P5).
    pub protocols: Vec<ToolProtocol>,
    /// What is repaired of arguments that are nearly JSON.
    pub repairs: Repairs,
    /// Where the run stops by itself.
    pub limits: Limits,
    /// How much it may use before a human is asked.
    pub budget: Budget,
    /// How much it may use together with the others that share its budget, before a human is asked.
    pub shared_budget: Budget,
    /// The run's id, by which its calls are known outside of it; empty for a run that nobody else meets.
    pub run: String,
    /// The origin of a run that another run begins.
    pub origin: Option<RunOrigin>,
    /// When calls begin.
    pub call_start: CallStart,
    /// When the conversation is made shorter.
    pub context: ContextLimits,
    /// How the model counts its tokens, where that is known.
    pub tokenizer: Tokenizer,
    /// What happens where nobody answers.
    pub unanswered: Unanswered,
    /// Who is told of a call that was cut off.
    pub unknown_effects: UnknownEffects,
}

impl Config {
    /// A run of a model with these tools.
    pub fn new(model: impl Into<String>, tools: Vec<OfferedTool>) -> Self {
        Self {
            model: model.into(),
            system: None,
            mode: None,
            tools,
            known_tools: Vec::new(),
            parallel_calls: ParallelCalls::ProviderDefault,
            max_output_tokens: None,
            protocols: vec![ToolProtocol::Native],
            repairs: Repairs::default(),
            limits: Limits::default(),
            budget: Budget::default(),
            shared_budget: Budget::default(),
            run: String::new(),
            origin: None,
            call_start: CallStart::default(),
            context: ContextLimits::default(),
            tokenizer: Tokenizer::default(),
            unanswered: Unanswered::default(),
            unknown_effects: UnknownEffects::default(),
        }
    }

    /// The same run, in which these names lead to tools.
    pub fn with_known_tools(mut self, known: Vec<KnownTool>) -> Self {
        self.known_tools = known;
        self
    }

    /// The same run with a budget.
    pub fn with_budget(mut self, budget: Budget) -> Self {
        self.budget = budget;
        self
    }

    /// The same run with a budget that it shares with others.
    pub fn with_shared_budget(mut self, budget: Budget) -> Self {
        self.shared_budget = budget;
        self
    }

    /// The same run with an id.
    pub fn with_run(mut self, id: impl Into<String>) -> Self {
        self.run = id.into();
        self
    }

    /// Sets the origin of a run that another run begins.
    pub fn with_origin(mut self, origin: Option<RunOrigin>) -> Self {
        self.origin = origin;
        self
    }

    /// The same run whose calls begin then.
    pub fn with_call_start(mut self, start: CallStart) -> Self {
        self.call_start = start;
        self
    }

    /// The same run, whose conversation is made shorter then.
    pub fn with_context(mut self, limits: ContextLimits) -> Self {
        self.context = limits;
        self
    }

    /// The same run, whose tokens are counted so.
    pub fn with_tokenizer(mut self, tokenizer: Tokenizer) -> Self {
        self.tokenizer = tokenizer;
        self
    }

    /// The same run, denied or suspended where nobody answers.
    pub fn with_unanswered(mut self, unanswered: Unanswered) -> Self {
        self.unanswered = unanswered;
        self
    }

    /// The same run, in which somebody else is told of calls that were cut off.
    pub fn with_unknown_effects(mut self, told: UnknownEffects) -> Self {
        self.unknown_effects = told;
        self
    }

    /// The same run with a system prompt.
    pub fn with_system(mut self, system: Option<String>) -> Self {
        self.system = system;
        self
    }

    /// The same run, begun in a mode.
    pub fn with_mode(mut self, mode: Option<String>) -> Self {
        self.mode = mode;
        self
    }

    /// The same run with these ways for calls, the best first. Without any it is native calls.
    pub fn with_protocols(mut self, protocols: impl IntoIterator<Item = ToolProtocol>) -> Self {
        self.protocols = protocols.into_iter().collect();
        self
    }

    /// The same run with other limits.
    pub fn with_limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// The same run with more or fewer repairs of arguments that are nearly JSON.
    pub fn with_repairs(mut self, repairs: Repairs) -> Self {
        self.repairs = repairs;
        self
    }

    /// The same run with a limit on each answer.
    pub fn with_max_output_tokens(mut self, tokens: Option<u64>) -> Self {
        self.max_output_tokens = tokens;
        self
    }

    /// The name of the tool by which the model says that it is done, if one is on offer.
    pub(crate) fn completion_tool(&self) -> Option<&str> {
        self.tools
            .iter()
            .find(|tool| tool.hints.control == Control::Completion)
            .map(|tool| tool.spec.name().as_str())
    }

    pub(crate) fn request(&self, messages: History) -> Request {
        let mut request = Request::new(self.model.clone(), messages)
            .with_tools(self.tools.iter().map(|tool| tool.spec.clone()).collect())
            .with_delivery(Delivery::Stream)
            .with_parallel_calls(self.parallel_calls);
        request.system.clone_from(&self.system);
        request.max_output_tokens = self.max_output_tokens;
        request
    }
}
