//! The fields and headers of the format at a gateway.

use windlass_wire::FieldFate::{LeftOut, Lenient, Refused, Translated};
use windlass_wire::{FieldRule, HeaderRule, RateLimitHeaders};

/// The fates of fields in requests to other formats.
pub(crate) const FIELDS: &[FieldRule] = &[
    FieldRule::new("thinking", Translated, r#"{"type":"enabled","budget_tokens":2048}"#),
    FieldRule::new("output_config.effort", Translated, r#""low""#),
    FieldRule::new("top_p", Translated, "0.5"),
    FieldRule::new("top_k", Translated, "5"),
    FieldRule::new("thread", Refused, r#"{"type":"create"}"#),
    FieldRule::new("container", Refused, r#""container_1""#),
    FieldRule::new("metadata", LeftOut, r#"{"user_id":"ann"}"#),
    FieldRule::new("service_tier", LeftOut, r#""auto""#),
    FieldRule::new("context_management", Lenient, r#"{"edits":[]}"#),
    FieldRule::new("cache_control", LeftOut, r#"{"type":"ephemeral"}"#),
    FieldRule::new("mcp_servers", Refused, r#"[{"type":"url","url":"https://m.example","name":"m"}]"#),
];

/// The headers that cross a gateway.
pub(crate) const HEADERS: &[HeaderRule] = &[
    HeaderRule::to_provider("anthropic-*"),
    HeaderRule::to_provider("x-app"),
    HeaderRule::to_client("anthropic-*"),
];

/// The names of the headers with the limits of an account.
pub(crate) const RATE_LIMITS: RateLimitHeaders = RateLimitHeaders {
    request_limit: "anthropic-ratelimit-requests-limit",
    requests_left: "anthropic-ratelimit-requests-remaining",
    token_limit: "anthropic-ratelimit-tokens-limit",
    tokens_left: "anthropic-ratelimit-tokens-remaining",
};
