//! The toolbox: names, checks, the lock, and the run of a call.

use std::sync::Arc;

use serde_json::Value;
use tokio::sync::RwLock;
use windlass_hitl::Facts;
use windlass_protocol::{Arguments, Change, Hints, RawJson, Risk, ToolCall, ToolName, ToolResult, ToolSpec};
use windlass_schema::{Checker, Coercion, SchemaError, Violation};
use windlass_tool::{EarlyArguments, Tool};

use crate::{Foreseen, NameMap, OutputLimit, Refusal, ToolboxBuilder};

/// The tools of an agent: looks names up, checks arguments, and runs calls, parallel ones beside each other
/// and others alone.
///
/// Cheap to clone; clones share the tools and the lock.
#[derive(Clone)]
pub struct Toolbox {
    names: Arc<NameMap>,
    entries: Arc<Vec<Entry>>,
    unchecked: Arc<Vec<(ToolName, SchemaError)>>,
    pub(crate) limit: OutputLimit,
    // Fair: tokio's lock serves waiting tasks in the order in which they came (RULES L5).
    pub(crate) lock: Arc<RwLock<()>>,
}

pub(crate) struct Entry {
    /// The name in the registry.
    pub(crate) name: ToolName,
    /// The name that the model knows.
    pub(crate) shown: ToolName,
    pub(crate) tool: Arc<dyn Tool>,
    pub(crate) schema: RawJson,
    /// None where the schema cannot be used.
    pub(crate) checker: Option<Checker>,
    pub(crate) offered: bool,
}

impl Entry {
    /// What is wrong with arguments.
    pub(crate) fn check(&self, arguments: &Arguments) -> Result<(), Vec<Violation>> {
        self.checker.as_ref().map_or(Ok(()), |checker| checker.check(arguments))
    }

    /// What is wrong with one argument, before the others have come.
    pub(crate) fn check_argument(&self, name: &str, value: &Value) -> Result<(), Vec<Violation>> {
        self.checker.as_ref().map_or(Ok(()), |checker| checker.check_argument(name, value))
    }
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
    pub(crate) tool: Arc<dyn Tool>,
}

impl Toolbox {
    /// Begins a toolbox.
    pub fn builder() -> ToolboxBuilder {
        ToolboxBuilder::default()
    }

    pub(crate) fn new(
        names: NameMap,
        entries: Vec<Entry>,
        unchecked: Vec<(ToolName, SchemaError)>,
        limit: OutputLimit,
    ) -> Self {
        let (names, entries, unchecked) = (Arc::new(names), Arc::new(entries), Arc::new(unchecked));
        Self { names, entries, unchecked, limit, lock: Arc::default() }
    }

    /// The tools on offer under the names that a model is shown, in the order in which they were added.
    pub fn offered(&self) -> Vec<(ToolSpec, Hints)> {
        let spec = |entry: &Entry| entry.tool.spec().clone().renamed(entry.shown.clone());
        self.offered_entries().map(|entry| (spec(entry), entry.tool.hints())).collect()
    }

    /// The names of all tools, offered or not.
    pub fn names(&self) -> &NameMap {
        &self.names
    }

    /// The tools of servers whose schema cannot be used, and why: their arguments go unchecked.
    pub fn unchecked(&self) -> &[(ToolName, SchemaError)] {
        &self.unchecked
    }

    /// All tools, offered or not, in the order in which they were added.
    pub fn tools(&self) -> impl Iterator<Item = &Arc<dyn Tool>> {
        self.entries.iter().map(|entry| &entry.tool)
    }

    /// The tool of this name, offered or not: a name of the registry, or one that a model may write.
    pub fn find(&self, name: &str) -> Option<&Arc<dyn Tool>> {
        let position = self.names.registered(name).or_else(|| self.names.position(name));
        position.and_then(|position| self.entries.get(position)).map(|entry| &entry.tool)
    }

    pub(crate) fn entry(&self, name: &str) -> Option<&Entry> {
        let entry = self.names.position(name).and_then(|position| self.entries.get(position))?;
        // What can do harm is meant by its name and by nothing like it (RULES N3 allows, and does not ask for, more).
        (self.names.is_exact(name) || entry.tool.hints().risk < Risk::High).then_some(entry)
    }

    pub(crate) fn offered_entries(&self) -> impl Iterator<Item = &Entry> {
        self.entries.iter().filter(|entry| entry.offered)
    }

    /// Looks a call up and checks its arguments, before policy or a human sees it (RULES J10).
    ///
    /// # Errors
    /// The result to give back to the model: no such tool, or arguments that the tool does not take.
    pub fn check(&self, call: &ToolCall) -> Result<Checked, Box<ToolResult>> {
        crate::check::check(self, call)
    }

    /// Looks at what a checked call meets where it would run, and puts it into its facts. It reads the disk, so it may
    /// wait for it: call it where that is allowed.
    ///
    /// # Errors
    /// The result to give back to the model if the tool fails at looking: what cannot be judged does not run.
    pub fn inspect(&self, checked: Checked) -> Result<Checked, Box<ToolResult>> {
        crate::check::inspect(checked)
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
        let names: Vec<_> = self.entries.iter().map(|entry| entry.name.as_str()).collect();
        f.debug_struct("Toolbox").field("tools", &names).finish_non_exhaustive()
    }
}
