//! Decoding of clients' requests.

use serde_json::{Value, json};
use windlass_protocol::{
    Content, FileSource, OutputFormat, ParallelCalls, Part, Request, ResultStatus, Role, Strictness,
    ToolChoice, ToolSpec,
};
use windlass_wire::{Framing, RequestError, Server, Wire};
use windlass_wire_anthropic::{Anthropic, AnthropicOptions};

const PATH: &str = "/v1/messages";

fn wire() -> Anthropic {
    Anthropic::new(AnthropicOptions::as_given())
}

/// Checks that a decoded request is encoded unchanged.
#[track_caller]
fn check(body: &Value) -> Request {
    let request = wire().decode_request(PATH, body.to_string().as_bytes()).unwrap().request;
    let written: Value = serde_json::from_slice(&wire().encode(&request).unwrap().body).unwrap();
    assert_eq!(&written, body);
    request
}

#[track_caller]
fn check_messages(messages: &Value) -> Request {
    check(&json!({ "model": "m", "max_tokens": 9, "messages": messages }))
}

#[track_caller]
fn check_error(body: &str, words: &str) {
    let error = wire().decode_request(PATH, body.as_bytes()).unwrap_err();
    assert_eq!(error.to_string(), words);
}

#[test]
fn the_system_prompt_is_a_text_or_blocks_with_marks() {
    let user = json!([{ "role": "user", "content": [{ "type": "text", "text": "hi" }] }]);
    let request = check(&json!({ "model": "m", "max_tokens": 9, "system": "be brief", "messages": user }));
    assert_eq!(request.system.as_deref(), Some("be brief"));
    let blocks = json!([
        { "type": "text", "text": "be brief" },
        { "type": "text", "text": "be kind", "cache_control": { "type": "ephemeral", "ttl": "1h" } },
    ]);
    let request = check(&json!({ "model": "m", "max_tokens": 9, "system": blocks, "messages": user }));
    assert_eq!(
        (request.messages[0].role, request.messages[0].text()),
        (Role::System, "be briefbe kind".into())
    );
}

#[test]
fn blocks_of_every_kind_are_read_and_go_back() {
    let mark = json!({ "type": "ephemeral" });
    let request = check_messages(&json!([{ "role": "user", "content": [
        { "type": "text", "text": "see", "cache_control": mark },
        { "type": "image", "source": { "type": "base64", "media_type": "image/png", "data": "aGk=" } },
        { "type": "image", "source": { "type": "url", "url": "https://x/a" }, "cache_control": mark },
        { "type": "image", "source": { "type": "file", "file_id": "file_1" } },
        { "type": "document", "source": { "type": "base64", "media_type": "application/pdf", "data": "aGk=" } },
        {
            "type": "document", "source": { "type": "text", "media_type": "text/plain", "data": "größer" },
            "title": "t", "context": "c", "citations": { "enabled": true },
        },
        { "type": "document", "source": { "type": "url", "url": "https://x/a.pdf" } },
        { "type": "document", "source": { "type": "file", "file_id": "file_2" } },
        { "type": "search_result", "source": "s", "title": "t", "content": [] },
    ] }]));
    let parts = &request.messages[0].parts;
    assert!(matches!(&parts[3], Part::File(file) if file.source == FileSource::Id("file_1".into())));
    assert!(matches!(&parts[5], Part::File(file) if file.name.as_deref() == Some("t")));
    assert!(matches!(&parts[7], Part::File(file) if file.source == FileSource::Id("file_2".into())));
}

