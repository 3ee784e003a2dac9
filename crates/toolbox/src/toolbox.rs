//! The toolbox: name resolution, validation and execution of calls.

mod refusals;
mod unchecked;

use std::sync::Arc;

use tokio::sync::RwLock;
use windlass_protocol::{Control, Hints, ToolCall, ToolName, ToolSpec};
use windlass_schema::SchemaError;
use windlass_tool::{EarlyArguments, Tool};

use crate::availability::{availability, explain_hidden};
use crate::entry::Entry;
use crate::index::{CallableTool, FixedTools, ToolIndex};
use crate::refusal::CallRefusal;
use crate::rights::Rights;
use crate::route::{Route, route};
use crate::{
    Availability, BuildError, Identity, NameMap, OutputLimit, PartialCheck, PartialRefusal, ToolGroup,
    ToolboxBuilder, UnknownMode, WorkMode, WorkModes, WrongPayload,
};

/// The tools of an agent. A toolbox resolves names, validates arguments and runs calls: concurrent tools side
/// by side, exclusive tools alone.
///
/// Cloning is cheap; clones share the tools and the lock. A toolbox is a view of one mode and of the dynamic
/// tools at its creation. [`in_mode`](Self::in_mode) and [`refresh`](Self::refresh) return other views.
///
/// Two methods handle a call. [`check`](Self::check) finds the tool, validates the arguments and asks the tool for
/// the effects of the call; [`run`](Self::run) executes the checked call. Between them the caller decides about the
/// call, for example with `windlass-hitl`: a toolbox does not.
///
/// ```
/// use windlass_protocol::{Arguments, CallId, Effect, Hints, ToolCall, ToolName, ToolSpec};
/// use windlass_tool::{Context, Output};
/// use windlass_toolbox::{CallbackTool, Toolbox};
///
/// # tokio::runtime::Builder::new_current_thread().build()?.block_on(async {
/// let name = ToolName::new("roll_die")?;
/// let spec = ToolSpec::function(name.clone(), "Rolls a die.", r#"{"type":"object"}"#.parse()?);
/// let die = CallbackTool::new(spec, |_ctx, _payload| async { Ok(Output::text("4")) })
///     .with_hints(Hints::read_only())
///     .with_effects(|_| vec![Effect::Internal]);
/// let toolbox = Toolbox::builder().tool(die).build()?;
///
/// let call = ToolCall::function(CallId::new("call_1")?, name, Arguments::default());
/// let checked = toolbox.check(&call).expect("the arguments fit the schema");
/// assert_eq!(checked.facts.effects, [Effect::Internal], "policy decides about these");
/// let result = toolbox.run(&checked, &Context::new(call.id)).await?;
/// assert_eq!(result.wire_text(), "4");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// # })?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct Toolbox {
    index: Arc<ToolIndex>,
    pub(crate) plan: Arc<FixedTools>,
    mode: Option<Arc<WorkMode>>,
    rights: Rights,
    pub(crate) limit: OutputLimit,
    // tokio's lock is fair: it serves tasks in the order of arrival (RULES L5).
    pub(crate) lock: Arc<RwLock<()>>,
}

impl Toolbox {
    /// Returns a builder.
    pub fn builder() -> ToolboxBuilder {
        ToolboxBuilder::default()
    }

    pub(crate) fn new(plan: FixedTools, limit: OutputLimit) -> Self {
        Self {
            index: Arc::new(ToolIndex::collect(&plan)),
            plan: Arc::new(plan),
            mode: None,
            rights: Rights::default(),
            limit,
            lock: Arc::default(),
        }
    }

    /// Returns a view in a mode. Tools that the mode does not grant are hidden and refused.
    ///
    /// # Errors
    /// Returns an error if no mode has this slug.
    pub fn in_mode(&self, slug: &str) -> Result<Self, UnknownMode> {
        let mode = Arc::clone(self.plan.modes.find(slug)?);
        Ok(Self { mode: Some(mode), ..self.clone() })
    }

