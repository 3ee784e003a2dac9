//! The fields and headers of the format at a gateway.

use windlass_wire::FieldFate::{LeftOut, Refused, Stored, Translated};
use windlass_wire::{FieldRule, HeaderRule};

/// The fates of fields in requests to other formats.
pub(crate) const FIELDS: &[FieldRule] = &[
    FieldRule::new("reasoning", Translated, r#"{"effort":"low"}"#),
    FieldRule::new("top_p", Translated, "0.5"),
    FieldRule::new("text.verbosity", Translated, r#""low""#),
    FieldRule::new("previous_response_id", Stored, r#""resp_1""#),
    FieldRule::new("conversation", Stored, r#""conv_1""#),
    FieldRule::new("prompt", Refused, r#"{"id":"pmpt_1"}"#),
    FieldRule::new("background", Refused, "true"),
    FieldRule::new("top_logprobs", Refused, "2"),
    FieldRule::new("store", Translated, "true"),
    FieldRule::new("include", LeftOut, r#"["reasoning.encrypted_content"]"#),
    FieldRule::new("metadata", LeftOut, r#"{"a":"b"}"#),
    FieldRule::new("service_tier", LeftOut, r#""flex""#),
    FieldRule::new("truncation", LeftOut, r#""auto""#),
    FieldRule::new("max_tool_calls", LeftOut, "3"),
    FieldRule::new("user", LeftOut, r#""ann""#),
    FieldRule::new("safety_identifier", LeftOut, r#""ann""#),
    FieldRule::new("prompt_cache_key", LeftOut, r#""k""#),
    FieldRule::new("stream_options", LeftOut, r#"{"include_obfuscation":false}"#),
];

/// The headers that cross a gateway.
pub(crate) const HEADERS: &[HeaderRule] = &[
    HeaderRule::to_provider("openai-beta"),
    HeaderRule::to_provider("x-client-request-id"),
    HeaderRule::to_provider("originator"),
    HeaderRule::to_provider("session_id"),
    HeaderRule::to_provider("conversation_id"),
    HeaderRule::to_client("openai-*"),
];
