//! The source of models for definitions that name a model.

use std::sync::Arc;

use windlass_agent::{Budget, Prices};
use windlass_stream::Model;

/// A source of models, which an application implements.
///
/// ```
/// use windlass_subagent::{ModelSource, SourcedModel};
/// /// Knows none.
/// struct Nowhere;
/// impl ModelSource for Nowhere {
///     fn model(&self, _: &str) -> Option<SourcedModel> {
///         None
///     }
/// }
/// assert!(Nowhere.model("small-1").is_none());
/// ```
pub trait ModelSource: Send + Sync {
    /// Returns the model with this name from a definition, or `None` if it does not exist.
    fn model(&self, name: &str) -> Option<SourcedModel>;
}

/// A model with its prices.
#[derive(Clone)]
#[non_exhaustive]
pub struct SourcedModel {
    /// The model.
    pub model: Arc<dyn Model>,
    /// The name under which the provider knows the model.
    pub name: String,
    /// The prices of the model's tokens, in the currency of the shared budget.
    pub prices: Prices,
}

impl SourcedModel {
    /// Creates an entry without prices, so that the model's tokens cost nothing.
    pub fn new(model: Arc<dyn Model>, name: impl Into<String>) -> Self {
        Self { model, name: name.into(), prices: Prices::default() }
    }

    /// Sets the prices.
    pub fn with_prices(mut self, prices: Prices) -> Self {
        self.prices = prices;
        self
    }

    pub(crate) fn budget(&self) -> Budget {
        Budget { prices: self.prices, ..Budget::default() }
    }
}

impl std::fmt::Debug for SourcedModel {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SourcedModel").field("name", &self.name).finish_non_exhaustive()
    }
}