    /// Returns the tools for a sub-agent of an agent that has these tools. Tools that are hidden here stay
    /// hidden in every mode of the sub-agent, and the file patterns of this mode still apply. The sub-agent
    /// has a lock of its own, so the call that waits for the sub-agent does not block the sub-agent's calls. A tool that
    /// takes the answer of a run ([`Control::Answer`]) is not passed on.
    pub fn for_agent(&self) -> Self {
        let takes_answer = |entry: &&Arc<Entry>| entry.tool.hints().control == Control::Answer;
        let names = self.plan.entries.iter().filter(takes_answer).map(|entry| entry.name.to_string());
        let rights = self.rights.clone().with_mode(self.mode.as_ref()).withhold(names);
        Self { rights, lock: Arc::default(), ..self.clone() }
    }

    /// Restricts the offer to these registered names. Hidden tools stay hidden.
    pub fn only(&self, names: impl IntoIterator<Item = String>) -> Self {
        Self { rights: self.rights.clone().with_tools(names), ..self.clone() }
    }

    /// Returns a view with one more tool, which checks its arguments itself: a call with any arguments reaches it. Every
    /// mode grants the tool, and this view offers it whatever the configuration says about other tools.
    ///
    /// # Errors
    /// Returns an error if another tool has the name, or a name that tolerant lookup confuses with it.
    pub fn with_unvalidated_tool(&self, tool: Arc<dyn Tool>) -> Result<Self, BuildError> {
        let name = tool.spec().name().clone();
        if self.find(name.as_str()).is_some() {
            return Err(BuildError::DuplicateName { name });
        }
        let mut plan = FixedTools::clone(&self.plan);
        plan.names.push(&name)?;
        let identity = Identity::own(name.clone());
        let entry = Entry::with_checker(&identity, name.clone(), tool, None).into_tool_of_every_mode();
        plan.entries.push(Arc::new(entry));
        let rights = self.rights.clone().with_tool(name.as_str());
        Ok(Self { index: Arc::new(ToolIndex::collect(&plan)), plan: Arc::new(plan), rights, ..self.clone() })
    }

    /// Returns the current mode.
    pub fn mode(&self) -> Option<&WorkMode> {
        self.mode.as_deref()
    }

    /// Returns all available modes.
    pub fn modes(&self) -> &WorkModes {
        &self.plan.modes
    }

    /// Returns a view with the current dynamic tools. Call it at the beginning of a turn, because the offer
    /// must not change within a turn.
    pub fn refresh(&self) -> Self {
        if !self.is_stale() {
            return self.clone();
        }
        Self { index: Arc::new(ToolIndex::collect(&self.plan)), ..self.clone() }
    }

    /// Returns whether dynamic tools have been added or removed since this view was created, after the functions of
    /// [`DynamicTools::register_updater`](crate::DynamicTools::register_updater) have run.
    pub fn is_stale(&self) -> bool {
        self.plan.dynamic.as_ref().is_some_and(|dynamic| {
            dynamic.update();
            dynamic.generation() != self.index.generation
        })
    }

    /// Returns the specs and hints of the offered tools under their display names, in the order of
    /// registration.
    pub fn tool_specs(&self) -> Vec<(ToolSpec, Hints)> {
        self.iter_offered().map(|entry| (entry.display_spec(), entry.tool.hints())).collect()
    }

    /// Returns all tools, offered or hidden, with the names under which a model may call them.
    pub fn callable_tools(&self) -> Vec<CallableTool> {
        self.index.callable_tools()
    }

    /// Iterates over the registered names of the offered tools; policy and [`only`](Self::only) use these
    /// names.
    pub fn iter_offered_names(&self) -> impl Iterator<Item = &ToolName> {
        self.iter_offered().map(|entry| &entry.name)
    }

    /// Returns the names of all tools, offered or hidden.
    pub fn names(&self) -> &NameMap {
        &self.index.names
    }

