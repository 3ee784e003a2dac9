//! The toolbox: name resolution, validation and execution of calls.

use std::collections::BTreeMap;
use std::sync::Arc;

use tokio::sync::RwLock;
use windlass_hitl::Facts;
use windlass_protocol::{
    Change, Effect, Hints, PlannedFile, ReconcileOutcome, Risk, ToolCall, ToolName, ToolResult, ToolSpec,
};
use windlass_schema::{Coercion, SchemaError};
use windlass_tool::{EarlyArguments, Tool};

use crate::entry::Entry;
use crate::rights::Rights;
use crate::route::{Route, route};
use crate::standing::{explain_hidden, standing};
use crate::{
    DynamicTools, Foreseen, Identity, ModelRule, NameMap, OutputLimit, Refusal, Standing, ToolConfig,
    ToolGroup, ToolboxBuilder, UnknownMode, WorkMode, WorkModes, WrongPayload,
};

/// The tools of an agent. A toolbox resolves names, validates arguments and runs calls: concurrent tools side
/// by side, exclusive tools alone.
///
/// Cloning is cheap; clones share the tools and the lock. A toolbox is a view of one mode and of the dynamic
/// tools at its creation. [`in_mode`](Self::in_mode) and [`refreshed`](Self::refresh) return other views.
#[derive(Clone)]
pub struct Toolbox {
    shelf: Arc<Shelf>,
    pub(crate) plan: Arc<Plan>,
    mode: Option<Arc<WorkMode>>,
    rights: Rights,
    pub(crate) limit: OutputLimit,
    // tokio's lock is fair: it serves tasks in the order of arrival (RULES L5).
    pub(crate) lock: Arc<RwLock<()>>,
}

/// All tools of a view, offered or hidden.
pub(crate) struct Shelf {
    pub(crate) names: NameMap,
    pub(crate) entries: Vec<Arc<Entry>>,
    pub(crate) generation: u64,
}

/// The part of a toolbox that does not change during runs.
pub(crate) struct Plan {
    pub(crate) config: ToolConfig,
    pub(crate) rule: ModelRule,
    pub(crate) modes: WorkModes,
    pub(crate) unavailable: BTreeMap<String, String>,
    pub(crate) unchecked: Vec<(ToolName, SchemaError)>,
    pub(crate) dynamic: Option<DynamicTools>,
    /// The static tools and their names.
    pub(crate) names: NameMap,
    pub(crate) entries: Vec<Arc<Entry>>,
}

/// A call after lookup and validation: the input of policy's decision and, if policy agrees, of `run`.
#[derive(Clone)]
#[non_exhaustive]
pub struct Checked {
    /// The tool's name in the registry; the call may use an alias.
    pub name: ToolName,
    /// The tool's own spec, whose name can differ from the registered name and from the display name.
    pub spec: ToolSpec,
    /// The facts on which policy decides.
    pub facts: Facts,
    /// The call that runs and that a human sees. It equals the model's call except for the changes in
    /// `coerced`.
    pub call: ToolCall,
    /// The changes that made the arguments fit the tool's schema (RULES J9).
    pub coerced: Vec<Coercion>,
    /// The changes to files that the inspection found; empty before [`Toolbox::inspect`].
    pub changes: Vec<Change>,
    pub(crate) entry: Arc<Entry>,
}

/// A tool with the names under which a model may call it (RULES N1, N3, N4).
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct CallableTool {
    /// The tool's name in the registry.
    pub name: ToolName,
    /// The tool's hints about itself.
    pub hints: Hints,
    /// The names that resolve exactly: the display name and aliases.
    pub exact: Vec<String>,
    /// The tolerant forms ([`ToolName::loose_form`]) of names that resolve to this tool alone. Empty for
    /// high-risk tools.
    pub loose: Vec<String>,
}

