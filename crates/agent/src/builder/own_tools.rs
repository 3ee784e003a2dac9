//! The setters for single tools.

use std::sync::Arc;

use windlass_tool::Tool;
use windlass_toolbox::Toolbox;

use super::AgentBuilder;
use crate::AgentError;

impl AgentBuilder {
    /// Adds a tool, by value or as an [`Arc`]. The tools form a toolbox with the default configuration; an agent with
    /// a [`toolbox`](Self::toolbox) takes its tools from there.
    ///
    /// ```
    /// # use windlass_agent::{Agent, AgentError};
    /// # use windlass_stream::Model;
    /// # use windlass_tool::Tool;
    /// fn calculator(model: impl Model + 'static, add: impl Tool + 'static) -> Result<Agent, AgentError> {
    ///     Agent::builder().model(model, "model-1").tool(add).build()
    /// }
    /// ```
    pub fn tool(mut self, tool: impl Tool + 'static) -> Self {
        self.own_tools.push(Arc::new(tool));
        self
    }

    /// Adds several tools, for example those of a `#[toolset]`: `.tools(shop.tools())`.
    pub fn tools(mut self, tools: impl IntoIterator<Item = Arc<dyn Tool>>) -> Self {
        self.own_tools.extend(tools);
        self
    }

    /// Returns the toolbox that is set. In a builder from [`CallingRun::agent`](crate::CallingRun::agent)
    /// this is the caller's toolbox until another is set.
    pub fn current_toolbox(&self) -> Option<&Toolbox> {
        self.toolbox.as_ref()
    }
}

/// Returns the toolbox of an agent from its two sources, of which at most one may be used: a toolbox is complete, with
/// names that were checked against each other.
pub(super) fn join(
    toolbox: Option<Toolbox>,
    own_tools: Vec<Arc<dyn Tool>>,
    model: &str,
) -> Result<Option<Toolbox>, AgentError> {
    match (toolbox, own_tools.is_empty()) {
        (toolbox, true) => Ok(toolbox),
        (None, false) => Ok(Some(Toolbox::builder().tools(own_tools).model(model).build()?)),
        (Some(_), false) => Err(AgentError::ToolsAndToolbox),
    }
}
