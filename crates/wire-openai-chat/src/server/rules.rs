//! The fields and headers of the format at a gateway.

use windlass_wire::FieldFate::{LeftOut, Refused, Translated};
use windlass_wire::{FieldRule, HeaderRule};

/// The fates of fields in requests to other formats.
pub(crate) const FIELDS: &[FieldRule] = &[
    FieldRule::new("max_completion_tokens", Translated, "9"),
    FieldRule::new("stream_options", Translated, r#"{"include_usage":true}"#),
    FieldRule::new("reasoning_effort", Translated, r#""low""#),
    FieldRule::new("top_p", Translated, "0.5"),
    FieldRule::new("seed", Translated, "7"),
    FieldRule::new("verbosity", Translated, r#""low""#),
    FieldRule::new("frequency_penalty", Translated, "0.5"),
    FieldRule::new("presence_penalty", Translated, "0.5"),
    FieldRule::new("n", Refused, "2"),
    FieldRule::new("logprobs", Refused, "true"),
    FieldRule::new("top_logprobs", Refused, "2"),
    FieldRule::new("logit_bias", Refused, r#"{"7":-100}"#),
    FieldRule::new("modalities", Refused, r#"["text","audio"]"#),
    FieldRule::new("audio", Refused, r#"{"voice":"alloy","format":"wav"}"#),
    FieldRule::new("functions", Refused, r#"[{"name":"f"}]"#),
    FieldRule::new("response_format", Refused, r#"{"type":"grammar","grammar":"x"}"#),
    FieldRule::new("user", LeftOut, r#""ann""#),
    FieldRule::new("safety_identifier", LeftOut, r#""ann""#),
    FieldRule::new("prompt_cache_key", LeftOut, r#""k""#),
    FieldRule::new("metadata", LeftOut, r#"{"a":"b"}"#),
    FieldRule::new("store", LeftOut, "true"),
    FieldRule::new("service_tier", LeftOut, r#""flex""#),
    FieldRule::new("prediction", LeftOut, r#"{"type":"content","content":"x"}"#),
    FieldRule::new("web_search_options", Refused, r#"{"search_context_size":"low"}"#),
];

/// The headers that cross a gateway.
pub(crate) const HEADERS: &[HeaderRule] = &[
    HeaderRule::to_provider("openai-beta"),
    HeaderRule::to_provider("x-client-request-id"),
    HeaderRule::to_client("openai-*"),
];