    /// Returns the servers' tools of the builder whose schema cannot be compiled, with the error. Their
    /// arguments are not validated. Tools of [`DynamicTools::set_server`](crate::DynamicTools::set_server) are not included.
    pub fn schema_errors(&self) -> &[(ToolName, SchemaError)] {
        &self.plan.unchecked
    }

    /// Iterates over all tools, offered or hidden, in the order of registration.
    pub fn tools(&self) -> impl Iterator<Item = &Arc<dyn Tool>> {
        self.index.entries.iter().map(|entry| &entry.tool)
    }

    /// Returns the tool of a registered name or of a name that a model may write, offered or hidden.
    pub fn find(&self, name: &str) -> Option<&Arc<dyn Tool>> {
        self.index.find_any(name).map(|entry| &entry.tool)
    }

    /// Returns the group of the tool of this name.
    pub fn group(&self, name: &str) -> Option<ToolGroup> {
        self.index.find_any(name).map(|entry| entry.group)
    }

    /// Returns the availability of the tool of this name.
    pub fn availability(&self, name: &str) -> Option<Availability> {
        self.index.find_any(name).map(|entry| self.availability_of(entry))
    }

    pub(crate) fn entry(&self, name: &str) -> Option<&Arc<Entry>> {
        self.index.find(name)
    }

    pub(crate) fn availability_of(&self, entry: &Entry) -> Availability {
        match availability(&self.plan, self.mode(), entry) {
            Availability::Offered if !self.rights.give(entry) => Availability::NotForAgent,
            availability => availability,
        }
    }

    /// Returns the reason why a hidden tool cannot be called.
    pub(crate) fn explain_hidden(&self, entry: &Entry, availability: &Availability) -> CallRefusal {
        explain_hidden(&self.plan, self.mode(), entry, availability)
    }

    /// Runs a check for the current mode and for the modes of the calling agents.
    pub(crate) fn check_modes(
        &self,
        check: impl Fn(Option<&WorkMode>) -> Result<(), String>,
    ) -> Result<(), String> {
        check(self.mode())?;
        let above = |mode| check(Some(mode)).map_err(|problem| format!("{problem} (rule f.caller_rights)"));
        self.rights.modes().try_for_each(above)
    }

    pub(crate) fn iter_offered(&self) -> impl Iterator<Item = &Arc<Entry>> {
        self.index.entries.iter().filter(|entry| self.availability_of(entry).is_offered())
    }

    /// Checks that the tool accepts the call's payload kind, or that the model can correct the call. Call it
    /// before [`check`](Self::check), which turns every error into a result for the model.
    ///
    /// # Errors
    /// Returns an error if only the program can be at fault. The run must end because a result would not help
    /// the model.
    pub fn route(&self, call: &ToolCall) -> Result<(), WrongPayload> {
        let Some(entry) = self.entry(call.name.as_str()) else { return Ok(()) };
        let is_exact = self.index.names.is_exact(call.name.as_str());
        match route(entry, is_exact, &call.payload) {
            Route::Program(misrouted) => Err(misrouted),
            Route::Fits(_) | Route::Model(_) => Ok(()),
        }
    }

    /// Validates a call while its arguments still stream: the tool must be offered and the `latest` of its
    /// `complete` arguments must fit the schema. Returns the effects that are already certain.
    ///
    /// # Errors
    /// Returns the reason why the call cannot run, independent of its remaining arguments.
    pub fn check_partial(
        &self,
        name: &str,
        complete: &EarlyArguments,
        latest: &str,
    ) -> Result<PartialCheck, PartialRefusal> {
        crate::early::check_partial(self, name, complete, latest)
    }
}

impl std::fmt::Debug for Toolbox {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let names: Vec<_> = self.index.entries.iter().map(|entry| entry.name.as_str()).collect();
        let mode = self.mode().map(|mode| mode.slug.as_str());
        f.debug_struct("Toolbox").field("tools", &names).field("mode", &mode).finish_non_exhaustive()
    }
}
