//! The settings of a run that follow from the facts about its model.

use windlass_loop::ContextLimits;
use windlass_protocol::{Capabilities, Support, ToolProtocol};
use windlass_stream::ModelFacts;
use windlass_text_calls::StructuredOutput;

/// The settings that depend on the model. What the builder sets takes precedence over the facts that the model
/// knows.
#[derive(Debug)]
pub(crate) struct ModelChoices {
    /// The capabilities; `None` if nothing is known about the model.
    pub(crate) capabilities: Option<Capabilities>,
    pub(crate) protocols: Vec<ToolProtocol>,
    pub(crate) output: StructuredOutput,
    pub(crate) context: ContextLimits,
}

impl ModelChoices {
    pub(crate) fn new(
        facts: Option<ModelFacts>,
        capabilities: Option<Capabilities>,
        protocols: Vec<ToolProtocol>,
        mut context: ContextLimits,
    ) -> Self {
        let capabilities = capabilities.or(facts.map(|facts| facts.capabilities));
        let protocols = match capabilities {
            Some(capabilities) if protocols.is_empty() => ToolProtocol::in_order(capabilities),
            _ => protocols,
        };
        if context.window == 0 {
            context.window = facts.and_then(|facts| facts.context_tokens).unwrap_or_default();
        }
        let output = capabilities.map(choose_output).unwrap_or_default();
        Self { capabilities, protocols, output, context }
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
