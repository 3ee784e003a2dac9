//! The recorded requests that Anthropic Messages accepted, read and written again.

use serde_json::{Value, json};
use windlass_wire_anthropic::{Anthropic, AnthropicOptions};

use crate::golden::{self, Difference, Format};

/// Messages of OpenAI's assistants API, filed here for their path.
const ASSISTANTS: &str = "a message of OpenAI's assistants API, which has no model and no messages";

/// Edited by hand after they were recorded.
const UNPAIRED: &str = "edited by hand: its result answers another call than the one before it";

const DIFFERENCES: &[Difference] = &[
    (
        "dd-trace-py__contrib-anthropic-anthropic_completion_tools_call_with_tool_result_stream",
        "R1",
        UNPAIRED,
    ),
    (
        "dd-trace-py__contrib-anthropic-anthropic_completion_tools_call_with_tool_result_stream_helper",
        "R1",
        UNPAIRED,
    ),
    (
        "lmnr__test_instrumentations-test_openai-traces-test_assistant-test_existing_assistant__01",
        "P3",
        ASSISTANTS,
    ),
    (
        "lmnr__test_instrumentations-test_openai-traces-test_assistant-test_new_assistant__02",
        "P3",
        ASSISTANTS,
    ),
    (
        "lmnr__test_instrumentations-test_openai-traces-test_assistant-test_streaming_existing_assistant__01",
        "P3",
        ASSISTANTS,
    ),
    (
        "openllmetry__opentelemetry-instrumentation-llamaindex-test_agents-test_agent_with_query_tool__02",
        "P3",
        ASSISTANTS,
    ),
    (
        "openllmetry__opentelemetry-instrumentation-openai-traces-test_assistant-test_existing_assistant__01",
        "P3",
        ASSISTANTS,
    ),
    ("ruby-openai__messages_create__00", "P3", ASSISTANTS),
    ("ruby-openai__messages_create__01", "P3", ASSISTANTS),
    ("ruby-openai__messages_delete_message_setup", "P3", ASSISTANTS),
];

const EXCEPTIONS: &[Difference] = &[
    (
        "dd-trace-py__contrib-anthropic-anthropic_completion_tools_call_with_tool_result_stream",
        "R1",
        UNPAIRED,
    ),
    (
        "dd-trace-py__contrib-anthropic-anthropic_completion_tools_call_with_tool_result_stream_helper",
        "R1",
        UNPAIRED,
    ),
];

/// Returns the body in a normal form, without differences that have no meaning for the API.
fn plain(body: &Value) -> Value {
    let mut body = body.clone();
    let fields = body.as_object_mut().unwrap();
    // `1` and `1.0` are the same number.
    if let Some(number) = fields.get("temperature").and_then(Value::as_f64) {
        fields.insert("temperature".to_owned(), number.into());
    }
    fields.retain(|name, value| {
        // Removes explicit values that equal the defaults of the API.
        let is_default = match name.as_str() {
            "tools" | "system" => value == &json!([]) || value == &json!(""),
            "stream" => value == &json!(false),
            "tool_choice" => value == &json!({ "type": "auto" }),
            _ => false,
        };
        !is_default && !value.is_null()
    });
    if let Some(tools) = fields.get_mut("tools").and_then(Value::as_array_mut) {
        for tool in tools.iter_mut() {
            // A tool without a description has an empty one.
            let is_absent =
                |name: &str, value: &Value| value.is_null() || (name == "description" && value == "");
            tool.as_object_mut().unwrap().retain(|name, value| !is_absent(name, value));
        }
        // Custom tools and the provider's tools are two lists in this form; their mutual order has no
        // meaning.
        tools.sort_by_key(|tool| tool.get("type").is_some());
    }
    if let Some(system) = fields.get_mut("system") {
        plain_content(system);
    }
    for message in fields.get_mut("messages").and_then(Value::as_array_mut).into_iter().flatten() {
        plain_content(&mut message["content"]);
    }
    body
}

/// A text is a list of one block; `null` is absent, and a result without the field is not an error.
fn plain_content(content: &mut Value) {
    if let Value::String(text) = content {
        *content = json!([{ "type": "text", "text": text }]);
    }
    for block in content.as_array_mut().into_iter().flatten() {
        let fields = block.as_object_mut().unwrap();
        fields.retain(|name, value| !(value.is_null() || (name == "is_error" && value == &json!(false))));
        if let Some(inner) = fields.get_mut("content") {
            plain_content(inner);
        }
    }
}

fn format(wire: &Anthropic) -> Format<'_> {
    Format {
        api: "anthropic",
        wire,
        server: wire,
        path: "/v1/messages",
        plain,
        differences: DIFFERENCES,
        exceptions: EXCEPTIONS,
        floor: 205,
    }
}

#[test]
fn corpus_anthropic_requests_round_trip() {
    golden::check(&format(&Anthropic::new(AnthropicOptions::as_given())));
}

#[test]
fn corpus_anthropic_requests_have_nothing_that_the_linter_finds() {
    golden::check_lint(&format(&Anthropic::new(AnthropicOptions::as_given())));
}
