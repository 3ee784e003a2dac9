//! The facts about a model that its source knows.

use windlass_protocol::{Capabilities, Prices};

/// The known facts about a model.
///
/// ```
/// use windlass_protocol::{Capabilities, Support};
/// use windlass_stream::ModelFacts;
///
/// let capabilities = Capabilities { native_tools: Support::No, ..Capabilities::default() };
/// let facts = ModelFacts::new(capabilities).with_context_tokens(Some(32_768));
/// assert_eq!(facts.context_tokens, Some(32_768));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ModelFacts {
    /// The capabilities, as far as they are known.
    pub capabilities: Capabilities,
    /// The size of the context window in tokens; `None` if it is unknown.
    pub context_tokens: Option<u64>,
    /// The prices of the tokens; `None` if they are unknown.
    pub prices: Option<Prices>,
}

impl ModelFacts {
    /// Creates facts with an unknown context window and unknown prices.
    pub fn new(capabilities: Capabilities) -> Self {
        Self { capabilities, context_tokens: None, prices: None }
    }

    /// Sets the size of the context window in tokens.
    pub fn with_context_tokens(mut self, tokens: Option<u64>) -> Self {
        self.context_tokens = tokens;
        self
    }

    /// Sets the prices of the tokens.
    pub fn with_prices(mut self, prices: Option<Prices>) -> Self {
        self.prices = prices;
        self
    }
}
