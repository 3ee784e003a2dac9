//! The builder of an agent.

mod config_draft;
mod hooks;
mod hosted_tools;
mod model_choices;
mod own_tools;
mod protocols;
mod request_settings;

use std::sync::Arc;

use windlass_hitl::{ApprovalHistory, Autonomy, Policy};
use windlass_loop::{Budget, CallStart, ContextLimits, Repairs, RunLimits, UnansweredPolicy, UnknownEffects};
use windlass_protocol::{Capabilities, HostedTool, ToolProtocol};
use windlass_redact::Redactor;
use windlass_stream::Model;
use windlass_text_calls::Dialect;
use windlass_tokens::Tokenizer;
use windlass_tool::{Human, Tool};
use windlass_toolbox::Toolbox;

use self::config_draft::ConfigDraft;
use self::model_choices::ModelChoices;
use crate::agent_inner::AgentInner;
use crate::hook_set::HookSet;
use crate::lessons::{ApprovalHistoryStore, SharedHistory};
use crate::on_behalf::OnBehalf;
use crate::speech_options::SpeechOptions;
use crate::tools::Tools;
use crate::{Agent, AgentError, Approver, DenyAll, Summarizer};

/// The number of corrections of an answer that does not fit its type.
const CORRECTIONS: u32 = 2;

/// Builder of an [`Agent`]. Only [`model`](Self::model) is required. The capabilities of the model and its context
/// window are the ones that the model itself [knows](Model::facts), unless they are set here.
///
/// The settings determine the rights of the model: [`toolbox`](Self::toolbox) contains the tools,
/// [`policy`](Self::policy) and [`autonomy`](Self::autonomy) decide which calls run without a question, and
/// [`approver`](Self::approver) answers the questions. By default, calls that only read run and every other
/// call is denied, because the default approver is absent. The other settings limit the run, choose how
/// calls are encoded for the model, and keep secrets out of the conversation. The setters can be called in
/// any order; [`build`](Self::build) checks the settings.
///
/// ```
/// use windlass_agent::{Agent, AgentError};
/// use windlass_stream::Model;
///
/// fn reviewer(model: impl Model + 'static) -> Result<Agent, AgentError> {
///     Agent::builder().model(model, "model-1").system("You review changes.").build()
/// }
/// ```
#[derive(Default)]
pub struct AgentBuilder {
    model: Option<(Arc<dyn Model>, String)>,
    toolbox: Option<Toolbox>,
    /// The tools of a toolbox with the default configuration.
    own_tools: Vec<Arc<dyn Tool>>,
    policy: Policy,
    autonomy: Autonomy,
    work_mode: Option<String>,
    approver: Option<Arc<dyn Approver>>,
    human: Option<Arc<dyn Human>>,
    root: String,
    draft: ConfigDraft,
    hosted_tools: Vec<HostedTool>,
    protocols: Vec<ToolProtocol>,
    speech: SpeechOptions,
    lessons: Option<Arc<SharedHistory>>,
    redactor: Redactor,
    corrections: Option<u32>,
    capabilities: Option<Capabilities>,
    /// The settings of the agent from which the model is copied.
    inherited: Option<ModelChoices>,
    hooks: HookSet,
    tokenizer: Option<Tokenizer>,
    summarizer: Option<Arc<dyn Summarizer>>,
    agents: Vec<String>,
    shared_budget: Option<Budget>,
}

impl AgentBuilder {
    /// Returns the builder of an agent that works for another agent (RULES H13). It inherits the settings
    /// that [`for_copy`](Self::for_copy) copies; its questions to the human begin with its name.
    pub(crate) fn for_child(parts: &AgentInner, toolbox: Option<Toolbox>, name: String) -> Self {
        let mut below = Self::for_copy(parts, toolbox);
        below.human = below.human.map(|human| Arc::new(OnBehalf::new(human, &name)) as Arc<dyn Human>);
        below.agents.push(name);
        below
    }

