//! The fields and headers of the format at a gateway.

use windlass_wire::FieldFate::{Lenient, Refused, Translated};
use windlass_wire::{FieldEffect, FieldRule, HeaderRule, RateLimitHeaders};

/// An edit that applies to each conversation.
const EDITS: &str =
    r#"{"edits":[{"type":"clear_tool_uses_20250919","trigger":{"type":"input_tokens","value":1}}]}"#;

/// The fates of fields in requests to other formats.
pub(crate) const FIELDS: &[FieldRule] = &[
    FieldRule::new("model", Translated, r#""other""#),
    FieldRule::new("messages", Translated, r#"[{"role":"user","content":"y"}]"#),
    FieldRule::new("system", Translated, r#""Be brief.""#),
    FieldRule::new("tools", Translated, r#"[{"name":"f","input_schema":{"type":"object"}}]"#),
    FieldRule::new("tool_choice", Translated, r#"{"type":"any"}"#),
    FieldRule::new("temperature", Translated, "0.5"),
    FieldRule::new("stop_sequences", Translated, r#"["END"]"#),
    FieldRule::new("max_tokens", Translated, "7"),
    FieldRule::new(
        "output_config.format",
        Translated,
        r#"{"type":"json_schema","schema":{"type":"object"}}"#,
    ),
    FieldRule::new("output_config.task_budget", Lenient, r#"{"type":"tokens","total":20000}"#),
    FieldRule::new("thinking", Translated, r#"{"type":"enabled","budget_tokens":2048}"#),
    FieldRule::new("output_config.effort", Translated, r#""low""#),
    FieldRule::new("top_p", Translated, "0.5"),
    FieldRule::new("top_k", Translated, "5"),
    FieldRule::new("thread", Refused, r#"{"type":"create"}"#),
    FieldRule::new("container", Refused, r#""container_1""#),
    FieldRule::new("compaction", Refused, r#"{"type":"enabled"}"#),
    FieldRule::new("inference_geo", Refused, r#""us""#).with_effect(FieldEffect::Unless("global")),
    FieldRule::new("billing_policy", Refused, r#"{"type":"billing_policy","bill_to":"user_profile"}"#)
        .with_effect(FieldEffect::Member { name: "bill_to", unless: "self" }),
    FieldRule::left_out("metadata", r#"{"user_id":"ann"}"#, "The API uses it to find abuse."),
    FieldRule::left_out("service_tier", r#""auto""#, "It selects a price and a time, for the same model."),
    FieldRule::left_out("speed", r#""fast""#, "It selects a price and a time, for the same model."),
    FieldRule::left_out(
        "diagnostics",
        r#"{"previous_message_id":"msg_1"}"#,
        "It reports why a cache was not used.",
    ),
    FieldRule::left_out(
        "fallbacks",
        r#""default""#,
        "It selects models of Anthropic for the case that the first declines. A chain of the gateway has its own.",
    ),
    FieldRule::left_out("fallback_credit_token", r#""t""#, "It changes the price of a repeated request."),
    FieldRule::new("context_management", Lenient, EDITS).with_effect(FieldEffect::DueEdits),
    FieldRule::left_out(
        "cache_control",
        r#"{"type":"ephemeral"}"#,
        "It marks a cache, which changes the price and the time of an answer.",
    ),
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
