//! The recorded requests that OpenAI Responses accepted are decoded to `Request`, and encoded again.
//!
//! Values that are equal for the API are normalized before the two are compared (`plain`); every other
//! difference is named with the rule that decides it.

use std::sync::LazyLock;

use serde_json::{Value, json};
use windlass_wire_openai_responses::{OpenAiResponses, OpenAiResponsesOptions};

use crate::golden::{self, Difference, Format};

/// A request that does not come out as it went in, the rule that decides it, and why.
const DIFFERENCES: &[Difference] = &[(
    "mirascope__typescript-e2e-input-empty-call-openai_responses-handles-empty-string-content",
    "P3",
    "a message without words is refused here, though the API takes it: encoding is strict",
)];

/// Requests in which the linter finds something, though the API took them: the file, the rule, and why.
const EXCEPTIONS: &[Difference] = &[(
    "mirascope__typescript-e2e-input-empty-call-openai_responses-handles-empty-string-content",
    "P3",
    "a message without words, which encoding refuses",
)];

fn text<'a>(value: &'a Value, name: &str) -> &'a str {
    value.get(name).and_then(Value::as_str).unwrap_or_default()
}

/// Returns the body in a normal form, without differences that have no meaning for the API.
fn plain(body: &Value) -> Value {
    let mut body = body.clone();
    let fields = body.as_object_mut().unwrap();
    // `1` and `1.0` are the same number.
    if let Some(temperature) = fields.get("temperature").and_then(Value::as_f64) {
        fields.insert("temperature".to_owned(), temperature.into());
    }
    for tool in fields.get_mut("tools").and_then(Value::as_array_mut).into_iter().flatten() {
        tool.as_object_mut().unwrap().retain(|name, value| !is_nothing(name, value));
    }
    let has_tools = fields.get("tools").is_some_and(|tools| tools != &json!([]));
    fields.retain(|name, value| {
        let is_default = match name.as_str() {
            "tools" | "parallel_tool_calls" => !has_tools,
            "stream" => value == &json!(false),
            "tool_choice" => value == &json!("auto"),
            // Text is the default form of an answer.
            "text" => value == &json!({ "format": { "type": "text" } }),
            _ => false,
        };
        !is_default && !value.is_null()
    });
    // One text is one message of the user.
    let input = match fields.remove("input") {
        Some(Value::String(text)) => json!([{ "role": "user", "content": text }]),
        input => input.unwrap_or_default(),
    };
    fields.insert("input".to_owned(), input.as_array().into_iter().flatten().map(plain_item).collect());
    body
}

/// `null` is an absent value, and a tool without a description has an empty one.
fn is_nothing(name: &str, value: &Value) -> bool {
    value.is_null() || (name == "description" && value == "")
}

fn plain_item(item: &Value) -> Value {
    let mut item = item.clone();
    let is_message = matches!(text(&item, "type"), "" | "message");
    let fields = item.as_object_mut().unwrap();
    // An item without a type is a message.
    fields.retain(|name, value| !(value.is_null() || (name == "type" && value == "message")));
    if is_message {
        let content = fields.remove("content").unwrap();
        fields.insert("content".to_owned(), plain_content(content));
    }
    item
}

/// One part of words equals its text; a picture's detail is `auto`, and words have no sources, unless the
/// request states them.
fn plain_content(content: Value) -> Value {
    let Value::Array(mut parts) = content else { return content };
    for part in &mut parts {
        let fields = part.as_object_mut().unwrap();
        fields.retain(|name, value| {
            !(name == "annotations" && value == &json!([]) || (name == "detail" && value == "auto"))
        });
    }
    match parts.as_slice() {
        [one] if is_only_words(one) => one["text"].clone(),
        _ => Value::Array(parts),
    }
}

fn is_only_words(part: &Value) -> bool {
    matches!(text(part, "type"), "input_text" | "output_text") && part.as_object().unwrap().len() == 2
}

fn format() -> Format<'static> {
    static WIRE: LazyLock<OpenAiResponses> =
        LazyLock::new(|| OpenAiResponses::new(OpenAiResponsesOptions::as_given()));
    Format {
        api: "openai-responses",
        wire: &*WIRE,
        server: &*WIRE,
        path: "/responses",
        plain,
        differences: DIFFERENCES,
        exceptions: EXCEPTIONS,
        floor: 225,
    }
}

#[test]
fn corpus_openai_responses_golden_requests_round_trip() {
    golden::check(&format());
}

#[test]
fn corpus_openai_responses_golden_requests_are_not_refused() {
    golden::check_lint(&format());
}
