//! Where the models of definitions come from that name one.

use std::sync::Arc;

use windlass_agent::{Budget, Prices};
use windlass_model::Model;

/// Where models come from.
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
    /// The model of a name, as a definition has it; nothing if there is none.
    fn model(&self, name: &str) -> Option<SourcedModel>;
}

/// A model, and what it costs.
#[derive(Clone)]
#[non_exhaustive]
pub struct SourcedModel {
    /// Who answers.
    pub model: Arc<dyn Model>,
    /// The provider's name of it.
    pub name: String,
    /// What its tokens cost, in the currency of the shared budget.
    pub prices: Prices,
}

impl SourcedModel {
    /// A model whose tokens cost nothing.
    pub fn new(model: Arc<dyn Model>, name: impl Into<String>) -> Self {
        Self { model, name: name.into(), prices: Prices::default() }
    }

    /// The same model at these prices.
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
