//! The registered agents and the tools that start them.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use windlass_agent::CallingRun;
use windlass_journal::Journals;
use windlass_tool::{Context, Tool, ToolError};
use windlass_toolbox::WorkModes;
use windlass_tools_control::{NewTask, TaskMode};

use crate::beside::Beside;
use crate::builtin::builtin;
use crate::call::SubAgentTool;
use crate::close_agent::CloseAgent;
use crate::send_input::SendInput;
use crate::spawn_agent::SpawnAgent;
use crate::task_modes::TaskModes;
use crate::wait::Wait;
use crate::{AgentDefinition, AgentLimits, DefinitionError, ModelSource};

/// A registry of agents, which returns the tools that let a model start them. Clones share the running agents
/// and the limits.
///
/// Add the tools to the toolbox of the calling agent. A call then starts a run of the named agent with at
/// most the caller's rights, and the report of that run is the result of the call.
///
/// See the [crate](crate) for an example.
#[derive(Clone)]
pub struct SubAgents {
    shared: Arc<Shared>,
}

/// The state that the tools share.
pub(crate) struct Shared {
    pub(crate) definitions: BTreeMap<String, Arc<AgentDefinition>>,
    /// The names in the order of registration.
    order: Vec<String>,
    pub(crate) journals: Arc<dyn Journals>,
    pub(crate) models: Option<Arc<dyn ModelSource>>,
    pub(crate) limits: AgentLimits,
    places: Arc<Semaphore>,
    /// The agents that work beside their callers, by the key of the call that started them.
    pub(crate) beside: Mutex<BTreeMap<String, Arc<Beside>>>,
}

impl SubAgents {
    /// Creates an empty registry whose agents are recorded in these journals. If the caller's run must be
    /// resumable, the journals must be persistent too, for example in a folder of that run.
    pub fn new(journals: impl Journals + 'static) -> Self {
        let limits = AgentLimits::default();
        Self {
            shared: Arc::new(Shared {
                definitions: BTreeMap::new(),
                order: Vec::new(),
                journals: Arc::new(journals),
                models: None,
                limits,
                places: Arc::new(Semaphore::new(limits.at_once)),
                beside: Mutex::default(),
            }),
        }
    }

    /// Adds the built-in agents `code_explorer`, `code_analyzer`, `code_writer`, `researcher` and
    /// `shell_executor`. An agent that is already registered under one of these names is kept.
    pub fn with_builtin(self) -> Self {
        self.update(|shared| builtin().into_iter().for_each(|definition| drop(shared.add(definition))))
    }

    /// Adds an agent.
    ///
    /// # Errors
    /// Returns [`DefinitionError::Twice`] if an agent with this name is registered.
    pub fn with_agent(self, definition: AgentDefinition) -> Result<Self, DefinitionError> {
        let mut added = Ok(());
        let agents = self.update(|shared| added = shared.add(definition));
        added.map(|()| agents)
    }

    /// Sets the source of models for definitions that name a model.
    pub fn with_models(self, models: impl ModelSource + 'static) -> Self {
        self.update(|shared| shared.models = Some(Arc::new(models)))
    }

    /// Sets the limits. The default is three levels, eight agents at once and 40 answers for each agent.
    pub fn with_limits(self, limits: AgentLimits) -> Self {
        self.update(|shared| {
            shared.limits = limits;
            shared.places = Arc::new(Semaphore::new(limits.at_once));
        })
    }

    fn update(self, change: impl FnOnce(&mut Shared)) -> Self {
        let mut shared = Shared {
            definitions: self.shared.definitions.clone(),
            order: self.shared.order.clone(),
            journals: self.shared.journals.clone(),
            models: self.shared.models.clone(),
            limits: self.shared.limits,
            places: self.shared.places.clone(),
            beside: Mutex::default(),
        };
        change(&mut shared);
        Self { shared: Arc::new(shared) }
    }

    /// Iterates over the definitions in the order of registration.
    pub fn definitions(&self) -> impl Iterator<Item = &AgentDefinition> {
        let shared = &self.shared;
        shared.order.iter().filter_map(|name| shared.definitions.get(name)).map(AsRef::as_ref)
    }

