//! The fields and headers of the format at a gateway.

use windlass_wire::FieldFate::{Refused, Translated};
use windlass_wire::{FieldEffect, FieldRule, HeaderRule};

/// The reason why an answer does not depend on the fields about caches.
const CACHE: &str = "It selects a cache, which changes the price and the time of an answer.";

/// The fates of fields in requests to other formats.
pub(crate) const FIELDS: &[FieldRule] = &[
    FieldRule::new("model", Translated, r#""other""#),
    FieldRule::new("messages", Translated, r#"[{"role":"user","content":"y"}]"#),
    FieldRule::new("tools", Translated, r#"[{"type":"function","function":{"name":"f"}}]"#),
    FieldRule::new("tool_choice", Translated, r#""required""#),
    FieldRule::new("parallel_tool_calls", Translated, "false"),
    FieldRule::new("temperature", Translated, "0.5"),
    FieldRule::new("stop", Translated, r#""END""#),
    FieldRule::new("max_tokens", Translated, "7"),
    FieldRule::new("max_completion_tokens", Translated, "7"),
    FieldRule::new("stream_options", Translated, r#"{"include_usage":true}"#),
    FieldRule::new("reasoning_effort", Translated, r#""low""#),
    FieldRule::new("top_p", Translated, "0.5"),
    FieldRule::new("seed", Translated, "7"),
    FieldRule::new("verbosity", Translated, r#""low""#),
    FieldRule::new("frequency_penalty", Translated, "0.5"),
    FieldRule::new("presence_penalty", Translated, "0.5"),
    FieldRule::new("n", Refused, "2").with_effect(FieldEffect::Several),
    FieldRule::new("logprobs", Refused, "true"),
    FieldRule::new("top_logprobs", Refused, "2"),
    FieldRule::new("logit_bias", Refused, r#"{"7":-100}"#),
    FieldRule::new("modalities", Refused, r#"["text","audio"]"#).with_effect(FieldEffect::OtherThanText),
    FieldRule::new("audio", Refused, r#"{"voice":"alloy","format":"wav"}"#),
    FieldRule::new("functions", Refused, r#"[{"name":"f"}]"#),
    FieldRule::new("function_call", Refused, r#"{"name":"f"}"#),
    FieldRule::new("moderation", Refused, r#"{"model":"omni-moderation-latest"}"#),
    FieldRule::new("response_format", Refused, r#"{"type":"grammar","grammar":"x"}"#),
    FieldRule::left_out("user", r#""ann""#, "The API uses it to find abuse."),
    FieldRule::left_out("safety_identifier", r#""ann""#, "The API uses it to find abuse."),
    FieldRule::left_out("prompt_cache_key", r#""k""#, CACHE),
    FieldRule::left_out("prompt_cache_options", r#"{"ttl":"30m"}"#, CACHE),
    FieldRule::left_out("prompt_cache_retention", r#""24h""#, CACHE),
    FieldRule::left_out("metadata", r#"{"a":"b"}"#, "The API stores it with the answer."),
    FieldRule::left_out("store", "true", "It keeps the answer for the dashboard of the account."),
    FieldRule::left_out("service_tier", r#""flex""#, "It selects a price and a time, for the same model."),
    FieldRule::left_out(
        "prediction",
        r#"{"type":"content","content":"x"}"#,
        "It makes an answer faster, and the model decides its text.",
    ),
    FieldRule::new("web_search_options", Refused, r#"{"search_context_size":"low"}"#)
        .with_effect(FieldEffect::Object),
];

/// The headers that cross a gateway.
pub(crate) const HEADERS: &[HeaderRule] = &[
    HeaderRule::to_provider("openai-beta"),
    HeaderRule::to_provider("x-client-request-id"),
    HeaderRule::to_client("openai-*"),
];
