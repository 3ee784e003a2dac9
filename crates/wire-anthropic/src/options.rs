//! What a request to this API needs beside the conversation.

/// What a request to this API needs beside the conversation.
///
/// ```
/// use windlass_wire_anthropic::{Anthropic, AnthropicOptions};
/// let wire = Anthropic::new(AnthropicOptions::default().with_default_max_tokens(32_000));
/// # let _ = wire;
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct AnthropicOptions {
    /// The version of the API, sent as `anthropic-version`.
    pub version: String,
    /// The limit on the answer where the request has none; the API demands one.
    pub default_max_tokens: u64,
    /// Features in beta, sent as `anthropic-beta`.
    pub betas: Vec<String>,
    /// What the provider is asked to keep in its cache.
    pub caching: Caching,
}

/// What the provider is asked to keep in its prompt cache.
///
/// Markers are placed only where a request has none of its own, and in places that never change while a
/// conversation goes on, so that the bytes of a turn still begin with those of the turn before (RULES N6).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Caching {
    /// What the request itself marks.
    #[default]
    AsMarked,
    /// The tools and the system prompt, each with a marker at its end.
    Prefix,
    /// The tools, the system prompt, and the conversation: the API's automatic caching, one field of the body, puts
    /// the last marker on the last block of every request.
    Conversation,
}

impl Default for AnthropicOptions {
    fn default() -> Self {
        // 8,192 is what every model that is still served can answer with.
        Self {
            version: "2023-06-01".to_owned(),
            default_max_tokens: 8192,
            betas: Vec::new(),
            caching: Caching::AsMarked,
        }
    }
}

impl AnthropicOptions {
    /// Options that add nothing to what a request says, for gateways that hand a request on.
    pub fn as_given() -> Self {
        Self::default()
    }

    /// The same options with another use of the provider's cache.
    pub fn with_caching(mut self, caching: Caching) -> Self {
        self.caching = caching;
        self
    }

    /// The same options with another version of the API.
    pub fn with_version(mut self, version: impl Into<String>) -> Self {
        self.version = version.into();
        self
    }

    /// The same options with another limit where a request has none.
    pub fn with_default_max_tokens(mut self, tokens: u64) -> Self {
        self.default_max_tokens = tokens;
        self
    }

    /// The same options with these features in beta.
    pub fn with_betas(mut self, betas: impl IntoIterator<Item = String>) -> Self {
        self.betas = betas.into_iter().collect();
        self
    }
}
