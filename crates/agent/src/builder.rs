//! Putting an agent together.

use std::sync::Arc;

use windlass_hitl::{Learned, Mode, Policy};
use windlass_loop::{Budget, CallStart, Config, ContextLimits, Limits, Repairs, Unanswered, UnknownEffects};
use windlass_model::Model;
use windlass_protocol::{Capabilities, Support, ToolProtocol};
use windlass_redact::Redactor;
use windlass_text_calls::{Dialect, StructuredOutput};
use windlass_tokens::Tokenizer;
use windlass_tool::Human;
use windlass_toolbox::Toolbox;

use crate::agent::Parts;
use crate::asking::SpeechOptions;
use crate::lessons::{LearnedStore, Lessons};
use crate::on_behalf::OnBehalf;
use crate::tools::Tools;
use crate::{Agent, AgentError, Approver, Nobody};

/// Puts an [`Agent`] together. Only a model is needed.
#[derive(Default)]
pub struct AgentBuilder {
    model: Option<(Arc<dyn Model>, String)>,
    toolbox: Option<Toolbox>,
    policy: Policy,
    mode: Mode,
    work_mode: Option<String>,
    approver: Option<Arc<dyn Approver>>,
    human: Option<Arc<dyn Human>>,
    system: Option<String>,
    root: String,
    limits: Limits,
    budget: Budget,
    max_output_tokens: Option<u64>,
    repairs: Repairs,
    call_start: CallStart,
    context: ContextLimits,
    unanswered: Unanswered,
    unknown_effects: UnknownEffects,
    protocols: Vec<ToolProtocol>,
    speech: SpeechOptions,
    lessons: Option<Arc<Lessons>>,
    redactor: Redactor,
    agents: Vec<String>,
    shared_budget: Option<Budget>,
}

impl AgentBuilder {
    /// An agent below another (RULES H13): what is not said here is as by default.
    pub(crate) fn below(parts: &Parts, toolbox: Option<Toolbox>, name: String) -> Self {
        let mut below = Self::beside(parts, toolbox);
        below.human = below.human.map(|human| Arc::new(OnBehalf::new(human, &name)) as Arc<dyn Human>);
        below.agents.push(name);
        below
    }

    /// An agent like another: what is not said here is as by default.
    pub(crate) fn beside(parts: &Parts, toolbox: Option<Toolbox>) -> Self {
        let config = &parts.config;
        Self {
            model: Some((Arc::clone(&parts.model), config.model.clone())),
            toolbox,
            policy: parts.policy.clone(),
            mode: parts.mode,
            approver: Some(Arc::clone(&parts.approver)),
            human: parts.human.clone(),
            root: parts.root.clone(),
            limits: config.limits,
            budget: Budget { prices: config.budget.prices, ..Budget::default() },
            max_output_tokens: config.max_output_tokens,
            repairs: config.repairs,
            call_start: config.call_start,
            context: config.context,
            unanswered: config.unanswered,
            unknown_effects: config.unknown_effects,
            protocols: config.protocols.clone(),
            speech: parts.speech,
            redactor: parts.redactor.clone(),
            agents: parts.agents.clone(),
            shared_budget: Some(config.shared_budget.clone()),
            ..Self::default()
        }
    }

    /// The tools that it has so far, as of an agent below another.
    pub fn tools(&self) -> Option<&Toolbox> {
        self.toolbox.as_ref()
    }

    /// Who answers, and the provider's name of the model.
    pub fn model(mut self, model: impl Model + 'static, name: impl Into<String>) -> Self {
        self.model = Some((Arc::new(model), name.into()));
        self
    }

    /// The tools. Without them the agent can only talk.
    pub fn toolbox(mut self, toolbox: Toolbox) -> Self {
        self.toolbox = Some(toolbox);
        self
    }

    /// What may run without asking, and what may never run. Without it: reading, and asking for the rest.
    pub fn policy(mut self, policy: Policy) -> Self {
        self.policy = policy;
        self
    }

    /// How far the run goes without asking.
    pub fn mode(mut self, mode: Mode) -> Self {
        self.mode = mode;
        self
    }

    /// The mode that runs begin in, by its slug among the toolbox's modes: it says what kind of work they do. Without it
    /// none: every tool that is offered is there for every work. A run that is resumed is in the mode that it was in.
    pub fn work_mode(mut self, slug: impl Into<String>) -> Self {
        self.work_mode = Some(slug.into());
        self
    }

    /// Who says whether a call may run. Without it: nobody, so that only what policy allows runs.
    pub fn approver(mut self, approver: impl Approver + 'static) -> Self {
        self.approver = Some(Arc::new(approver));
        self
    }

    /// Who answers questions of tools, and helps after too many mistakes.
    pub fn human(mut self, human: impl Human + 'static) -> Self {
        self.human = Some(Arc::new(human));
        self
    }

    /// The system prompt.
    pub fn system(mut self, system: impl Into<String>) -> Self {
        self.system = Some(system.into());
        self
    }

    /// The workspace's root, as approvals are bound to it.
    pub fn root(mut self, root: impl Into<String>) -> Self {
        self.root = root.into();
        self
    }

