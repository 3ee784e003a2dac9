//! The toolbox: names, checks, the lock, and the run of a call.

use std::collections::BTreeMap;
use std::sync::Arc;

use tokio::sync::RwLock;
use windlass_hitl::Facts;
use windlass_protocol::{
    Aftermath, Change, Effect, Hints, PlannedFile, Risk, ToolCall, ToolName, ToolResult, ToolSpec,
};
use windlass_schema::{Coercion, SchemaError};
use windlass_tool::{EarlyArguments, Tool};

use crate::entry::Entry;
use crate::rights::Rights;
use crate::route::{Route, route};
use crate::standing::{hidden, standing};
use crate::{
    DynamicTools, Foreseen, Identity, Misrouted, ModelRule, NameMap, OutputLimit, Refusal, Standing,
    ToolConfig, ToolGroup, ToolboxBuilder, UnknownMode, WorkMode, WorkModes,
};

/// The tools of an agent: looks names up, checks arguments, and runs calls, parallel ones beside each other
/// and others alone.
///
/// Cheap to clone; clones share the tools and the lock. A toolbox is one view: in one mode, and of the dynamic tools that
/// were there when it was made. [`in_mode`](Self::in_mode) and [`refreshed`](Self::refreshed) give others.
#[derive(Clone)]
pub struct Toolbox {
    shelf: Arc<Shelf>,
    pub(crate) plan: Arc<Plan>,
    mode: Option<Arc<WorkMode>>,
    rights: Rights,
    pub(crate) limit: OutputLimit,
    // Fair: tokio's lock serves waiting tasks in the order in which they came (RULES L5).
    pub(crate) lock: Arc<RwLock<()>>,
}

/// The tools that are there, offered or not.
pub(crate) struct Shelf {
    pub(crate) names: NameMap,
    pub(crate) entries: Vec<Arc<Entry>>,
    pub(crate) generation: u64,
}

/// What does not change while runs go on.
pub(crate) struct Plan {
    pub(crate) config: ToolConfig,
    pub(crate) rule: ModelRule,
    pub(crate) modes: WorkModes,
    pub(crate) unavailable: BTreeMap<String, String>,
    pub(crate) unchecked: Vec<(ToolName, SchemaError)>,
    pub(crate) dynamic: Option<DynamicTools>,
    /// The tools that do not come and go, and their names.
    pub(crate) names: NameMap,
    pub(crate) entries: Vec<Arc<Entry>>,
}

/// A call that was looked up and checked: what policy needs, and what runs if it agrees.
#[derive(Clone)]
#[non_exhaustive]
pub struct Checked {
    /// The tool's name in the registry; the call may use an alias.
    pub name: ToolName,
    /// The tool as it is offered.
    pub spec: ToolSpec,
    /// What policy judges.
    pub facts: Facts,
    /// The call that runs, and that a human is shown: as the model made it, but for what is in `coerced`.
    pub call: ToolCall,
    /// What was put right in its arguments, so that they fit the tool's schema (RULES J9).
    pub coerced: Vec<Coercion>,
    /// What it would change in files, once it was looked at.
    pub changes: Vec<Change>,
    pub(crate) entry: Arc<Entry>,
}

/// A tool with the names by which a model may call it (RULES N1, N3, N4).
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Known {
    /// The tool's name in the registry.
    pub name: ToolName,
    /// What the tool says about itself.
    pub hints: Hints,
    /// The names that lead to the tool as they stand: the shown name and aliases.
    pub exact: Vec<String>,
    /// The forms ([`ToolName::loose_form`]) of names that lead to this tool and to no other.
    pub loose: Vec<String>,
}

impl Shelf {
    /// The tools that do not come and go, then those that do.
    pub(crate) fn of(plan: &Plan) -> Self {
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
            entries.extend(shown.map(|shown| visitor.entry.clone().shown_as(shown)));
        }
        Self { names, entries, generation }
    }
}

impl Toolbox {
    /// Begins a toolbox.
    pub fn builder() -> ToolboxBuilder {
        ToolboxBuilder::default()
    }

