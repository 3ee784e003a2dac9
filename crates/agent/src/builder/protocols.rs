//! The call protocols of an agent, and the corrections of its answers.

use windlass_protocol::{Capabilities, ToolProtocol};

use super::AgentBuilder;

impl AgentBuilder {
    /// Sets the call protocols that are tried, in this order. The first one that the provider accepts is
    /// recorded and used for the whole run, also after it is resumed (RULES P5). The default
    /// follows from the capabilities of the model, and is native calls if they are unknown.
    pub fn protocols(mut self, protocols: impl IntoIterator<Item = ToolProtocol>) -> Self {
        self.protocols = protocols.into_iter().collect();
        self
    }

    /// Sets the capabilities of the model, from which the order of the call protocols follows: native calls,
    /// structured output, calls as text. By default they are the ones that the model knows.
    pub fn capabilities(mut self, capabilities: Capabilities) -> Self {
        self.capabilities = Some(capabilities);
        self
    }

    /// Sets how often the model is asked to correct an answer that does not fit its type
    /// ([`Agent::run_as`](crate::Agent::run_as)). The default is two corrections.
    pub fn answer_corrections(mut self, corrections: u32) -> Self {
        self.corrections = Some(corrections);
        self
    }
}
