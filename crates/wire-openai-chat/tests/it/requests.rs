//! Decoding of clients' requests.

use serde_json::{Value, json};
use windlass_protocol::{
    Content, Delivery, FileSource, Grammar, ImageSource, OutputFormat, ParallelCalls, Part, Payload, Request,
    ResultStatus, Role, Strictness, ToolChoice, ToolSpec,
};
use windlass_wire::{Framing, RequestError, Server, Wire};
use windlass_wire_openai_chat::{OpenAiChat, OpenAiChatOptions};

const PATH: &str = "/v1/chat/completions";

fn wire() -> OpenAiChat {
    OpenAiChat::new(OpenAiChatOptions::as_given())
}

#[track_caller]
fn read(body: &Value) -> Request {
    wire().decode_request(PATH, body.to_string().as_bytes()).unwrap().request
}

/// Returns the request of some messages. Checks that a decoded request is encoded unchanged.
#[track_caller]
fn check(messages: &Value) -> Request {
    let body = json!({ "model": "m", "messages": messages });
    let request = read(&body);
    let written: Value = serde_json::from_slice(&wire().encode(&request).unwrap().body).unwrap();
    assert_eq!(written, body);
    request
}

#[track_caller]
fn check_error(body: &str, words: &str) {
    let error = wire().decode_request(PATH, body.as_bytes()).unwrap_err();
    assert_eq!(error.to_string(), words);
}

#[test]
fn texts_keep_their_roles() {
    let request = check(&json!([
        { "role": "system", "content": "be brief" },
        { "role": "developer", "content": "be kind" },
        { "role": "user", "content": "hi", "name": "ann" },
        { "role": "assistant", "content": "hello", "prefix": true },
    ]));
    assert_eq!(request.system.as_deref(), Some("be brief"));
    let roles: Vec<Role> = request.messages.iter().map(|message| message.role).collect();
    assert_eq!(roles, [Role::System, Role::User, Role::Assistant]);
    assert_eq!(request.messages[1].text(), "hi");
}

#[test]
fn parts_of_every_kind_are_read_and_go_back() {
    let request = check(&json!([{ "role": "user", "content": [
        { "type": "text", "text": "see", "cache_control": { "type": "ephemeral" } },
        { "type": "image_url", "image_url": { "url": "data:image/png;base64,aGk=", "detail": "low" } },
        { "type": "image_url", "image_url": { "url": "https://x/a.png" } },
        { "type": "file", "file": { "file_data": "data:application/pdf;base64,aGk=", "filename": "a.pdf" } },
        { "type": "file", "file": { "file_id": "file-1" } },
        { "type": "input_audio", "input_audio": { "data": "aGk=", "format": "wav" } },
        { "type": "video_url", "video_url": { "url": "https://x/a.mp4" } },
    ] }]));
    let parts = &request.messages[0].parts;
    assert!(matches!(&parts[1], Part::Image(image) if image.source == ImageSource::Base64("aGk=".into())));
    assert!(matches!(&parts[3], Part::File(file) if file.name.as_deref() == Some("a.pdf")));
    assert!(matches!(&parts[4], Part::File(file) if file.source == FileSource::Id("file-1".into())));
    assert!(matches!(&parts[5], Part::File(file) if file.media_type == "audio/wav"));
    assert!(matches!(&parts[6], Part::Unknown(_)));
}

