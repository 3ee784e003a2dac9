//! The fields and headers of the format at a gateway.

use windlass_wire::FieldFate::{Lenient, Refused, Stored, Translated};
use windlass_wire::{FieldEffect, FieldRule, HeaderRule};

/// The reason why an answer does not depend on the fields about summaries.
const THOUGHTS: &str =
    "It selects the form in which thoughts are shown, and the gateway shows them as they arrive.";

/// The reason why an answer does not depend on the fields about caches.
const CACHE: &str = "It selects a cache, which changes the price and the time of an answer.";

/// The fates of fields in requests to other formats.
pub(crate) const FIELDS: &[FieldRule] = &[
    FieldRule::new("model", Translated, r#""other""#),
    FieldRule::new("input", Translated, r#""y""#),
    FieldRule::new("instructions", Translated, r#""Be brief.""#),
    FieldRule::new("tools", Translated, r#"[{"type":"function","name":"f"}]"#),
    FieldRule::new("tool_choice", Translated, r#""required""#),
    FieldRule::new("parallel_tool_calls", Translated, "false"),
    FieldRule::new("temperature", Translated, "0.5"),
    FieldRule::new("max_output_tokens", Translated, "7"),
    FieldRule::new(
        "text.format",
        Translated,
        r#"{"type":"json_schema","name":"n","schema":{"type":"object"}}"#,
    ),
    FieldRule::new("reasoning.effort", Translated, r#""low""#),
    FieldRule::new("reasoning.mode", Lenient, r#""pro""#).with_effect(FieldEffect::Unless("standard")),
    FieldRule::left_out("reasoning.summary", r#""auto""#, THOUGHTS),
    FieldRule::left_out("reasoning.generate_summary", r#""auto""#, THOUGHTS),
    FieldRule::left_out(
        "reasoning.context",
        r#""all_turns""#,
        "It selects earlier thoughts of OpenAI's models, which another provider cannot read.",
    ),
    FieldRule::new("context_management", Lenient, r#"[{"type":"compaction","compact_threshold":1}]"#)
        .with_effect(FieldEffect::DueEdits),
    FieldRule::new("top_p", Translated, "0.5"),
    FieldRule::new("text.verbosity", Translated, r#""low""#),
    FieldRule::new("previous_response_id", Stored, r#""resp_1""#),
    FieldRule::new("conversation", Stored, r#""conv_1""#),
    FieldRule::new("prompt", Refused, r#"{"id":"pmpt_1"}"#),
    FieldRule::new("background", Refused, "true"),
    FieldRule::new("top_logprobs", Refused, "2"),
    FieldRule::new("moderation", Refused, r#"{"model":"omni-moderation-latest"}"#),
    FieldRule::new("store", Translated, "true"),
    FieldRule::left_out(
        "background_options",
        r#"{"completion_window":"2h"}"#,
        "It bounds the time of an answer in the background, which is refused.",
    ),
    FieldRule::left_out(
        "access_programs",
        r#"{"cyber":"standard"}"#,
        "It selects rights of an account of OpenAI.",
    ),
    FieldRule::left_out(
        "image",
        r#"{"context_compression":"enabled"}"#,
        "It makes pictures cheaper, and another provider reads them whole.",
    ),
    FieldRule::left_out(
        "include",
        r#"["reasoning.encrypted_content"]"#,
        "It adds parts that only a later request to this API reads. Log probabilities are refused.",
    )
    .with_effect(FieldEffect::Item("message.output_text.logprobs")),
    FieldRule::left_out("metadata", r#"{"a":"b"}"#, "The API stores it with the answer."),
    FieldRule::left_out("service_tier", r#""flex""#, "It selects a price and a time, for the same model."),
    FieldRule::left_out(
        "truncation",
        r#""auto""#,
        "A provider of another format refuses a conversation that is too long.",
    ),
    FieldRule::left_out(
        "max_tool_calls",
        "3",
        "It bounds calls of tools that OpenAI runs, and another provider runs none of them.",
    ),
    FieldRule::left_out("user", r#""ann""#, "The API uses it to find abuse."),
    FieldRule::left_out("safety_identifier", r#""ann""#, "The API uses it to find abuse."),
    FieldRule::left_out("prompt_cache_key", r#""k""#, CACHE),
    FieldRule::left_out("prompt_cache_options", r#"{"ttl":"30m"}"#, CACHE),
    FieldRule::left_out("prompt_cache_retention", r#""24h""#, CACHE),
    FieldRule::left_out(
        "stream_options",
        r#"{"include_obfuscation":false}"#,
        "It pads events against observers of the network.",
    ),
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
