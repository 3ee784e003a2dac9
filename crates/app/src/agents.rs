//! Sub-agents and workflows that a run can start as tools.

mod child_runs;
#[cfg(feature = "subagent")]
mod definitions;
#[cfg(feature = "workflow")]
mod workflows;

pub(crate) use self::child_runs::{ChildRuns, RunModel};
#[cfg(feature = "subagent")]
pub use self::definitions::{AgentOrigin, ListedAgent, list_agents};
#[cfg(feature = "workflow")]
pub use self::workflows::{find_workflow, load_workflows};

/// Features of a run that offer sub-agents and the project's sub-agents. They are off by default because their
/// descriptions reach the model at the start of each run.
pub(crate) const AGENTS_FEATURE: &str = "agents";
pub(crate) const PROJECT_AGENTS_FEATURE: &str = "project_agents";
/// Feature of a run that offers the project's workflows to the model. It is off by default because a stranger
/// may have written their descriptions.
pub(crate) const PROJECT_WORKFLOWS_FEATURE: &str = "project_workflows";
/// Feature of a run that offers the built-in workflows to the model.
pub(crate) const WORKFLOWS_FEATURE: &str = "workflows";