    pub(crate) fn new(plan: Plan, limit: OutputLimit) -> Self {
        Self {
            shelf: Arc::new(Shelf::of(&plan)),
            plan: Arc::new(plan),
            mode: None,
            rights: Rights::default(),
            limit,
            lock: Arc::default(),
        }
    }

    /// The same tools in a mode: what the mode does not give is hidden, and is not run.
    ///
    /// # Errors
    /// If there is no mode of this slug.
    pub fn in_mode(&self, slug: &str) -> Result<Self, UnknownMode> {
        let mode = Arc::clone(self.plan.modes.find(slug)?);
        Ok(Self { mode: Some(mode), ..self.clone() })
    }

    /// The tools for an agent that is given work by one that has these: nothing that is hidden here is offered there, in
    /// whatever mode it is, and files that this mode does not give stay closed. Its calls take turns among themselves, so
    /// that the call that waits for it holds up none of them.
    pub fn for_agent(&self) -> Self {
        let rights = self.rights.clone().with_mode(self.mode.as_ref());
        Self { rights, lock: Arc::default(), ..self.clone() }
    }

    /// The same tools, of which only these are offered, by their names in the registry. What was hidden stays so.
    pub fn only(&self, names: impl IntoIterator<Item = String>) -> Self {
        Self { rights: self.rights.clone().with_tools(names), ..self.clone() }
    }

    /// The mode that this is in, if it is in one.
    pub fn mode(&self) -> Option<&WorkMode> {
        self.mode.as_deref()
    }

    /// The modes that there are.
    pub fn modes(&self) -> &WorkModes {
        &self.plan.modes
    }

    /// The same toolbox with the dynamic tools that are there now. For a turn's beginning: what a model is offered does not
    /// change within one.
    pub fn refreshed(&self) -> Self {
        if !self.is_stale() {
            return self.clone();
        }
        Self { shelf: Arc::new(Shelf::of(&self.plan)), ..self.clone() }
    }

    /// Whether dynamic tools came or went since this was made.
    pub fn is_stale(&self) -> bool {
        self.plan.dynamic.as_ref().is_some_and(|dynamic| dynamic.generation() != self.shelf.generation)
    }

    /// The tools on offer under the names that a model is shown, in the order in which they were added.
    pub fn offered(&self) -> Vec<(ToolSpec, Hints)> {
        self.offered_entries().map(|entry| (entry.offered_spec(), entry.tool.hints())).collect()
    }

    /// All tools, offered or hidden, with the names by which a model may call them.
    pub fn known(&self) -> Vec<Known> {
        let known = |(position, entry): (usize, &Arc<Entry>)| {
            let hints = entry.tool.hints();
            let (exact, loose) = self.shelf.names.names_of(position);
            // As in `entry`: what can do harm is meant by its name and by nothing like it.
            let loose = if hints.risk < Risk::High { loose } else { Vec::new() };
            Known { name: entry.name.clone(), hints, exact, loose }
        };
        self.shelf.entries.iter().enumerate().map(known).collect()
    }

    /// The names of the tools on offer as the registry has them, which is what policy and [`only`](Self::only) go by.
    pub fn offered_names(&self) -> impl Iterator<Item = &ToolName> {
        self.offered_entries().map(|entry| &entry.name)
    }

    /// The names of all tools, offered or not.
    pub fn names(&self) -> &NameMap {
        &self.shelf.names
    }

    /// The tools of servers whose schema cannot be used, and why: their arguments go unchecked.
    pub fn unchecked(&self) -> &[(ToolName, SchemaError)] {
        &self.plan.unchecked
    }

    /// All tools, offered or not, in the order in which they were added.
    pub fn tools(&self) -> impl Iterator<Item = &Arc<dyn Tool>> {
        self.shelf.entries.iter().map(|entry| &entry.tool)
    }

    /// The tool of this name, offered or not: a name of the registry, or one that a model may write.
    pub fn find(&self, name: &str) -> Option<&Arc<dyn Tool>> {
        self.any(name).map(|entry| &entry.tool)
    }

    /// The group of the tool of this name.
    pub fn group(&self, name: &str) -> Option<ToolGroup> {
        self.any(name).map(|entry| entry.group)
    }