// P2
#[test]
fn calls_thoughts_and_results_keep_what_travels_with_them() {
    let request = check_messages(&json!([
        { "role": "user", "content": [{ "type": "text", "text": "go" }] },
        { "role": "assistant", "content": [
            { "type": "thinking", "thinking": "hm", "signature": "s" },
            { "type": "redacted_thinking", "data": "d" },
            { "type": "text", "text": "I look.", "citations": [{ "type": "char_location" }] },
            { "type": "server_tool_use", "id": "srv", "name": "web_search", "input": { "q": 1 } },
            { "type": "web_search_tool_result", "tool_use_id": "srv", "content": [] },
            { "type": "tool_use", "id": "a", "name": "f", "input": { "x": 1 } },
            { "type": "tool_use", "id": "b", "name": "f", "input": {}, "caller": { "type": "code", "tool_id": "c" } },
        ] },
        { "role": "user", "content": [
            { "type": "tool_result", "tool_use_id": "a", "is_error": true, "content": "it failed" },
            { "type": "tool_result", "tool_use_id": "b", "cache_control": { "type": "ephemeral" }, "content": [
                { "type": "text", "text": "1" },
                { "type": "image", "source": { "type": "base64", "media_type": "image/png", "data": "aGk=" } },
            ] },
            { "type": "text", "text": "go on" },
        ] },
    ]));
    let roles: Vec<Role> = request.messages.iter().map(|message| message.role).collect();
    assert_eq!(roles, [Role::User, Role::Assistant, Role::Tool, Role::User]);
    let Part::Result(failed) = &request.messages[2].parts[0] else { panic!("a result") };
    assert_eq!((failed.status, &failed.content[0]), (ResultStatus::Error, &Content::text("it failed")));
    let Part::Result(shown) = &request.messages[2].parts[1] else { panic!("a result") };
    assert_eq!(shown.images().count(), 1);
}

#[test]
fn a_status_prefix_in_the_text_is_parsed() {
    let request = check_messages(&json!([
        { "role": "user", "content": [{ "type": "text", "text": "go" }] },
        { "role": "assistant", "content": [{ "type": "tool_use", "id": "a", "name": "f", "input": {} }] },
        { "role": "user", "content": [
            { "type": "tool_result", "tool_use_id": "a", "is_error": true, "content": "[denied] not here" },
        ] },
    ]));
    let Part::Result(denied) = &request.messages[2].parts[0] else { panic!("a result") };
    assert_eq!((denied.status, &denied.content[0]), (ResultStatus::Denied, &Content::text("not here")));
}

