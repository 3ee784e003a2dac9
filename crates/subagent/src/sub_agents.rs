//! The agents of a program and the tools that start them.

use std::fmt;
use std::sync::Arc;

use windlass_journal::Journals;
use windlass_tool::Tool;
use windlass_toolbox::WorkModes;
use windlass_tools_control::{NewTask, TaskMode};

use crate::background_tool::BackgroundTool;
use crate::builtin::builtin_agents;
use crate::call::SubAgentTool;
use crate::close_agent::CloseAgent;
use crate::registry::AgentRegistry;
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
    registry: Arc<AgentRegistry>,
}

impl SubAgents {
    /// Creates an empty registry whose agents are recorded in these journals. If the caller's run must be
    /// resumable, the journals must be persistent too, for example in a folder of that run.
    pub fn new(journals: impl Journals + 'static) -> Self {
        Self { registry: Arc::new(AgentRegistry::new(journals)) }
    }

    /// Adds the built-in agents `code_explorer`, `code_analyzer`, `code_writer`, `researcher` and
    /// `shell_executor`. An agent that is already registered under one of these names is kept.
    pub fn with_builtin(self) -> Self {
        self.update(|registry| {
            for definition in builtin_agents() {
                drop(registry.add(definition));
            }
        })
    }

    /// Adds an agent.
    ///
    /// # Errors
    /// Returns [`DefinitionError::Twice`] if an agent with this name is registered.
    pub fn with_agent(self, definition: AgentDefinition) -> Result<Self, DefinitionError> {
        let mut added = Ok(());
        let agents = self.update(|registry| added = registry.add(definition));
        added.map(|()| agents)
    }

    /// Sets the source of models for definitions that name a model.
    pub fn with_models(self, models: impl ModelSource + 'static) -> Self {
        self.update(|registry| registry.models = Some(Arc::new(models)))
    }

    /// Sets the limits. The default is three levels, eight agents at once and 40 answers for each agent.
    pub fn with_limits(self, limits: AgentLimits) -> Self {
        self.update(|registry| registry.set_limits(limits))
    }

    fn update(self, change: impl FnOnce(&mut AgentRegistry)) -> Self {
        let mut registry = self.registry.copy();
        change(&mut registry);
        Self { registry: Arc::new(registry) }
    }

    /// Iterates over the definitions in the order of registration.
    pub fn definitions(&self) -> impl Iterator<Item = &AgentDefinition> {
        self.registry.definitions().map(AsRef::as_ref)
    }

    /// Returns the tool `sub_agent_NAME` of each agent, and the tools for background agents:
    /// `spawn_agent`, `send_input`, `wait` and `close_agent`. Returns no tools if no agent is
    /// registered.
    pub fn tools(&self) -> Vec<Arc<dyn Tool>> {
        if self.registry.order.is_empty() {
            return Vec::new();
        }
        let registry = || Arc::clone(&self.registry);
        let mut tools: Vec<Arc<dyn Tool>> = self
            .registry
            .definitions()
            .map(|definition| Arc::new(SubAgentTool::new(registry(), definition.clone())) as Arc<dyn Tool>)
            .collect();
        tools.push(Arc::new(SpawnAgent::new(registry())));
        tools.push(Arc::new(BackgroundTool::<SendInput>::new(registry())));
        tools.push(Arc::new(BackgroundTool::<Wait>::new(registry())));
        tools.push(Arc::new(BackgroundTool::<CloseAgent>::new(registry())));
        tools
    }

    /// Returns the tool `new_task`, which gives a task to an agent in one of these work modes; `None` without
    /// modes.
    pub fn new_task(&self, modes: &WorkModes) -> Option<Arc<dyn Tool>> {
        let modes: Vec<_> = modes.iter().map(|mode| TaskMode::new(&*mode.slug, &*mode.name)).collect();
        if modes.is_empty() {
            return None;
        }
        Some(Arc::new(NewTask::new(Arc::new(TaskModes::new(Arc::clone(&self.registry), modes)))))
    }
}

impl fmt::Debug for SubAgents {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SubAgents").field("agents", &self.registry.order).finish_non_exhaustive()
    }
}
