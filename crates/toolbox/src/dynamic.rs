//! Tools that come and go while runs go on.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use windlass_protocol::ToolName;
use windlass_schema::SchemaError;
use windlass_tool::Tool;

use crate::entry::Entry;
use crate::name_map::tolerant;
use crate::shown_name::is_legal;
use crate::visitor::Visitor;
use crate::{Identity, Offer};

/// The most tools of one server.
const MOST_OF_SERVER: usize = 1_024;
/// The most tools that are there at once, and the most that are remembered after they were removed.
const MOST_TOOLS: usize = 256;
const MOST_REMEMBERED: usize = 1_024;

/// Tools that come and go while runs go on. Cheap to clone; clones are the same tools.
///
/// What a model is offered changes at the next turn. What is removed does not begin any more, at once: a call of it gets a
/// result that says so.
///
/// ```
/// use std::sync::Arc;
/// use windlass_protocol::{ToolName, ToolSpec};
/// use windlass_tool::Output;
/// use windlass_toolbox::{CallbackTool, DynamicTools, Toolbox};
///
/// let dynamic = DynamicTools::default();
/// let toolbox = Toolbox::builder().dynamic(dynamic.clone()).build()?;
/// let spec = ToolSpec::function(ToolName::new("ping")?, "Answers.", r#"{"type":"object"}"#.parse()?);
/// dynamic.add(Arc::new(CallbackTool::new(spec, |_, _| async { Ok(Output::text("pong")) })))?;
/// assert!(toolbox.offered().is_empty(), "what is offered changes at the next turn");
/// assert_eq!(toolbox.refreshed().offered().len(), 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Default)]
pub struct DynamicTools {
    state: Arc<RwLock<State>>,
}

#[derive(Default)]
struct State {
    generation: u64,
    entries: Vec<Arc<Entry>>,
    /// The last tool of each name that is no more, so that its name is still understood (RULES N1).
    removed: BTreeMap<ToolName, Arc<Entry>>,
    /// The tools of servers, by server.
    servers: BTreeMap<String, Vec<Visitor>>,
    /// The names of the tools and aliases that do not come and go, as they are compared.
    taken: BTreeSet<String>,
}

/// Why a tool cannot be added.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DynamicToolError {
    /// The name is that of another tool or alias, or could be taken for it (RULES N7).
    #[error("the name {name} is taken, or too like one that is")]
    Taken {
        /// The name.
        name: ToolName,
    },
    /// Not every provider takes the name. A tool whose name had to be changed could change others' names with it.
    #[error("the name {name} is not one to 64 letters, digits, _ and -, beginning with a letter or _")]
    Name {
        /// The name.
        name: ToolName,
    },
    /// Its schema cannot be used.
    #[error("the schema of {name} cannot be used")]
    Schema {
        /// The tool.
        name: ToolName,
        /// Why.
        source: SchemaError,
    },
    /// There are too many.
    #[error("there are {MOST_TOOLS} tools already, the most there may be")]
    TooMany,
}

impl DynamicTools {
    /// Adds a tool. It is offered from the next turn on, after those that are there.
    ///
    /// # Errors
    /// If its name is taken or not legal, its schema cannot be used, or there are too many.
    pub fn add(&self, tool: Arc<dyn Tool>) -> Result<(), DynamicToolError> {
        let name = tool.spec().name().clone();
        if !is_legal(name.as_str()) {
            return Err(DynamicToolError::Name { name });
        }
        let identity = Identity::own(name.clone());
        let entry = Entry::new(&identity, name.clone(), tool)
            .map_err(|source| DynamicToolError::Schema { name: name.clone(), source })?;
        let mut state = self.write();
        let like = tolerant(name.as_str());
        let is_taken = state.taken.contains(&like)
            || state.entries.iter().any(|known| tolerant(known.name.as_str()) == like);
        if is_taken {
            return Err(DynamicToolError::Taken { name });
        }
        if state.entries.len() >= MOST_TOOLS {
            return Err(DynamicToolError::TooMany);
        }
        state.removed.remove(&name);
        state.entries.push(Arc::new(entry.into_guest()));
        state.generation = state.generation.saturating_add(1);
        Ok(())
    }