    /// Returns a builder with the settings of another agent, except its system prompt, work mode, learned
    /// approvals and own budget, which have their defaults. The shared budget is copied.
    pub(crate) fn for_copy(parts: &AgentInner, toolbox: Option<Toolbox>) -> Self {
        let config = &parts.config;
        Self {
            model: Some((Arc::clone(&parts.model), config.model.clone())),
            toolbox,
            policy: parts.policy.clone(),
            autonomy: parts.autonomy,
            approver: Some(Arc::clone(&parts.approver)),
            human: parts.human.clone(),
            root: parts.root.clone(),
            draft: ConfigDraft::copy(config),
            speech: parts.speech,
            redactor: parts.redactor.clone(),
            corrections: Some(parts.corrections),
            inherited: Some(ModelChoices {
                capabilities: parts.capabilities,
                protocols: config.protocols.clone(),
                output: parts.speech.output,
                window: config.context.window,
                prices: config.budget.prices,
            }),
            hooks: parts.hooks.clone(),
            tokenizer: match &config.tokenizer {
                custom @ Tokenizer::Custom(_) => Some(custom.clone()),
                _ => None,
            },
            summarizer: parts.summarizer.clone(),
            agents: parts.agents.clone(),
            shared_budget: Some(config.shared_budget.clone()),
            ..Self::default()
        }
    }

    /// Sets the model and the name under which its provider knows it. A builder that copies the settings of another
    /// agent then uses the facts about this model.
    pub fn model(mut self, model: impl Model + 'static, name: impl Into<String>) -> Self {
        self.inherited = None;
        self.model = Some((Arc::new(model), name.into()));
        self
    }

    /// Sets the tools, with a configuration of their own. [`tool`](Self::tool) is shorter if the tools need none. By
    /// default the agent has no tools and can only answer with text.
    pub fn toolbox(mut self, toolbox: Toolbox) -> Self {
        self.toolbox = Some(toolbox);
        self
    }

    /// Sets the rules that allow, ask about or deny calls. By default reading is allowed and every other call
    /// needs an approval.
    pub fn policy(mut self, policy: Policy) -> Self {
        self.policy = policy;
        self
    }

    /// Sets the autonomy: the decision about calls that no rule covers. By default the approver is asked.
    pub fn autonomy(mut self, autonomy: Autonomy) -> Self {
        self.autonomy = autonomy;
        self
    }

    /// Sets the work mode in which runs begin, by its slug among the modes of the toolbox. A work mode
    /// selects the tools and the role for one kind of work. By default runs have no work mode and offer every
    /// visible tool. A resumed run stays in its recorded mode.
    pub fn work_mode(mut self, slug: impl Into<String>) -> Self {
        self.work_mode = Some(slug.into());
        self
    }

    /// Sets the approver, which answers approval requests. The default is [`DenyAll`], so that only calls that
    /// the policy allows run.
    pub fn approver(mut self, approver: impl Approver + 'static) -> Self {
        self.approver = Some(Arc::new(approver));
        self
    }

    /// Sets the human who answers questions of tools and whom the run consults, for example after too
    /// many mistakes.
    pub fn human(mut self, human: impl Human + 'static) -> Self {
        self.human = Some(Arc::new(human));
        self
    }

    /// Sets the system prompt.
    pub fn system(mut self, system: impl Into<String>) -> Self {
        self.draft.config.system = Some(system.into());
        self
    }

    /// Sets the root folder of the workspace. Approvals are valid only for this root.
    pub fn root(mut self, root: impl Into<String>) -> Self {
        self.root = root.into();
        self
    }

    /// Sets the limits at which a run stops or consults the human.
    pub fn limits(mut self, limits: RunLimits) -> Self {
        self.draft.config.limits = limits;
        self
    }

    /// Sets the usage after which the human is asked whether the run may continue (RULES H10). The default is
    /// unlimited.
    pub fn budget(mut self, budget: Budget) -> Self {
        self.draft.config.budget = budget;
        self
    }

    /// Sets when the calls of an answer begin. By default read-only calls begin while the answer still
    /// streams.
    pub fn call_start(mut self, start: CallStart) -> Self {
        self.draft.config.call_start = start;
        self
    }

    /// Sets the limits for the compaction of the conversation. By default it is compacted when the model's window
    /// fills, if the size of the window is known, and otherwise after the provider has refused its length.
    pub fn context(mut self, limits: ContextLimits) -> Self {
        self.draft.config.context = limits;
        self
    }

    /// Sets what happens if a human is needed and does not answer. By default the missing answer counts as a
    /// denial.
    pub fn on_unanswered(mut self, unanswered: UnansweredPolicy) -> Self {
        self.draft.config.unanswered = unanswered;
        self
    }

