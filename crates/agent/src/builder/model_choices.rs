//! The settings of a run that follow from its model.

use windlass_loop::{Budget, ContextLimits};
use windlass_protocol::{Capabilities, Prices, Support, ToolProtocol};
use windlass_stream::ModelFacts;
use windlass_text_calls::StructuredOutput;

/// The settings that follow from the model: from the facts that it knows, or from another agent with the same
/// model. The settings of the builder take precedence.
#[derive(Clone, Debug, Default)]
pub(crate) struct ModelChoices {
    /// The capabilities; `None` if nothing is known about the model.
    pub(crate) capabilities: Option<Capabilities>,
    /// The call protocols; empty for native calls only.
    pub(crate) protocols: Vec<ToolProtocol>,
    pub(crate) output: StructuredOutput,
    /// The context window in tokens; 0 if it is unknown.
    pub(crate) window: u64,
    /// The prices of the model's tokens; the default if they are unknown.
    pub(crate) prices: Prices,
}

impl ModelChoices {
    pub(crate) fn from_facts(facts: Option<ModelFacts>) -> Self {
        let window = facts.and_then(|facts| facts.context_tokens).unwrap_or_default();
        let prices = facts.and_then(|facts| facts.prices).unwrap_or_default();
        Self { window, prices, ..Self::default() }.with_capabilities(facts.map(|facts| facts.capabilities))
    }

    /// Replaces what follows from the capabilities, if they are set.
    pub(crate) fn with_capabilities(self, capabilities: Option<Capabilities>) -> Self {
        let Some(capabilities) = capabilities else { return self };
        let protocols = ToolProtocol::in_order(capabilities);
        let output = choose_output(capabilities);
        Self { capabilities: Some(capabilities), protocols, output, ..self }
    }

    /// Replaces the protocols, if they are set.
    pub(crate) fn with_protocols(self, protocols: Vec<ToolProtocol>) -> Self {
        if protocols.is_empty() { self } else { Self { protocols, ..self } }
    }

    /// Returns the budget with the prices of the model, unless it has prices.
    pub(crate) fn complete_budget(&self, mut budget: Budget) -> Budget {
        if !budget.prices.is_known() {
            budget.prices = self.prices;
        }
        budget
    }

    /// Returns the limits with the window of the model, unless they have one.
    pub(crate) fn complete_context(&self, limits: ContextLimits) -> ContextLimits {
        if limits.window == 0 { ContextLimits { window: self.window, ..limits } } else { limits }
    }
}

/// Returns the strongest mechanism for a structured answer that the model may have.
fn choose_output(capabilities: Capabilities) -> StructuredOutput {
    match (capabilities.structured_output, capabilities.json_output) {
        (Support::No, Support::No) => StructuredOutput::Prompt,
        (Support::No, _) => StructuredOutput::Json,
        _ => StructuredOutput::Schema,
    }
}