    /// Removes a tool. It does not begin any more, also where it is still offered until the next turn.
    pub fn remove(&self, name: &str) -> Removal {
        let mut state = self.write();
        let Some(position) = state.entries.iter().position(|entry| entry.name.as_str() == name) else {
            return Removal::NotThere;
        };
        let entry = state.entries.remove(position);
        entry.remove();
        if state.removed.len() >= MOST_REMEMBERED {
            state.removed.pop_first();
        }
        state.removed.insert(entry.name.clone(), entry);
        state.generation = state.generation.saturating_add(1);
        Removal::Removed
    }

    /// Puts the tools of a server in the place of those that it had (RULES M1): they are offered, or known and found, from
    /// the next turn on. Those that it has no more do not begin any more, at once. Each has the name that its identity
    /// gives it, made legal and told apart from all others (RULES N2); the tools of this program keep theirs.
    pub fn set_server(
        &self,
        server: &str,
        tools: impl IntoIterator<Item = (Identity, Arc<dyn Tool>, Offer)>,
    ) {
        let now = tools
            .into_iter()
            .take(MOST_OF_SERVER)
            .map(|(identity, tool, offer)| Visitor::new(identity, tool, offer));
        let mut now: Vec<Visitor> = now.collect();
        let mut state = self.write();
        let names: BTreeSet<ToolName> = now.iter().map(|visitor| visitor.identity.name().clone()).collect();
        let before = state.servers.remove(server).unwrap_or_default();
        let gone = before.into_iter().filter(|visitor| !names.contains(visitor.identity.name()));
        for visitor in gone.take(MOST_OF_SERVER) {
            visitor.entry.remove();
            now.push(visitor);
        }
        state.servers.insert(server.to_owned(), now);
        state.generation = state.generation.saturating_add(1);
    }

    /// The names of the tools that are there, in the order in which they came.
    pub fn list(&self) -> Vec<ToolName> {
        self.read().entries.iter().map(|entry| entry.name.clone()).collect()
    }

    /// How often tools came or went.
    pub(crate) fn generation(&self) -> u64 {
        self.read().generation
    }

    /// The tools that are there and those that were, with the generation that this is. One that is gone is left out where
    /// a name like its own has come since.
    pub(crate) fn entries(&self) -> (u64, Vec<Arc<Entry>>) {
        let state = self.read();
        let known: BTreeSet<_> = state.entries.iter().map(|entry| tolerant(entry.name.as_str())).collect();
        let gone = state.removed.values().filter(|entry| !known.contains(&tolerant(entry.name.as_str())));
        (state.generation, state.entries.iter().chain(gone).cloned().collect())
    }

    /// The tools of servers that are there and those that were, by server.
    pub(crate) fn visitors(&self) -> Vec<Visitor> {
        self.read().servers.values().flatten().cloned().collect()
    }

    /// Keeps names for others.
    pub(crate) fn reserve<'a>(&self, names: impl Iterator<Item = &'a str>) -> Result<(), ToolName> {
        let mut state = self.write();
        for name in names {
            let like = tolerant(name);
            if let Some(entry) = state.entries.iter().find(|entry| tolerant(entry.name.as_str()) == like) {
                return Err(entry.name.clone());
            }
            state.taken.insert(like);
        }
        Ok(())
    }

    fn read(&self) -> RwLockReadGuard<'_, State> {
        self.state.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self) -> RwLockWriteGuard<'_, State> {
        self.state.write().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What came of removing a tool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "it was there or not")]
pub enum Removal {
    /// It is gone.
    Removed,
    /// There was none of this name.
    NotThere,
}

impl std::fmt::Debug for DynamicTools {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("DynamicTools").field("tools", &self.list()).finish_non_exhaustive()
    }
}