#[test]
fn the_text_of_arguments_is_kept() {
    let body = br#"{"model":"m","max_tokens":9,"messages":[{"role":"user","content":"hi"},{"role":"assistant","content":[{"type":"tool_use","id":"a","name":"f","input":{"z": 1, "a": 12345678901234567890123}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"a","content":"x"}]}]}"#;
    let request = wire().decode_request(PATH, body).unwrap().request;
    let call = request.messages[1].calls().next().unwrap();
    assert_eq!(call.arguments().unwrap().as_str(), r#"{"z": 1, "a": 12345678901234567890123}"#);
}

#[test]
fn tools_and_tool_choices_are_decoded() {
    let user = json!([{ "role": "user", "content": [{ "type": "text", "text": "hi" }] }]);
    let tools = json!([
        {
            "name": "f", "description": "Does it.", "strict": true, "input_schema": { "type": "object" },
            "cache_control": { "type": "ephemeral" }, "defer_loading": true,
        },
        { "type": "web_search_20250305", "name": "web_search", "max_uses": 2 },
    ]);
    let choice = json!({ "type": "tool", "name": "web_search", "disable_parallel_tool_use": true });
    let request = check(
        &json!({ "model": "m", "max_tokens": 9, "tools": tools, "tool_choice": choice, "messages": user }),
    );
    assert!(matches!(&request.tools[0], ToolSpec::Function { strict: Strictness::On, .. }));
    assert_eq!(request.options.hosted_tools.len(), 1);
    assert!(matches!(&request.options.tool_choice, ToolChoice::Named(name) if name.as_str() == "web_search"));
    assert_eq!(request.options.parallel_calls, ParallelCalls::Forbid);
}

#[test]
fn the_form_of_the_answer_is_read_in_both_its_fields() {
    let with = |name: &str, value: Value| {
        let user = json!([{ "role": "user", "content": [{ "type": "text", "text": "hi" }] }]);
        let mut body = json!({ "model": "m", "max_tokens": 9, "messages": user });
        body[name] = value;
        check(&body)
    };
    let format = json!({ "type": "json_schema", "schema": { "type": "object" } });
    let both = with("output_config", json!({ "effort": "low", "format": format }));
    assert!(matches!(both.output, OutputFormat::Schema(_)));
    assert!(matches!(with("output_format", format).output, OutputFormat::Schema(_)));
    assert_eq!(with("output_config", json!({ "effort": "low" })).output, OutputFormat::Text);
    assert_eq!(with("stop_sequences", json!(["x"])).options.stop_sequences, ["x"]);
    assert_eq!(with("thinking", json!({ "type": "adaptive" })).options.extra["thinking"]["type"], "adaptive");
}

#[test]
fn a_system_message_inside_the_conversation_is_read_and_goes_back() {
    let text = |text: &str| json!([{ "type": "text", "text": text }]);
    let messages =
        json!([{ "role": "user", "content": text("hi") }, { "role": "system", "content": text("Be kind.") }]);
    let request = check(&json!({ "model": "claude-opus-4-8", "max_tokens": 9, "messages": messages }));
    assert_eq!(request.messages[1].role, Role::System);
}

#[test]
fn errors_name_their_place() {
    // command-line B16
    check_error("[]", "expected an object");
    check_error(r#"{"model":"m"}"#, "messages: expected a list");
    check_error(r#"{"model":"m","messages":[]}"#, "max_tokens: expected a whole number");
    let with = |message: &str| format!(r#"{{"model":"m","max_tokens":9,"messages":[{message}]}}"#);
    check_error(
        &with(r#"{"role":"tool","content":"x"}"#),
        "messages[0].role: expected user, assistant or system",
    );
    check_error(
        &with(r#"{"role":"user","content":7}"#),
        "messages[0].content: expected a text or a list of blocks",
    );
    check_error(
        &with(r#"{"role":"user","content":[{"type":"image"}]}"#),
        "messages[0].content[0].source: expected an object",
    );
    check_error(
        &with(r#"{"role":"assistant","content":[{"type":"tool_use","id":"a","name":"f","input":[]}]}"#),
        "messages[0].content[0].input: the arguments are an array, expected an object",
    );
    assert!(matches!(
        wire().decode_request("/v1/messages/count_tokens", b"{}"),
        Err(RequestError::Path { .. })
    ));
}

#[test]
fn streamed_and_whole_requests_are_distinguished() {
    let ask = |more: &str| {
        let body =
            format!(r#"{{"model":"m","max_tokens":9,"messages":[{{"role":"user","content":"hi"}}]{more}}}"#);
        wire().decode_request("/v1/messages?beta=true", body.as_bytes()).unwrap().framing
    };
    assert_eq!((ask(r#","stream":true"#), ask("")), (Framing::Events, Framing::Whole));
}

#[test]
fn eager_arguments_are_read_and_go_back() {
    let tool = |eager: bool| {
        let tool =
            json!({"name": "look", "input_schema": {"type": "object"}, "eager_input_streaming": eager});
        let messages = json!([{"role": "user", "content": [{"type": "text", "text": "hi"}]}]);
        check(&json!({"model": "m", "max_tokens": 5, "tools": [tool], "messages": messages}))
    };
    let is_eager = |request: &Request| request.tools[0] == request.tools[0].clone().with_eager_arguments();
    assert!(is_eager(&tool(true)));
    assert!(!is_eager(&tool(false)));
}

#[test]
fn a_compaction_is_refused_for_another_format_and_kept_within_this_one() {
    let block = serde_json::json!({"type": "compaction", "content": "The user is Ann."});
    let body = serde_json::json!({"model": "m", "max_tokens": 9, "messages": [
        {"role": "assistant", "content": [block]}, {"role": "user", "content": "Who am I?"}]});
    let format = Anthropic::default();
    let asked = format.decode_request("/v1/messages", body.to_string().as_bytes()).unwrap();
    let refusal = format.refuse_elsewhere(&asked.request).unwrap();
    assert_eq!(refusal.parameter.as_deref(), Some("messages"));
    let sent = format.encode(&asked.request).unwrap();
    assert!(String::from_utf8_lossy(&sent.body).contains("The user is Ann."));
}