impl Shelf {
    /// Collects the static tools, followed by the dynamic tools.
    pub(crate) fn collect(plan: &Plan) -> Self {
        let (generation, guests) = plan.dynamic.as_ref().map(DynamicTools::entries).unwrap_or_default();
        let mut names = plan.names.clone();
        let mut entries = plan.entries.clone();
        for guest in guests {
            if names.push(&guest.name).is_ok() {
                entries.push(guest);
            }
        }
        let visitors = plan.dynamic.as_ref().map(DynamicTools::visitors).unwrap_or_default();
        let identities: Vec<&Identity> = visitors.iter().map(|visitor| &visitor.identity).collect();
        let shown = names.push_remote(&identities);
        for (visitor, shown) in visitors.iter().zip(shown) {
            entries.extend(shown.map(|shown| visitor.entry.clone().with_display_name(shown)));
        }
        Self { names, entries, generation }
    }
}

impl Toolbox {
    /// Returns a builder.
    pub fn builder() -> ToolboxBuilder {
        ToolboxBuilder::default()
    }

    pub(crate) fn new(plan: Plan, limit: OutputLimit) -> Self {
        Self {
            shelf: Arc::new(Shelf::collect(&plan)),
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
    /// has a lock of its own, so the call that waits for the sub-agent does not block the sub-agent's calls.
    pub fn for_agent(&self) -> Self {
        let rights = self.rights.clone().with_mode(self.mode.as_ref());
        Self { rights, lock: Arc::default(), ..self.clone() }
    }

    /// Restricts the offer to these registered names. Hidden tools stay hidden.
    pub fn only(&self, names: impl IntoIterator<Item = String>) -> Self {
        Self { rights: self.rights.clone().with_tools(names), ..self.clone() }
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
        Self { shelf: Arc::new(Shelf::collect(&self.plan)), ..self.clone() }
    }

    /// Returns whether dynamic tools have been added or removed since this view was created.
    pub fn is_stale(&self) -> bool {
        self.plan.dynamic.as_ref().is_some_and(|dynamic| dynamic.generation() != self.shelf.generation)
    }

    /// Returns the specs and hints of the offered tools under their display names, in the order of
    /// registration.
    pub fn offered_specs(&self) -> Vec<(ToolSpec, Hints)> {
        self.iter_offered().map(|entry| (entry.display_spec(), entry.tool.hints())).collect()
    }

    /// Returns all tools, offered or hidden, with the names under which a model may call them.
    pub fn callable_tools(&self) -> Vec<CallableTool> {
        let known = |(position, entry): (usize, &Arc<Entry>)| {
            let hints = entry.tool.hints();
            let (exact, loose) = self.shelf.names.names_of(position);
            // As in `entry`, a high-risk tool resolves only by an exact name.
            let loose = if hints.risk < Risk::High { loose } else { Vec::new() };
            CallableTool { name: entry.name.clone(), hints, exact, loose }
        };
        self.shelf.entries.iter().enumerate().map(known).collect()
    }

    /// Iterates over the registered names of the offered tools; policy and [`only`](Self::only) use these
    /// names.
    pub fn iter_offered_names(&self) -> impl Iterator<Item = &ToolName> {
        self.iter_offered().map(|entry| &entry.name)
    }

    /// Returns the names of all tools, offered or hidden.
    pub fn names(&self) -> &NameMap {
        &self.shelf.names
    }

    /// Returns the servers' tools of the builder whose schema cannot be compiled, with the error. Their
    /// arguments are not validated. Tools of [`DynamicTools::set_server`] are not included.
    pub fn schema_errors(&self) -> &[(ToolName, SchemaError)] {
        &self.plan.unchecked
    }

    /// Iterates over all tools, offered or hidden, in the order of registration.
    pub fn tools(&self) -> impl Iterator<Item = &Arc<dyn Tool>> {
        self.shelf.entries.iter().map(|entry| &entry.tool)
    }

    /// Returns the tool of a registered name or of a name that a model may write, offered or hidden.
    pub fn find(&self, name: &str) -> Option<&Arc<dyn Tool>> {
        self.any(name).map(|entry| &entry.tool)
    }

    /// Returns the group of the tool of this name.
    pub fn group(&self, name: &str) -> Option<ToolGroup> {
        self.any(name).map(|entry| entry.group)
    }

    /// Returns the availability of the tool of this name.
    pub fn standing(&self, name: &str) -> Option<Standing> {
        self.any(name).map(|entry| self.standing_of(entry))
    }

    fn any(&self, name: &str) -> Option<&Arc<Entry>> {
        let names = &self.shelf.names;
        let position = names.find_registered(name).or_else(|| names.position(name));
        position.and_then(|position| self.shelf.entries.get(position))
    }

    pub(crate) fn entry(&self, name: &str) -> Option<&Arc<Entry>> {
        let names = &self.shelf.names;
        let entry = names.position(name).and_then(|position| self.shelf.entries.get(position))?;
        // A high-risk tool resolves only by an exact name (RULES N3 allows tolerance but does not require
        // it).
        (names.is_exact(name) || entry.tool.hints().risk < Risk::High).then_some(entry)
    }

    pub(crate) fn standing_of(&self, entry: &Entry) -> Standing {
        match standing(&self.plan, self.mode(), entry) {
            Standing::Offered if !self.rights.give(entry) => Standing::NotForAgent,
            standing => standing,
        }
    }

    /// Returns the reason why a hidden tool cannot be called.
    pub(crate) fn explain_hidden(&self, entry: &Entry, standing: &Standing) -> String {
        explain_hidden(&self.plan, self.mode(), entry, standing)
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
        self.shelf.entries.iter().filter(|entry| self.standing_of(entry).is_offered())
    }

    /// Checks that the tool accepts the call's payload kind, or that the model can correct the call. Call it
    /// before [`check`](Self::check), which turns every error into a result for the model.
    ///
    /// # Errors
    /// Returns an error if only the program can be at fault. The run must end because a result would not help
    /// the model.
    pub fn route(&self, call: &ToolCall) -> Result<(), WrongPayload> {
        let Some(entry) = self.entry(call.name.as_str()) else { return Ok(()) };
        let is_exact = self.shelf.names.is_exact(call.name.as_str());
        match route(entry, is_exact, &call.payload) {
            Route::Program(misrouted) => Err(misrouted),
            Route::Fits(_) | Route::Model(_) => Ok(()),
        }
    }

    /// Resolves a call and validates its arguments, before policy or a human sees it (RULES J10).
    ///
    /// # Errors
    /// Returns the result for the model if the tool is unknown or hidden, the tool does not accept the
    /// arguments, or the mode does not grant the files.
    pub fn check(&self, call: &ToolCall) -> Result<Checked, Box<ToolResult>> {
        crate::check::check(self, call)
    }

    /// Returns the effects of a call even if its tool is hidden, for restoring a conversation. Returns `None`
    /// if the tool is unknown, does not accept the payload kind, or panics.
    pub fn effects(&self, call: &ToolCall) -> Option<Vec<Effect>> {
        crate::check::effects(self, call)
    }

    /// Inspects the state that a checked call would run on and adds it to the call's facts. Reads the file
    /// system and can block the thread.
    ///
    /// # Errors
    /// Returns the result for the model if the tool's inspection panics or a symbolic link leads to a file
    /// that the mode does not grant. A call that cannot be inspected does not run.
    pub fn inspect(&self, checked: Checked) -> Result<Checked, Box<ToolResult>> {
        crate::check::inspect(self, checked)
    }

    /// Determines whether a call that was interrupted by the end of its process took effect, even if its tool
    /// is hidden. Reads the file system like `inspect`.
    pub fn aftermath(&self, call: &ToolCall, planned: &[PlannedFile]) -> ReconcileOutcome {
        crate::check::aftermath(self, call, planned)
    }

    /// Validates a call while its arguments still stream: the tool must be offered and the `latest` of its
    /// `complete` arguments must fit the schema. Returns the effects that are already certain.
    ///
    /// # Errors
    /// Returns the reason why the call cannot run, independent of its remaining arguments.
    pub fn foresee(&self, name: &str, complete: &EarlyArguments, latest: &str) -> Result<Foreseen, Refusal> {
        crate::early::foresee(self, name, complete, latest)
    }
}

impl std::fmt::Debug for Toolbox {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let names: Vec<_> = self.shelf.entries.iter().map(|entry| entry.name.as_str()).collect();
        let mode = self.mode().map(|mode| mode.slug.as_str());
        f.debug_struct("Toolbox").field("tools", &names).field("mode", &mode).finish_non_exhaustive()
    }
}
