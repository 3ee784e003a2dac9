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
}

impl Default for AnthropicOptions {
    fn default() -> Self {
        // 8,192 is what every model that is still served can answer with.
        Self { version: "2023-06-01".to_owned(), default_max_tokens: 8192, betas: Vec::new() }
    }
}

impl AnthropicOptions {
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
