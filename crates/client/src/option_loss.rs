//! The options of a request that are not sent, because the model is known not to take them.

use std::collections::BTreeSet;

use windlass_protocol::{Request, Strictness, ToolSpec};

use crate::Client;
use crate::event::ClientEvent;

impl Client {
    /// Notifies the observer of the options that an answered request lacked: those that the encoder dropped, and the demands
    /// of tools that the prepared request does not have.
    pub(crate) fn notify_option_loss(
        &self,
        request: &Request,
        prepared: &Request,
        dropped: BTreeSet<String>,
    ) {
        let mut fields = dropped;
        let is_lost = |is_demanded: fn(&ToolSpec) -> bool| {
            request.tools.iter().any(is_demanded) && !prepared.tools.iter().any(is_demanded)
        };
        fields.extend(is_lost(demands_enforcement).then(|| "strict".to_owned()));
        fields.extend(is_lost(has_grammar).then(|| "grammar".to_owned()));
        if !fields.is_empty() {
            self.notify(|| ClientEvent::OptionLoss { model: request.model.clone(), fields });
        }
    }
}

/// Returns whether the provider has to enforce the schema of a function.
fn demands_enforcement(tool: &ToolSpec) -> bool {
    matches!(tool, ToolSpec::Function { strict: Strictness::On, .. })
}

/// Returns whether a grammar constrains the free text of a tool.
fn has_grammar(tool: &ToolSpec) -> bool {
    matches!(tool, ToolSpec::Freeform { grammar: Some(_), .. })
}
