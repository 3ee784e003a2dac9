//! The settings of an agent's requests: options, and tools that the provider runs.

use windlass_protocol::{Effort, HostedTool, RequestOptions};

use super::AgentBuilder;

impl AgentBuilder {
    /// Sets whether a text without a call ends a task although the toolbox has a completion tool, as in a conversation.
    /// By default such a tool is a contract: the model is asked to use it. Copies of the builder keep the contract.
    pub fn ends_with_text(mut self, ends: bool) -> Self {
        self.draft.config.ends_with_text = ends;
        self
    }

    /// Sets the options of each request: sampling, reasoning, limits and fields of the provider. It replaces the options
    /// that were set before.
    ///
    /// ```
    /// use windlass_agent::AgentBuilder;
    /// use windlass_protocol::{Effort, RequestOptions};
    ///
    /// let options = RequestOptions::default().with_reasoning(Effort::Low).with_top_p(0.9);
    /// let builder = AgentBuilder::default().request_options(options).temperature(0.2);
    /// # drop(builder);
    /// ```
    pub fn request_options(mut self, options: RequestOptions) -> Self {
        self.draft.config.options = options;
        self
    }

    /// Adds a tool that the provider runs, such as a search in the web. The model calls it without this process: its calls
    /// do not pass the policy and the approver, and are shown as [`Event::HostedCall`](windlass_loop::Event::HostedCall)
    /// and [`Event::HostedResult`](windlass_loop::Event::HostedResult). The run's record keeps the tools, so a resumed run
    /// offers the same ones; the authorization of an MCP server is not recorded and comes from the agent that resumes.
    ///
    /// ```
    /// use windlass_agent::AgentBuilder;
    /// use windlass_protocol::WebSearch;
    ///
    /// let builder = AgentBuilder::default().hosted_tool(WebSearch::default().with_max_uses(3));
    /// # drop(builder);
    /// ```
    pub fn hosted_tool(mut self, tool: impl Into<HostedTool>) -> Self {
        self.hosted_tools.push(tool.into());
        self
    }

    /// Sets the maximum number of output tokens of each answer.
    pub fn max_output_tokens(mut self, tokens: u64) -> Self {
        self.draft.config.options.max_output_tokens = Some(tokens);
        self
    }

    /// Sets the sampling temperature.
    pub fn temperature(mut self, temperature: f64) -> Self {
        self.draft.config.options.temperature = Some(temperature);
        self
    }

    /// Sets the amount of reasoning before an answer.
    pub fn reasoning(mut self, effort: Effort) -> Self {
        self.draft.config.options.reasoning = Some(effort);
        self
    }
}