// P2
#[test]
fn calls_thoughts_and_results_keep_what_travels_with_them() {
    let request = check(&json!([
        { "role": "user", "content": "go" },
        {
            "role": "assistant", "reasoning": "hm", "content": "I look.",
            "reasoning_details": [{ "type": "reasoning.encrypted", "data": "x" }],
            "tool_calls": [
                {
                    "id": "a", "type": "function", "function": { "name": "f", "arguments": "{\"x\": 1}" },
                    "extra_content": { "google": { "thought_signature": "s" } },
                },
                { "id": "b", "type": "custom", "custom": { "name": "g", "input": "free" } },
                { "id": "c", "type": "function", "function": { "name": "f", "arguments": "no json" } },
            ],
        },
        { "role": "tool", "tool_call_id": "a", "content": "[denied] not here", "name": "f" },
        { "role": "tool", "tool_call_id": "b", "content": [
            { "type": "text", "text": "1" },
            { "type": "image_url", "image_url": { "url": "data:image/png;base64,aGk=" } },
        ] },
        { "role": "tool", "tool_call_id": "c", "content": "x" },
    ]));
    let calls: Vec<_> = request.messages[1].calls().collect();
    assert_eq!(calls[0].arguments().unwrap().as_str(), r#"{"x": 1}"#);
    assert_eq!(calls[1].payload, Payload::Custom { input: "free".into() });
    assert_eq!(request.messages.len(), 3, "results of a round are one message");
    let Part::Result(denied) = &request.messages[2].parts[0] else { panic!("a result") };
    assert_eq!((denied.status, &denied.content[0]), (ResultStatus::Denied, &Content::text("not here")));
    let Part::Result(shown) = &request.messages[2].parts[1] else { panic!("a result") };
    assert_eq!(shown.images().count(), 1);
}

#[test]
fn thinking_parts_in_a_content_list_are_reasoning() {
    let request = check(&json!([
        { "role": "user", "content": "go" },
        { "role": "assistant", "content": [
            { "type": "thinking", "thinking": [{ "type": "text", "text": "hm" }] },
            { "type": "text", "text": "done" },
        ] },
    ]));
    assert!(matches!(&request.messages[1].parts[0], Part::Reasoning(thoughts) if thoughts.text == "hm"));
}

#[test]
fn tools_and_tool_choices_are_decoded() {
    let body = json!({
        "model": "m", "messages": [{ "role": "user", "content": "hi" }], "parallel_tool_calls": false,
        "tool_choice": { "type": "custom", "custom": { "name": "patch" } },
        "tools": [
            { "type": "function", "function": {
                "name": "f", "description": "Does it.", "strict": true, "own": 1,
                "parameters": { "type": "object", "properties": { "z": {}, "a": {} } },
            } },
            { "type": "custom", "custom": { "name": "patch", "format": {
                "type": "grammar", "grammar": { "syntax": "regex", "definition": "a+" },
            } } },
            { "type": "web_search", "depth": 2 },
        ],
    });
    let request = read(&body);
    assert!(matches!(&request.tools[0], ToolSpec::Function { strict: Strictness::On, .. }));
    assert!(matches!(&request.tools[1], ToolSpec::Freeform { grammar: Some(Grammar::Regex(_)), .. }));
    assert_eq!(
        request.options.hosted_tools[0].native_for("openai-chat").unwrap(),
        &json!({ "type": "web_search", "depth": 2 })
    );
    assert!(matches!(&request.options.tool_choice, ToolChoice::Named(name) if name.as_str() == "patch"));
    assert_eq!(request.options.parallel_calls, ParallelCalls::Forbid);
    let written: Value = serde_json::from_slice(&wire().encode(&request).unwrap().body).unwrap();
    assert_eq!(written, body);
}

#[test]
fn a_vendor_specific_tool_choice_round_trips() {
    let tool = json!({ "type": "function", "function": { "name": "f", "parameters": {} } });
    for choice in [json!("any"), json!({ "type": "allowed_tools", "allowed_tools": { "mode": "auto" } })] {
        let body = json!({
            "model": "m", "messages": [{ "role": "user", "content": "hi" }], "tools": [tool], "tool_choice": choice,
        });
        let request = read(&body);
        let written: Value = serde_json::from_slice(&wire().encode(&request).unwrap().body).unwrap();
        assert_eq!(written, body);
    }
}

#[test]
fn the_order_of_a_schema_is_kept() {
    let body = br#"{"model":"m","messages":[{"role":"user","content":"hi"}],"tools":[{"type":"function","function":{"name":"f","parameters":{"type":"object","properties":{"z":{},"a":{}}}}}]}"#;
    let request = wire().decode_request(PATH, body).unwrap().request;
    assert_eq!(wire().encode(&request).unwrap().body.len(), body.len());
    let ToolSpec::Function { parameters, .. } = &request.tools[0] else { panic!("a function") };
    assert_eq!(parameters.as_str(), r#"{"type":"object","properties":{"z":{},"a":{}}}"#);
}

#[test]
fn the_form_of_the_answer_and_its_limits_are_read() {
    let read = |name: &str, value: Value| {
        let mut body = json!({ "model": "m", "messages": [{ "role": "user", "content": "hi" }] });
        body[name] = value;
        let request = read(&body);
        let written: Value = serde_json::from_slice(&wire().encode(&request).unwrap().body).unwrap();
        assert_eq!(written, body);
        request
    };
    assert_eq!(read("response_format", json!({ "type": "json_object" })).output, OutputFormat::Json);
    let schema =
        json!({ "type": "json_schema", "json_schema": { "name": "s", "schema": {}, "strict": true } });
    assert!(
        matches!(read("response_format", schema).output, OutputFormat::Schema(schema) if schema.name == "s")
    );
    let grammar = read("response_format", json!({ "type": "grammar", "grammar": "x" }));
    assert_eq!(grammar.output, OutputFormat::Text);
    assert_eq!(read("max_tokens", 7.into()).options.max_output_tokens, Some(7));
    assert_eq!(read("max_completion_tokens", 7.into()).options.max_output_tokens, Some(7));
    assert_eq!(read("stop", json!(["a", "b"])).options.stop_sequences, ["a", "b"]);
    assert_eq!(read("seed", 3.into()).options.extra["seed"], 3);
}

#[test]
fn streamed_and_whole_requests_are_distinguished() {
    let ask = |more: &str| {
        let body = format!(r#"{{"model":"m","messages":[{{"role":"user","content":"hi"}}]{more}}}"#);
        let asked = wire().decode_request("/chat/completions?api-version=1", body.as_bytes()).unwrap();
        (asked.request.delivery, asked.framing)
    };
    assert_eq!(ask(r#","stream":true"#), (Delivery::Stream, Framing::Events));
    assert_eq!(ask(""), (Delivery::Whole, Framing::Whole));
}

#[test]
fn a_deployment_in_the_path_is_the_model() {
    let asked = wire()
        .decode_request(
            "/openai/deployments/gpt/chat/completions",
            br#"{"messages":[{"role":"user","content":"hi"}]}"#,
        )
        .unwrap();
    assert_eq!(asked.request.model, "gpt");
    assert!(matches!(wire().decode_request("/v1/embeddings", b"{}"), Err(RequestError::Path { .. })));
}

#[test]
fn errors_name_their_place() {
    // command-line B16
    check_error("[]", "expected an object");
    check_error("{", "the request is not JSON");
    check_error("{}", "model: expected a text");
    check_error(r#"{"model":"m"}"#, "messages: expected a list");
    let with = |message: &str| format!(r#"{{"model":"m","messages":[{message}]}}"#);
    check_error(&with("7"), "messages[0]: expected an object");
    check_error(
        &with(r#"{"role":"bot"}"#),
        "messages[0].role: expected system, developer, user, assistant or tool",
    );
    check_error(
        &with(r#"{"role":"user","content":7}"#),
        "messages[0].content: expected a text or a list of parts",
    );
    check_error(
        &with(r#"{"role":"user","content":[{"type":"text"}]}"#),
        "messages[0].content[0].text: expected a text",
    );
    check_error(&with(r#"{"role":"tool","content":"x"}"#), "messages[0].tool_call_id: expected a text");
    check_error(
        &with(r#"{"role":"assistant","tool_calls":[{"id":"","function":{"name":"f"}}]}"#),
        "messages[0].tool_calls[0].id: a call id is empty",
    );
    check_error(r#"{"model":"m","messages":[],"temperature":"x"}"#, "temperature: expected a number");
}