    /// Where the run stops by itself.
    pub fn limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// How much the run may use before the human is asked whether it goes on (RULES H10). Without it: anything.
    pub fn budget(mut self, budget: Budget) -> Self {
        self.budget = budget;
        self
    }

    /// When the calls of an answer begin. Without it: early, where that is safe.
    pub fn call_start(mut self, start: CallStart) -> Self {
        self.call_start = start;
        self
    }

    /// When the conversation is made shorter. Without it: when the provider refuses its length.
    pub fn context(mut self, limits: ContextLimits) -> Self {
        self.context = limits;
        self
    }

    /// What happens where a human is needed and nobody answers. Without it: silence is a no.
    pub fn unanswered(mut self, unanswered: Unanswered) -> Self {
        self.unanswered = unanswered;
        self
    }

    /// Who is told of calls that were cut off by a crash, so that nobody knows what they did. Without it: the model.
    pub fn unknown_effects(mut self, told: UnknownEffects) -> Self {
        self.unknown_effects = told;
        self
    }

    /// What is repaired of arguments that are nearly JSON. Without it: an object's text inside a string.
    pub fn repairs(mut self, repairs: Repairs) -> Self {
        self.repairs = repairs;
        self
    }

    /// How calls may reach the model, the best first; the first one that the provider takes is kept for the whole
    /// run and its record (RULES P5). Without it: native calls. A run that is resumed stays with what it was on.
    pub fn protocols(mut self, protocols: impl IntoIterator<Item = ToolProtocol>) -> Self {
        self.protocols = protocols.into_iter().collect();
        self
    }

    /// What the model can do: it decides how calls reach it, natively, in a constrained answer, or as text.
    pub fn capabilities(mut self, capabilities: Capabilities) -> Self {
        self.protocols = ToolProtocol::in_order(capabilities);
        self.speech.output = match (capabilities.structured_output, capabilities.json_output) {
            (Support::No, Support::No) => StructuredOutput::Prompt,
            (Support::No, _) => StructuredOutput::Json,
            _ => StructuredOutput::Schema,
        };
        self
    }

    /// The form in which calls are written where they travel as text. Without it: a tag for each tool and each
    /// parameter.
    pub fn dialect(mut self, dialect: Dialect) -> Self {
        self.speech.dialect = Some(dialect);
        self
    }

    /// What earlier answers taught, and who keeps it when it changes. Only for an approver who is a person: what
    /// says yes by itself would teach itself. Without it nothing is learned (RULES H9).
    pub fn learned(mut self, learned: Learned, keeper: impl Fn(&Learned) + Send + Sync + 'static) -> Self {
        self.lessons = Some(Arc::new(Lessons::new(learned, keeper)));
        self
    }

    /// Like [`AgentBuilder::learned`], for lessons that several processes share: each answer changes what the store
    /// holds at that time, so no process overwrites the lessons of another.
    pub fn learned_in(mut self, learned: Learned, store: impl LearnedStore + 'static) -> Self {
        self.lessons = Some(Arc::new(Lessons::in_store(learned, store)));
        self
    }

    /// Secrets that must not come into the conversation, its record or its events. They are taken out of the task, of
    /// results, errors and comments before anything else is done with them. The arguments of a call are run as the
    /// model wrote them, and shown and recorded without. Without it nothing is known to be secret.
    pub fn redactor(mut self, redactor: Redactor) -> Self {
        self.redactor = redactor;
        self
    }

    /// The most tokens of each answer.
    pub fn max_output_tokens(mut self, tokens: u64) -> Self {
        self.max_output_tokens = Some(tokens);
        self
    }

    /// The agent.
    ///
    /// # Errors
    /// If there is no model, or no mode of the slug that is to be begun in.
    pub fn build(self) -> Result<Agent, AgentError> {
        let (model, name) = self.model.ok_or(AgentError::NoModel)?;
        let tokenizer = Tokenizer::of_model(&name);
        // That the mode is there is found before a run begins.
        Tools::new(self.toolbox.as_ref(), None, self.work_mode.as_deref())?;
        let config = Config::new(name, Vec::new())
            .with_system(self.system)
            .with_limits(self.limits)
            .with_shared_budget(self.shared_budget.unwrap_or_else(|| self.budget.clone()))
            .with_budget(self.budget)
            .with_repairs(self.repairs)
            .with_call_start(self.call_start)
            .with_context(self.context)
            .with_tokenizer(tokenizer)
            .with_unanswered(self.unanswered)
            .with_unknown_effects(self.unknown_effects)
            .with_protocols(self.protocols)
            .with_max_output_tokens(self.max_output_tokens);
        Ok(Agent::new(Parts {
            model,
            toolbox: self.toolbox,
            policy: self.policy,
            mode: self.mode,
            work_mode: self.work_mode,
            approver: self.approver.unwrap_or_else(|| Arc::new(Nobody)),
            human: self.human,
            root: self.root,
            config,
            speech: self.speech,
            lessons: self.lessons,
            redactor: self.redactor,
            agents: self.agents,
        }))
    }
}