    /// Whether the tool of this name is offered, and if not, why.
    pub fn standing(&self, name: &str) -> Option<Standing> {
        self.any(name).map(|entry| self.standing_of(entry))
    }

    fn any(&self, name: &str) -> Option<&Arc<Entry>> {
        let names = &self.shelf.names;
        let position = names.registered(name).or_else(|| names.position(name));
        position.and_then(|position| self.shelf.entries.get(position))
    }

    pub(crate) fn entry(&self, name: &str) -> Option<&Arc<Entry>> {
        let names = &self.shelf.names;
        let entry = names.position(name).and_then(|position| self.shelf.entries.get(position))?;
        // What can do harm is meant by its name and by nothing like it (RULES N3 allows, and does not ask for, more).
        (names.is_exact(name) || entry.tool.hints().risk < Risk::High).then_some(entry)
    }

    pub(crate) fn standing_of(&self, entry: &Entry) -> Standing {
        match standing(&self.plan, self.mode(), entry) {
            Standing::Offered if !self.rights.give(entry) => Standing::NotForAgent,
            standing => standing,
        }
    }

    /// Why a tool that is hidden cannot be called.
    pub(crate) fn hidden(&self, entry: &Entry, standing: &Standing) -> String {
        hidden(&self.plan, self.mode(), entry, standing)
    }

    /// Checks something in the mode that this is in, and in those that hold for the agents above.
    pub(crate) fn fenced(
        &self,
        check: impl Fn(Option<&WorkMode>) -> Result<(), String>,
    ) -> Result<(), String> {
        check(self.mode())?;
        let above = |mode| check(Some(mode)).map_err(|problem| format!("{problem} (rule f.caller_rights)"));
        self.rights.modes().try_for_each(above)
    }

    pub(crate) fn offered_entries(&self) -> impl Iterator<Item = &Arc<Entry>> {
        self.shelf.entries.iter().filter(|entry| self.standing_of(entry).is_offered())
    }

    /// Whether a call comes to a tool in a kind that it takes, or that a model could have known better about. For before
    /// [`check`](Self::check), which gives everything back to the model.
    ///
    /// # Errors
    /// If only the program can be wrong: no result helps the model, and the run ends.
    pub fn route(&self, call: &ToolCall) -> Result<(), Misrouted> {
        let Some(entry) = self.entry(call.name.as_str()) else { return Ok(()) };
        let is_exact = self.shelf.names.is_exact(call.name.as_str());
        match route(entry, is_exact, &call.payload) {
            Route::Program(misrouted) => Err(misrouted),
            Route::Fits(_) | Route::Model(_) => Ok(()),
        }
    }

    /// Looks a call up and checks its arguments, before policy or a human sees it (RULES J10).
    ///
    /// # Errors
    /// The result to give back to the model: no such tool, one that is hidden, arguments that the tool does not take, or
    /// files that the mode does not give.
    pub fn check(&self, call: &ToolCall) -> Result<Checked, Box<ToolResult>> {
        crate::check::check(self, call)
    }

    /// What a call would do, whether or not its tool is offered now: for a conversation that is read again.
    pub fn effects(&self, call: &ToolCall) -> Option<Vec<Effect>> {
        crate::check::effects(self, call)
    }

    /// Looks at what a checked call meets where it would run, and puts it into its facts. It reads the disk, so it may
    /// wait for it: call it where that is allowed.
    ///
    /// # Errors
    /// The result to give back to the model if the tool fails at looking, or a link leads where the mode gives nothing:
    /// what cannot be judged does not run.
    pub fn inspect(&self, checked: Checked) -> Result<Checked, Box<ToolResult>> {
        crate::check::inspect(self, checked)
    }

    /// What is left of a call that had begun when its program ended, whether or not its tool is offered now. It reads the
    /// disk, as `inspect` does.
    pub fn aftermath(&self, call: &ToolCall, planned: &[PlannedFile]) -> Aftermath {
        crate::check::aftermath(self, call, planned)
    }

    /// Checks what is sure of a call while its arguments still stream: that there is such a tool, that the
    /// `latest` of its `complete` arguments fits the schema, and what the call will do at least.
    ///
    /// # Errors
    /// Why the call cannot run, whatever its other arguments will be.
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
