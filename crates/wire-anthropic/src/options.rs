//! Options of the format that are not part of a request.

use crate::server::version::WITHOUT_SAMPLING;

/// Settings for requests to the Messages API that a `Request` does not have: API version, beta features,
/// default output limit, use of the prompt cache.
///
/// ```
/// use windlass_wire_anthropic::{Anthropic, AnthropicOptions};
/// let wire = Anthropic::new(AnthropicOptions::default().with_default_max_tokens(32_000));
/// # let _ = wire;
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct AnthropicOptions {
    /// The version of the API, sent in the header `anthropic-version`.
    pub version: String,
    /// The output limit, in tokens, for requests without one; the API requires the field. The default is
    /// 8,192.
    pub default_max_tokens: u64,
    /// Names of beta features, sent in the header `anthropic-beta`.
    pub betas: Vec<String>,
    /// The use of the provider's prompt cache.
    pub caching: Caching,
    /// The role of system messages inside the conversation.
    pub system_messages: SystemMessages,
    /// The form of changes of the tools inside a conversation.
    pub tool_changes: ToolChanges,
    /// Types of hosted tools that replace the default ones, such as `web_search_20260209`.
    pub tool_versions: Vec<String>,
}

/// The role of a system message after the first message of the user.
///
/// The API takes the role `system` only directly after a turn of the user, as the last message or before an answer, and
/// only with text. A message elsewhere gets the role `user`, the role with the least authority.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum SystemMessages {
    /// `system` for the models of Anthropic that take it, and `user` for others: Opus since version 4.8, Fable and Mythos
    /// since version 5, Sonnet and Haiku since version 5.5.
    #[default]
    ByModel,
    /// `system` for every model.
    InPlace,
    /// `user` for every model.
    AsUser,
}

/// The form of a change of the tools and the system prompt inside a conversation
/// ([`Request::earlier_preambles`](windlass_protocol::Request::earlier_preambles)).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum ToolChanges {
    /// As blocks at their places in the conversation for the models that are known to take them, which are Opus since
    /// version 4.8 and Fable and Mythos since version 5. The request keeps its first tools and its first system prompt, so
    /// the cache keeps the conversation. Other models get the tools and the system prompt of now.
    #[default]
    ByModel,
    /// The request has the tools and the system prompt of now, for every model.
    Off,
}

/// The types of hosted tools without a beta feature that every model with the tool takes.
const TOOL_VERSIONS: [&str; 5] = [
    "web_search_20250305",
    "web_fetch_20250910",
    "code_execution_20250825",
    "tool_search_tool_bm25_20251119",
    "tool_search_tool_regex_20251119",
];

/// The use of the provider's prompt cache: the policy by which the encoder adds cache markers.
///
/// The encoder adds markers only to a request that has none of its own, and only at positions that do not
/// move while the conversation grows. So the body of each turn still begins with the bytes of the previous
/// turn (RULES N6).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Caching {
    /// Sends the request's own markers and adds none.
    AsMarked,
    /// Adds a marker at the end of the tools and one at the end of the system prompt.
    Prefix,
    /// Adds the markers of `Prefix` and sets `cache_control` on the body. With that field the API caches
    /// automatically: it sets the last marker on the last block of every request. This is the default, because the
    /// conversation of an agent is sent again with each turn, and a cached token costs a tenth.
    #[default]
    Conversation,
}

impl Default for AnthropicOptions {
    fn default() -> Self {
        // Every model that is still served can produce 8,192 tokens.
        Self {
            version: "2023-06-01".to_owned(),
            default_max_tokens: 8192,
            betas: Vec::new(),
            caching: Caching::Conversation,
            system_messages: SystemMessages::ByModel,
            tool_changes: ToolChanges::ByModel,
            tool_versions: Vec::new(),
        }
    }
}

impl AnthropicOptions {
    /// Returns options for gateways that forward requests: nothing is added to a request except the required
    /// output limit if it has none.
    pub fn as_given() -> Self {
        Self::default().with_caching(Caching::AsMarked)
    }

    /// Sets the use of the provider's prompt cache. A request with [`PromptCache::Off`] gets no markers.
    ///
    /// [`PromptCache::Off`]: windlass_protocol::PromptCache::Off
    pub fn with_caching(mut self, caching: Caching) -> Self {
        self.caching = caching;
        self
    }

    /// Returns true if the version has the options `temperature`, `top_p` and `top_k`. Versions are dates.
    pub(crate) fn has_sampling(&self) -> bool {
        self.version.as_str() < WITHOUT_SAMPLING
    }

    /// Sets the version of the API. From `2026-10-21` on, a request with `temperature`, `top_p` or `top_k` is refused, and a
    /// gateway leaves them out of translated requests.
    pub fn with_version(mut self, version: impl Into<String>) -> Self {
        self.version = version.into();
        self
    }

    /// Sets the output limit, in tokens, for requests without one.
    pub fn with_default_max_tokens(mut self, tokens: u64) -> Self {
        self.default_max_tokens = tokens;
        self
    }

    /// Sets the role of system messages inside the conversation.
    pub fn with_system_messages(mut self, role: SystemMessages) -> Self {
        self.system_messages = role;
        self
    }

    /// Sets the form of changes of the tools inside a conversation.
    pub fn with_tool_changes(mut self, changes: ToolChanges) -> Self {
        self.tool_changes = changes;
        self
    }

    /// Sets types of hosted tools that replace the default ones. Newer types have more features and need newer models:
    /// `web_search_20260209` filters its results with code and needs Opus 4.6 or Sonnet 4.6.
    ///
    /// ```
    /// use windlass_protocol::{Message, Request, WebSearch};
    /// use windlass_wire::Wire;
    /// use windlass_wire_anthropic::{Anthropic, AnthropicOptions};
    /// let options = AnthropicOptions::default().with_tool_versions(["web_search_20260209".to_owned()]);
    /// let request = Request::new("claude-opus-4-6", vec![Message::user("hi")])
    ///     .with_hosted_tools([WebSearch::default()]);
    /// let http = Anthropic::new(options).encode(&request)?;
    /// assert!(String::from_utf8_lossy(&http.body).contains("web_search_20260209"));
    /// # Ok::<(), windlass_wire::EncodeError>(())
    /// ```
    pub fn with_tool_versions(mut self, types: impl IntoIterator<Item = String>) -> Self {
        self.tool_versions = types.into_iter().collect();
        self
    }

    /// Returns the type of the hosted tool with this name.
    pub(crate) fn tool_version<'a>(&'a self, name: &'a str) -> &'a str {
        let default = TOOL_VERSIONS.into_iter().find(|kind| is_version(kind, name));
        self.own_tool_version(name).or(default).unwrap_or(name)
    }

    /// Returns the type that replaces the default one of the hosted tool with this name.
    pub(crate) fn own_tool_version(&self, name: &str) -> Option<&str> {
        self.tool_versions.iter().map(String::as_str).find(|kind| is_version(kind, name))
    }

    /// Sets the beta features.
    pub fn with_betas(mut self, betas: impl IntoIterator<Item = String>) -> Self {
        self.betas = betas.into_iter().collect();
        self
    }
}

/// Returns true if a type consists of the name of a tool and a date.
fn is_version(kind: &str, name: &str) -> bool {
    let date = kind.strip_prefix(name).and_then(|rest| rest.strip_prefix('_'));
    date.is_some_and(|date| date.bytes().all(|byte| byte.is_ascii_digit()))
}
