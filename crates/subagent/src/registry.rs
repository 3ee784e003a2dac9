//! The registered agents, their limits, and the running background agents.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use windlass_agent::CallingRun;
use windlass_journal::Journals;
use windlass_tool::{Context, ToolError};

use crate::background_agent::BackgroundAgent;
use crate::{AgentDefinition, AgentLimits, DefinitionError, ModelSource};

/// The registered agents and the running ones, which the tools share.
pub(crate) struct AgentRegistry {
    definitions: BTreeMap<String, Arc<AgentDefinition>>,
    /// The names in the order of registration.
    pub(crate) order: Vec<String>,
    pub(crate) journals: Arc<dyn Journals>,
    pub(crate) models: Option<Arc<dyn ModelSource>>,
    pub(crate) limits: AgentLimits,
    places: Arc<Semaphore>,
    /// The background agents, by the key of the call that started them.
    pub(crate) background: Mutex<BTreeMap<String, Arc<BackgroundAgent>>>,
}

impl AgentRegistry {
    pub(crate) fn new(journals: impl Journals + 'static) -> Self {
        let limits = AgentLimits::default();
        Self {
            definitions: BTreeMap::new(),
            order: Vec::new(),
            journals: Arc::new(journals),
            models: None,
            limits,
            places: Arc::new(Semaphore::new(limits.at_once)),
            background: Mutex::default(),
        }
    }

    /// Returns a registry with the same definitions and settings, and without running agents.
    pub(crate) fn copy(&self) -> Self {
        Self {
            definitions: self.definitions.clone(),
            order: self.order.clone(),
            journals: self.journals.clone(),
            models: self.models.clone(),
            limits: self.limits,
            places: self.places.clone(),
            background: Mutex::default(),
        }
    }

    pub(crate) fn set_limits(&mut self, limits: AgentLimits) {
        self.limits = limits;
        self.places = Arc::new(Semaphore::new(limits.at_once));
    }

    /// Iterates over the definitions in the order of registration.
    pub(crate) fn definitions(&self) -> impl Iterator<Item = &Arc<AgentDefinition>> {
        self.order.iter().filter_map(|name| self.definitions.get(name))
    }

    /// Registers a definition unless its name is registered already.
    pub(crate) fn add(&mut self, definition: AgentDefinition) -> Result<(), DefinitionError> {
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
                Err(ToolError::model("cancelled while waiting for a free slot; the agent was not started"))
            }
        }
    }

    /// Like [`place`](Self::place), but fails if no place is free.
    pub(crate) fn place_now(&self, run: &CallingRun) -> Result<OwnedSemaphorePermit, ToolError> {
        self.check_depth(run)?;
        Arc::clone(&self.places).try_acquire_owned().map_err(|_| {
            ToolError::model(format!(
                "{} agents are already active, which is the maximum; this agent was not started",
                self.limits.at_once
            ))
            .with_advice("Wait until one ends.")
        })
    }

    fn check_depth(&self, run: &CallingRun) -> Result<(), ToolError> {
        if run.agents().len() < self.limits.depth {
            return Ok(());
        }
        Err(ToolError::model(format!(
            "agents are already nested {} levels deep, which is the maximum; this agent was not started",
            run.agents().len()
        ))
        .with_advice("Do the work yourself."))
    }

    /// Returns the definition of a name, or an error for the model that lists the registered names.
    pub(crate) fn definition(&self, name: &str) -> Result<Arc<AgentDefinition>, ToolError> {
        self.definitions.get(name).cloned().ok_or_else(|| {
            ToolError::model(format!("unknown agent {name}; known agents: {}", self.order.join(", ")))
        })
    }

    /// Returns a line for each agent with its name and description, for the model.
    pub(crate) fn list_agents(&self) -> String {
        let line = |definition: &Arc<AgentDefinition>| {
            format!("\n- {}: {}", definition.name(), definition.description())
        };
        self.definitions().map(line).collect()
    }
}