    /// Sets who is informed about calls whose effects are unknown because the process ended while they ran.
    /// By default only the model is informed.
    pub fn unknown_effects(mut self, told: UnknownEffects) -> Self {
        self.draft.config.unknown_effects = told;
        self
    }

    /// Sets the repairs of arguments that are not valid JSON. By default only an object that is encoded as a
    /// string is decoded.
    pub fn repairs(mut self, repairs: Repairs) -> Self {
        self.draft.config.repairs = repairs;
        self
    }

    /// Sets the dialect in which calls are written if they travel as text. The default is an XML tag for each
    /// tool and each parameter.
    pub fn dialect(mut self, dialect: Dialect) -> Self {
        self.speech.dialect = Some(dialect);
        self
    }

    /// Enables learned approvals: calls of a shape that was approved often enough run without another
    /// question (RULES H9). `learned` is the initial state, and `keeper` is called with the complete new
    /// state after each change. Use this only with an approver that asks a person, because an automatic
    /// approver would confirm its own answers. By default nothing is learned.
    pub fn approval_history(
        mut self,
        learned: ApprovalHistory,
        keeper: impl Fn(&ApprovalHistory) + Send + Sync + 'static,
    ) -> Self {
        self.lessons = Some(Arc::new(SharedHistory::new(learned, keeper)));
        self
    }

    /// Like [`AgentBuilder::approval_history`], but for a store that several processes share. Each answer is applied
    /// to the current content of the store, so that no process overwrites the changes of another.
    pub fn approval_history_in(
        mut self,
        learned: ApprovalHistory,
        store: impl ApprovalHistoryStore + 'static,
    ) -> Self {
        self.lessons = Some(Arc::new(SharedHistory::in_store(learned, store)));
        self
    }

    /// Sets the secrets that must not enter the conversation, its record or its events. They are removed from
    /// the task, from results, from error messages and from a human's comments before the run uses these
    /// texts. A call runs with the arguments that the model wrote; the secrets are removed where arguments
    /// are shown or recorded. By default no secrets are registered.
    pub fn redactor(mut self, redactor: Redactor) -> Self {
        self.redactor = redactor;
        self
    }

    /// Builds the agent.
    ///
    /// # Errors
    /// Returns [`AgentError::NoModel`] without a model, [`AgentError::Tools`] or [`AgentError::ToolsAndToolbox`] if the
    /// tools do not form a toolbox, [`AgentError::Mode`] if the toolbox does not have the work mode, and
    /// [`AgentError::HostedTool`] if the model does not take a hosted tool.
    pub fn build(mut self) -> Result<Agent, AgentError> {
        let (model, name) = self.model.ok_or(AgentError::NoModel)?;
        let known = self.inherited.unwrap_or_else(|| ModelChoices::from_facts(model.facts(&name)));
        let choices = known.with_capabilities(self.capabilities).with_protocols(self.protocols);
        let output = choices.output;
        let capabilities = choices.capabilities;
        self.toolbox = own_tools::join(self.toolbox, self.own_tools, &name)?;
        // Fail here and not in the first run if the work mode does not exist.
        let tools = Tools::new(self.toolbox.as_ref(), None, self.work_mode.as_deref())?;
        let mut config = self.draft.complete(name, choices, self.tokenizer, self.shared_budget);
        config.options.hosted_tools.append(&mut self.hosted_tools);
        if !config.options.hosted_tools.is_empty() {
            hosted_tools::check(model.as_ref(), &tools.config(&config))?;
        }
        Ok(Agent::new(AgentInner {
            model,
            toolbox: self.toolbox,
            policy: self.policy,
            autonomy: self.autonomy,
            work_mode: self.work_mode,
            approver: self.approver.unwrap_or_else(|| Arc::new(DenyAll)),
            root: self.root,
            config,
            speech: SpeechOptions { output, ..self.speech },
            lessons: self.lessons,
            redactor: self.redactor,
            corrections: self.corrections.unwrap_or(CORRECTIONS),
            capabilities,
            hooks: HookSet { human: self.human.clone(), ..self.hooks },
            human: self.human,
            summarizer: self.summarizer,
            agents: self.agents,
        }))
    }
}

impl std::fmt::Debug for AgentBuilder {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("AgentBuilder")
            .field("model", &self.model.as_ref().map(|(_, name)| name))
            .field("root", &self.root)
            .field("limits", &self.draft.config.limits)
            .field("work_mode", &self.work_mode)
            .field("agents", &self.agents)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;