    /// Returns the tool `sub_agent_NAME` of each agent, and the tools for agents that work beside their
    /// caller: `spawn_agent`, `send_input`, `wait` and `close_agent`. Returns no tools if no agent is
    /// registered.
    pub fn tools(&self) -> Vec<Arc<dyn Tool>> {
        if self.shared.order.is_empty() {
            return Vec::new();
        }
        let shared = || Arc::clone(&self.shared);
        let each = self.shared.order.iter().filter_map(|name| self.shared.definitions.get(name));
        let mut tools: Vec<Arc<dyn Tool>> = each
            .map(|definition| Arc::new(SubAgentTool::new(shared(), definition.clone())) as Arc<dyn Tool>)
            .collect();
        tools.push(Arc::new(SpawnAgent::new(shared())));
        tools.push(Arc::new(SendInput::new(shared())));
        tools.push(Arc::new(Wait::new(shared())));
        tools.push(Arc::new(CloseAgent::new(shared())));
        tools
    }

    /// Returns the tool `new_task`, which gives a task to an agent in one of these work modes; `None` without
    /// modes.
    pub fn new_task(&self, modes: &WorkModes) -> Option<Arc<dyn Tool>> {
        let modes: Vec<_> = modes.iter().map(|mode| TaskMode::new(&*mode.slug, &*mode.name)).collect();
        if modes.is_empty() {
            return None;
        }
        Some(Arc::new(NewTask::new(Arc::new(TaskModes::new(Arc::clone(&self.shared), modes)))))
    }
}

impl Shared {
    /// Registers a definition unless its name is registered already.
    fn add(&mut self, definition: AgentDefinition) -> Result<(), DefinitionError> {
        let name = definition.name().to_owned();
        if self.definitions.contains_key(&name) {
            return Err(DefinitionError::Twice { name });
        }
        self.order.push(name.clone());
        self.definitions.insert(name, Arc::new(definition));
        Ok(())
    }

    /// Acquires a place for one more agent below a run. Calls of the root wait for a free place. Calls of an
    /// agent fail instead, because an agent occupies a place while it waits, and all places could wait for
    /// each other.
    pub(crate) async fn place(
        &self,
        run: &CallingRun,
        ctx: &Context,
    ) -> Result<OwnedSemaphorePermit, ToolError> {
        self.check_depth(run)?;
        if !run.agents().is_empty() {
            return self.place_now(run);
        }
        tokio::select! {
            place = Arc::clone(&self.places).acquire_owned() => place.map_err(ToolError::fatal),
            () = ctx.cancellation().cancelled() => {
                Err(ToolError::model("stopped before there was a place for the agent; it was not begun"))
            }
        }
    }

    /// Like [`place`](Self::place), but fails if no place is free.
    pub(crate) fn place_now(&self, run: &CallingRun) -> Result<OwnedSemaphorePermit, ToolError> {
        self.check_depth(run)?;
        Arc::clone(&self.places).try_acquire_owned().map_err(|_| {
            ToolError::model(format!(
                "{} agents work already, which is the most; this one was not begun. Wait for one to end",
                self.limits.at_once
            ))
        })
    }

    fn check_depth(&self, run: &CallingRun) -> Result<(), ToolError> {
        if run.agents().len() < self.limits.depth {
            return Ok(());
        }
        Err(ToolError::model(format!(
            "agents are {} deep already, which is the most; this one was not begun. Do the work yourself",
            run.agents().len()
        )))
    }

    /// Returns the definition of a name, or an error for the model that lists the registered names.
    pub(crate) fn definition(&self, name: &str) -> Result<Arc<AgentDefinition>, ToolError> {
        self.definitions.get(name).cloned().ok_or_else(|| {
            ToolError::model(format!(
                "there is no agent {name}; those that there are: {}",
                self.order.join(", ")
            ))
        })
    }

    /// Returns a line for each agent with its name and description, for the model.
    pub(crate) fn list_agents(&self) -> String {
        let line = |definition: &Arc<AgentDefinition>| {
            format!("\n- {}: {}", definition.name(), definition.description())
        };
        self.order.iter().filter_map(|name| self.definitions.get(name)).map(line).collect()
    }
}

impl fmt::Debug for SubAgents {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SubAgents").field("agents", &self.shared.order).finish_non_exhaustive()
    }
}
