//! The recorded requests that servers of OpenAI Chat accepted, read and written again.

use serde_json::{Value, json};
use windlass_wire_openai_chat::{OpenAiChat, OpenAiChatOptions};

use crate::golden::{self, Difference, Format};

/// Requests for several answers (`n`).
const SEVERAL: &str =
    "several answers to one request are refused: the calls of one only could get their results";

const DIFFERENCES: &[Difference] = &[
    ("dd-trace-js__dd-trace-llmobs-openai-openai_chat_completions_post_6df851cc", "R1", SEVERAL),
    ("dd-trace-py__contrib-litellm-completion_stream_multiple_choices", "R1", SEVERAL),
    ("dd-trace-py__contrib-litellm-completion_stream_multiple_choices_exclude_usage", "R1", SEVERAL),
    ("dd-trace-py__contrib-litellm-completion_stream_multiple_choices_proxy", "R1", SEVERAL),
    ("dd-trace-py__contrib-litellm-completion_stream_multiple_choices_with_tools", "R1", SEVERAL),
    (
        "otel-contrib__instrumentation-genai-opentelemetry-instrumentation-openai-v2-test_async_chat_completion_multiple_choices_streaming",
        "R1",
        SEVERAL,
    ),
    (
        "otel-contrib__instrumentation-genai-opentelemetry-instrumentation-openai-v2-test_chat_completion_multiple_choices_streaming",
        "R1",
        SEVERAL,
    ),
    ("rig__llamacpp-response_shape_matrix-two_candidates_streaming", "R1", SEVERAL),
    ("rig__mistral-capability_edges-streaming_with_two_candidates_answers_from_the_first", "R1", SEVERAL),
    ("rig__mistral-terminal_metadata_matrix-streaming_ministral_3b_roomy_plain_two", "R1", SEVERAL),
    ("rig__mistral-terminal_metadata_matrix-streaming_ministral_3b_tiny_plain_two", "R1", SEVERAL),
    ("rig__mistral-terminal_metadata_matrix-streaming_mistral_small_roomy_plain_two", "R1", SEVERAL),
    ("rig__mistral-terminal_metadata_matrix-streaming_mistral_small_tiny_plain_two", "R1", SEVERAL),
];

/// Returns the body in a normal form, without differences that have no meaning for the API.
fn plain(body: &Value) -> Value {
    let mut body = body.clone();
    let fields = body.as_object_mut().unwrap();
    // `1` and `1.0` are the same number.
    for name in ["temperature"] {
        if let Some(number) = fields.get(name).and_then(Value::as_f64) {
            fields.insert(name.to_owned(), number.into());
        }
    }
    // One stop text is a list of one.
    if let Some(Value::String(stop)) = fields.get("stop").cloned() {
        fields.insert("stop".to_owned(), json!([stop]));
    }
    let has_tools = fields.get("tools").is_some_and(|tools| tools != &json!([]));
    fields.retain(|name, value| {
        // Removes explicit values that equal the defaults of the API.
        let is_default = match name.as_str() {
            "tools" | "parallel_tool_calls" => !has_tools,
            "stream" => value == &json!(false),
            "tool_choice" => value == &json!("auto") || (!has_tools && value == &json!("none")),
            "response_format" => value == &json!({ "type": "text" }),
            _ => false,
        };
        !is_default && !value.is_null()
    });
    for tool in fields.get_mut("tools").and_then(Value::as_array_mut).into_iter().flatten() {
        plain_tool(tool);
    }
    for message in fields.get_mut("messages").and_then(Value::as_array_mut).into_iter().flatten() {
        plain_message(message);
    }
    body
}

/// A function without a description has an empty one; `null` is absent.
fn plain_tool(tool: &mut Value) {
    for body in ["function", "custom"] {
        if let Some(fields) = tool.get_mut(body).and_then(Value::as_object_mut) {
            fields.retain(|name, value| !(value.is_null() || (name == "description" && value == "")));
        }
    }
}

fn plain_message(message: &mut Value) {
    let fields = message.as_object_mut().unwrap();
    fields.retain(|_, value| !value.is_null());
    // A list of one text is the text.
    if let Some([one]) = fields.get("content").and_then(Value::as_array).map(Vec::as_slice)
        && one.as_object().is_some_and(|part| part.len() == 2 && part["type"] == "text")
    {
        let text = one["text"].clone();
        fields.insert("content".to_owned(), text);
    }
    // A message of calls has no text, whether the field is `""` or absent.
    if fields.contains_key("tool_calls") && fields.get("content").is_some_and(|content| content == "") {
        fields.remove("content");
    }
}

fn format(wire: &OpenAiChat) -> Format<'_> {
    Format {
        api: "openai-chat",
        wire,
        server: wire,
        path: "/v1/chat/completions",
        plain,
        differences: DIFFERENCES,
        exceptions: DIFFERENCES,
        floor: 359,
    }
}

#[test]
fn corpus_openai_chat_requests_round_trip() {
    golden::check(&format(&OpenAiChat::new(OpenAiChatOptions::as_given())));
}

#[test]
fn corpus_openai_chat_requests_have_nothing_that_the_linter_finds() {
    golden::check_lint(&format(&OpenAiChat::new(OpenAiChatOptions::as_given())));
}
