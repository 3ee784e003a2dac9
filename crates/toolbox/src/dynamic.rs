//! Tools that are added and removed during runs.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use windlass_protocol::ToolName;
use windlass_schema::SchemaError;
use windlass_tool::Tool;

use crate::entry::Entry;
use crate::name_map::tolerant;
use crate::remote_tool::RemoteTool;
use crate::shown_name::is_legal;
use crate::{Identity, ToolVisibility};

/// The maximum number of tools of one server.
const MOST_OF_SERVER: usize = 1_024;
/// The maximum number of tools that `add` registers, and the maximum number of removed tools whose names
/// still resolve.
const MOST_TOOLS: usize = 256;
const MOST_REMEMBERED: usize = 1_024;

/// A registry of tools that are added and removed during runs. Clones are cheap and share the registry.
///
/// An added tool is offered from the next turn on. A removed tool stops immediately: a call to it returns a
/// result with the reason, even while the tool is still offered.
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
/// assert!(toolbox.tool_specs().is_empty(), "what is offered changes at the next turn");
/// assert_eq!(toolbox.refresh().tool_specs().len(), 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Default)]
pub struct DynamicTools {
    state: Arc<RwLock<State>>,
    /// Functions that apply pending changes before a comparison.
    updaters: Arc<RwLock<Vec<Updater>>>,
}

/// A function that applies pending changes to the registry.
type Updater = Arc<dyn Fn() + Send + Sync>;

#[derive(Default)]
struct State {
    generation: u64,
    entries: Vec<Arc<Entry>>,
    /// The last removed tool of each name, so that the name still resolves (RULES N1).
    removed: BTreeMap<ToolName, Arc<Entry>>,
    /// Tools of servers by server name.
    servers: BTreeMap<String, Vec<RemoteTool>>,
    /// Names of static tools and aliases in their tolerant form.
    taken: BTreeSet<String>,
}

/// Error of [`DynamicTools::add`].
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DynamicToolError {
    /// Another tool or alias has the name or a similar one (RULES N7).
    #[error("the name {name} is in use, or too similar to a name in use")]
    Taken {
        /// The refused name.
        name: ToolName,
    },
    /// Some providers reject the name. Replacing characters could change the display names of other tools, so
    /// the name is refused.
    #[error("the name {name} is not one to 64 letters, digits, _ and -, beginning with a letter or _")]
    Name {
        /// The refused name.
        name: ToolName,
    },
    /// The schema cannot be compiled.
    #[error("the schema of {name} cannot be used")]
    Schema {
        /// The name of the tool.
        name: ToolName,
        /// The compilation error.
        source: SchemaError,
    },
    /// The registry is full.
    #[error("the limit of {MOST_TOOLS} tools is reached")]
    TooMany,
}

impl DynamicTools {
    /// Adds a tool. It is offered from the next turn on, after the existing tools.
    ///
    /// # Errors
    /// Returns an error if the name is taken or not legal, the schema cannot be compiled, or the registry is
    /// full.
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

    /// Removes a tool. New calls are refused immediately, even if the tool stays in the offer until the next
    /// turn.
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

    /// Replaces the tools of a server (RULES M1). New tools are offered, or can be searched for, from the
    /// next turn on; calls to tools that the server no longer has are refused immediately. Each tool has the
    /// name of its identity, made legal and unique (RULES N2); names of the program's own tools do not
    /// change. At most 1,024 tools are taken.
    pub fn set_server(
        &self,
        server: &str,
        tools: impl IntoIterator<Item = (Identity, Arc<dyn Tool>, ToolVisibility)>,
    ) {
        let now = tools
            .into_iter()
            .take(MOST_OF_SERVER)
            .map(|(identity, tool, offer)| RemoteTool::new(identity, tool, offer));
        let mut now: Vec<RemoteTool> = now.collect();
        let mut state = self.write();
        let names: BTreeSet<ToolName> = now.iter().map(|remote| remote.identity.name().clone()).collect();
        let before = state.servers.remove(server).unwrap_or_default();
        let gone = before.into_iter().filter(|remote| !names.contains(remote.identity.name()));
        for remote in gone.take(MOST_OF_SERVER) {
            remote.entry.remove();
            now.push(remote);
        }
        state.servers.insert(server.to_owned(), now);
        state.generation = state.generation.saturating_add(1);
    }

    /// Calls `update` whenever a toolbox compares its tools with this registry, before the comparison. A source of tools
    /// whose changes must be ordered against the turns of a run, such as a recording of the run, applies them there
    /// and nowhere else: a turn then offers the tools that `update` registered last.
    ///
    /// `update` may change the registry, and must not refresh a toolbox of it. It runs on the thread that prepares the
    /// turn, also concurrently, so it should return quickly. The registry owns `update`: if `update` owns the registry,
    /// too, neither is dropped.
    pub fn register_updater(&self, update: impl Fn() + Send + Sync + 'static) {
        self.updaters.write().unwrap_or_else(PoisonError::into_inner).push(Arc::new(update));
    }

    /// Applies pending changes.
    pub(crate) fn update(&self) {
        // An update changes the registry, so no lock is held while it runs.
        let updaters = self.updaters.read().unwrap_or_else(PoisonError::into_inner).clone();
        for update in updaters {
            update();
        }
    }

    /// Returns the names of the tools that `add` registered, in that order.
    pub fn list(&self) -> Vec<ToolName> {
        self.read().entries.iter().map(|entry| entry.name.clone()).collect()
    }

    /// Returns a counter that each change increments.
    pub(crate) fn generation(&self) -> u64 {
        self.read().generation
    }

    /// Returns the generation with the current and the removed tools. A removed tool is left out if a tool
    /// with a similar name has been added since.
    pub(crate) fn entries(&self) -> (u64, Vec<Arc<Entry>>) {
        let state = self.read();
        let known: BTreeSet<_> = state.entries.iter().map(|entry| tolerant(entry.name.as_str())).collect();
        let gone = state.removed.values().filter(|entry| !known.contains(&tolerant(entry.name.as_str())));
        (state.generation, state.entries.iter().chain(gone).cloned().collect())
    }

    /// Returns the current and the removed tools of all servers, ordered by server name.
    pub(crate) fn remote_tools(&self) -> Vec<RemoteTool> {
        self.read().servers.values().flatten().cloned().collect()
    }

    /// Reserves names of static tools. Returns the name of a dynamic tool that conflicts.
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

/// The outcome of [`DynamicTools::remove`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "it was there or not")]
pub enum Removal {
    /// The tool was removed.
    Removed,
    /// No tool of this name was registered.
    NotThere,
}

impl std::fmt::Debug for DynamicTools {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("DynamicTools").field("tools", &self.list()).finish_non_exhaustive()
    }
}
