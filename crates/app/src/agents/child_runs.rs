//! Sub-agents and workflows inside a run, with their journals below the run's folder.

#[cfg(feature = "subagent")]
use std::collections::BTreeSet;
use std::fmt;
use std::sync::Arc;

use windlass_agent::Prices;
#[cfg(feature = "subagent")]
use windlass_journal::{Journal, JournalError};
use windlass_journal::{Journals, MemoryJournals};
use windlass_stream::Model;
#[cfg(feature = "subagent")]
use windlass_subagent::AgentDefinition;
use windlass_tool::Tool;
use windlass_toolbox::Toolbox;
#[cfg(feature = "workflow")]
use windlass_workflow::{RunWorkflow, Workflows};

use crate::app::App;
use crate::config::RunSettings;
use crate::error::Result;
use crate::runs::RunFolder;

/// The run's own model, which its sub-agents use for every model name.
#[cfg_attr(not(feature = "subagent"), expect(dead_code, reason = "only sub-agents use the model"))]
pub(crate) struct RunModel {
    pub(crate) client: Arc<dyn Model>,
    /// Prices of the run's own model, used for every model because no others are known.
    pub(crate) prices: Prices,
}

/// The journals of sub-agents and workflow steps, in the run's folder or in a database.
struct NestedJournals(Arc<dyn Journals>);

impl fmt::Debug for NestedJournals {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("NestedJournals")
    }
}

/// Sub-agents and workflows that a run can start.
#[derive(Debug, Default)]
pub(crate) struct ChildRuns {
    /// The nested journals; `None` keeps them in memory, for a run without a folder.
    journals: Option<NestedJournals>,
    /// True if the tools of all sub-agents are added, because a feature offers them. Otherwise only the tools are
    /// added that the steps of the offered workflows call.
    #[cfg_attr(
        not(any(feature = "subagent", feature = "workflow")),
        expect(dead_code, reason = "this build has no sub-agents")
    )]
    has_agents: bool,
    #[cfg(feature = "subagent")]
    agents: Vec<AgentDefinition>,
    /// Workflows that are offered to the model.
    #[cfg(feature = "workflow")]
    workflows: Workflows,
}

impl ChildRuns {
    /// Loads the sub-agents and workflows that a run with these settings offers.
    #[cfg_attr(
        not(feature = "workflow"),
        expect(
            clippy::unnecessary_wraps,
            reason = "only a build with workflows reads files that can be invalid"
        )
    )]
    pub(crate) fn load(app: &App, settings: &RunSettings, folder: Option<&RunFolder>) -> Result<Self> {
        #[cfg(feature = "workflow")]
        let workflows = super::workflows::load_offered(app, &settings.root, &settings.offering)?;
        let offering = &settings.offering;
        let is_offered = offering.has_feature(super::AGENTS_FEATURE)
            || offering.has_feature(super::PROJECT_AGENTS_FEATURE);
        #[cfg(not(any(feature = "subagent", feature = "workflow")))]
        let _ = app;
        Ok(Self {
            journals: folder.map(|folder| NestedJournals(folder.open_nested_journals())),
            has_agents: is_offered,
            #[cfg(feature = "subagent")]
            agents: super::definitions::load_agents(app, &settings.root, offering),
            #[cfg(feature = "workflow")]
            workflows,
        })
    }

    /// Adds the tools of sub-agents even if no feature offers them.
    #[cfg(feature = "workflow")]
    pub(crate) fn offer_agents(&mut self) {
        self.has_agents = true;
    }

    /// Returns the tools that start sub-agents and workflows, except those that the toolbox already contains.
    pub(crate) fn tools(&self, app: &App, present: &Toolbox, model: RunModel) -> Vec<Arc<dyn Tool>> {
        let journals: Arc<dyn Journals> = match &self.journals {
            Some(NestedJournals(journals)) => Arc::clone(journals),
            None => Arc::new(MemoryJournals::default()),
        };
        let mut tools = self.agent_tools(app, present, &journals, model);
        tools.extend(self.workflow_tools(&journals));
        tools.retain(|tool| present.find(tool.spec().name().as_str()).is_none());
        tools
    }

    #[cfg(feature = "subagent")]
    fn agent_tools(
        &self,
        app: &App,
        present: &Toolbox,
        journals: &Arc<dyn Journals>,
        model: RunModel,
    ) -> Vec<Arc<dyn Tool>> {
        let called = self.list_workflow_tools();
        if !self.has_agents && called.is_empty() {
            return Vec::new();
        }
        let journals = SharedJournals(Arc::clone(journals));
        let agents = super::definitions::build_agents(app, &self.agents, journals, model);
        let all = agents.tools().into_iter().chain(agents.new_task(present.modes()));
        let is_added = |tool: &Arc<dyn Tool>| self.has_agents || called.contains(tool.spec().name().as_str());
        all.filter(is_added).collect()
    }

    /// Returns the names of the tools that the steps of the offered workflows call.
    #[cfg(all(feature = "subagent", feature = "workflow"))]
    fn list_workflow_tools(&self) -> BTreeSet<&str> {
        self.workflows.iter().flat_map(|(workflow, _)| workflow.tool_names()).collect()
    }

    #[cfg(all(feature = "subagent", not(feature = "workflow")))]
    #[expect(clippy::unused_self, reason = "a build with workflows reads them")]
    fn list_workflow_tools(&self) -> BTreeSet<&str> {
        BTreeSet::new()
    }

    #[cfg(not(feature = "subagent"))]
    #[expect(clippy::unused_self, reason = "a build with sub-agents reads them")]
    fn agent_tools(&self, _: &App, _: &Toolbox, _: &Arc<dyn Journals>, _: RunModel) -> Vec<Arc<dyn Tool>> {
        Vec::new()
    }

    #[cfg(feature = "workflow")]
    fn workflow_tools(&self, journals: &Arc<dyn Journals>) -> Option<Arc<dyn Tool>> {
        let tool = || RunWorkflow::new(self.workflows.clone(), Arc::clone(journals));
        (!self.workflows.is_empty()).then(|| Arc::new(tool()) as Arc<dyn Tool>)
    }

    #[cfg(not(feature = "workflow"))]
    #[expect(clippy::unused_self, reason = "a build with workflows reads them")]
    fn workflow_tools(&self, _: &Arc<dyn Journals>) -> Option<Arc<dyn Tool>> {
        None
    }
}

/// Journals that sub-agents and workflows share.
#[cfg(feature = "subagent")]
struct SharedJournals(Arc<dyn Journals>);

#[cfg(feature = "subagent")]
impl Journals for SharedJournals {
    fn open(&self, key: &str) -> std::result::Result<Box<dyn Journal + Send>, JournalError> {
        self.0.open(key)
    }

    fn find(&self, key: &str) -> std::result::Result<Option<Box<dyn Journal + Send>>, JournalError> {
        self.0.find(key)
    }
}
