//! The facts about models that are known before a request: schema dialect, list and abilities.

use super::RequestEncoder;
use crate::capability::{ClaimSource, Claims, ModelCapabilities};
use crate::discovery::Discovery;
use crate::prices::ModelPrice;

impl RequestEncoder {
    /// Returns the price of a model, if it is known.
    pub fn price(&self, model: &str) -> Option<ModelPrice> {
        self.vendor.as_ref()?.price(model)
    }

    /// Returns the largest request of a model in tokens, from the table of this crate.
    pub fn context_tokens(&self, model: &str) -> Option<u64> {
        self.vendor.as_ref()?.context_tokens(model)
    }

    /// Returns the name of the JSON Schema dialect for a model.
    pub fn schema_dialect(&self, model: &str) -> &str {
        match &self.vendor {
            Some(vendor) => vendor.schema(model),
            None => self.wire.schema_dialect(),
        }
    }

    /// Returns the format of the provider's list of models.
    pub fn discovery(&self) -> Discovery {
        match &self.vendor {
            Some(vendor) => vendor.discovery,
            None => Discovery::for_wire(self.wire.as_ref()),
        }
    }

    /// Returns the known abilities of a model. `stated` are statements of the provider, the strongest first:
    /// weaker than the user's files and stronger than the table.
    pub fn capabilities(&self, model: &str, stated: &[(ClaimSource, Claims)]) -> ModelCapabilities {
        if let Some(vendor) = &self.vendor {
            return vendor.combine_claims(model, stated);
        }
        let mut known = ModelCapabilities::default();
        for (source, claims) in stated {
            known.add(claims, source);
        }
        known
    }
}
