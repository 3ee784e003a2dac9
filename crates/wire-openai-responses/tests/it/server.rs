//! The provider's side: decoding of requests and encoding of answers.

use serde_json::{Value, json};
use windlass_protocol::{
    Content, Delivery, Grammar, ImageSource, Message, Opaque, OutputFormat, ParallelCalls, Part, Payload,
    Request, ResultStatus, Role, StopReason, Strictness, ToolChoice, ToolSpec, Unknown,
};
use windlass_stream::{CallChunk, CallKey, Chunk, StreamError, StreamErrorKind, WholeCall};
use windlass_wire::{
    DecodedRequest, Framing, ProviderError, ProviderErrorKind, RequestError, ResponseHead, Server, Wire,
};
use windlass_wire_openai_responses::{OpenAiResponses, OpenAiResponsesOptions};

fn read(body: &Value) -> Request {
    OpenAiResponses::default().decode_request("/responses", body.to_string().as_bytes()).unwrap().request
}

/// Returns the decoded request. Checks that it is encoded unchanged.
#[track_caller]
fn check_same(body: &Value) -> Request {
    let request = read(body);
    let http = OpenAiResponses::new(OpenAiResponsesOptions::as_given()).encode(&request).unwrap();
    assert_eq!(serde_json::from_slice::<Value>(&http.body).unwrap(), *body);
    request
}

#[track_caller]
fn check_error(body: &str, words: &str) {
    let error = OpenAiResponses::default().decode_request("/responses", body.as_bytes()).unwrap_err();
    assert!(error.to_string().contains(words), "{error}");
}

fn ask(more: &Value) -> Value {
    let mut body = json!({ "model": "m", "input": [{ "role": "user", "content": "hi" }] });
    body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    body
}

#[test]
fn parameters_are_read_and_the_rest_is_kept() {
    let request = check_same(&ask(&json!({
        "instructions": "Be kind.", "max_output_tokens": 64, "temperature": 0.5, "stream": true,
        "parallel_tool_calls": false, "tool_choice": "required", "previous_response_id": "resp_1",
        "background": true, "store": true, "include": ["reasoning.encrypted_content"],
        "reasoning": { "effort": "low" }, "text": { "format": { "type": "json_object" }, "verbosity": "low" },
        "tools": [{ "type": "function", "name": "read", "description": "Reads.", "strict": true,
            "parameters": { "type": "object" }, "defer_loading": true }],
    })));
    assert_eq!(request.system.as_deref(), Some("Be kind."));
    assert_eq!((request.options.max_output_tokens, request.options.temperature), (Some(64), Some(0.5)));
    assert_eq!((request.delivery, request.options.parallel_calls), (Delivery::Stream, ParallelCalls::Forbid));
    assert_eq!((&request.options.tool_choice, &request.output), (&ToolChoice::Required, &OutputFormat::Json));
    assert!(matches!(&request.tools[0], ToolSpec::Function { strict: Strictness::On, .. }));
    let kept: Vec<&str> = request.options.extra.keys().map(String::as_str).collect();
    assert_eq!(kept, ["background", "include", "previous_response_id", "reasoning", "store", "text"]);
}

#[test]
fn a_schema_keeps_the_order_of_its_keys() {
    let body =
        r#"{"model":"m","input":"hi","tools":[{"type":"function","name":"f","parameters":{"z":1,"a":2}}]}"#;
    let request = OpenAiResponses::default().decode_request("/responses", body.as_bytes()).unwrap().request;
    let ToolSpec::Function { parameters, .. } = &request.tools[0] else { unreachable!() };
    assert_eq!(parameters.as_str(), r#"{"z":1,"a":2}"#);
}

#[test]
fn tools_of_every_form_are_read() {
    let request = check_same(&ask(&json!({ "tools": [
        { "type": "custom", "name": "patch", "description": "Edits.",
            "format": { "type": "grammar", "syntax": "lark", "definition": "start: X" } },
        { "type": "custom", "name": "find", "description": "Finds.",
            "format": { "type": "grammar", "syntax": "regex", "definition": "[a-z]+" } },
        { "type": "custom", "name": "say" },
        { "type": "local_shell" },
        { "type": "mcp", "server_label": "s", "server_url": "https://example.com" },
    ] })));
    let grammar = |tool: &ToolSpec| match tool {
        ToolSpec::Freeform { grammar, .. } => grammar.clone(),
        _ => unreachable!(),
    };
    assert_eq!(grammar(&request.tools[0]), Some(Grammar::Lark("start: X".into())));
    assert_eq!(grammar(&request.tools[1]), Some(Grammar::Regex("[a-z]+".into())));
    assert_eq!(grammar(&request.tools[2]), None);
    assert_eq!(request.options.hosted_tools.len(), 2);
}

#[test]
fn choices_of_every_form_are_read() {
    let tools = json!([{ "type": "function", "name": "read", "parameters": {} }, { "type": "web_search" }]);
    let choice = |choice: Value| {
        let body = ask(&json!({ "tools": tools, "tool_choice": choice }));
        check_same(&body).options.tool_choice
    };
    let name = |choice: ToolChoice| match choice {
        ToolChoice::Named(name) => name.as_str().to_owned(),
        _ => unreachable!(),
    };
    assert_eq!(choice(json!("none")), ToolChoice::None);
    assert_eq!(name(choice(json!({ "type": "function", "name": "read" }))), "read");
    assert_eq!(name(choice(json!({ "type": "web_search" }))), "web_search");
    let allowed = json!({ "type": "allowed_tools", "mode": "required", "tools": [{ "type": "function", "name": "read" }] });
    assert_eq!(choice(allowed), ToolChoice::Required);
    assert_eq!(choice(json!({ "type": "mcp", "server_label": "s", "name": "t" })), ToolChoice::Required);
}

#[test]
fn user_messages_contain_text_images_and_documents() {
    let request = check_same(&json!({ "model": "m", "input": [
        { "role": "system", "content": "Be kind." },
        { "role": "developer", "content": "Be brief." },
        { "role": "user", "content": [
            { "type": "input_text", "text": "see" },
            { "type": "input_image", "image_url": "data:image/png;base64,aGk=", "detail": "high" },
            { "type": "input_image", "image_url": "https://example.com/a.png", "detail": "auto" },
            { "type": "input_image", "file_id": "file-1", "detail": "auto" },
            { "type": "input_file", "filename": "a.pdf", "file_data": "data:application/pdf;base64,aGk=" },
            { "type": "input_file", "file_url": "https://example.com/a.pdf" },
            { "type": "input_file", "file_id": "file-2" },
            { "type": "input_audio", "input_audio": { "data": "aGk=", "format": "wav" } },
        ] },
    ] }));
    let roles: Vec<Role> = request.messages.iter().map(|message| message.role).collect();
    assert_eq!(roles, [Role::System, Role::System, Role::User]);
    let kinds = request.messages[2].parts.iter().map(|part| match part {
        Part::Text(_) => "text",
        Part::Image(image) if matches!(image.source, ImageSource::Url(_)) => "image at an address",
        Part::Image(_) => "image",
        Part::File(_) => "file",
        _ => "unknown",
    });
    let expected = ["text", "image", "image at an address", "file", "file", "file", "file", "unknown"];
    assert_eq!(kinds.collect::<Vec<_>>(), expected);
}

// P2, P3
#[test]
fn items_of_every_kind_round_trip() {
    let input = json!([
        { "role": "user", "content": "go" },
        { "type": "reasoning", "id": "rs_1", "summary": [{ "type": "summary_text", "text": "hm" }],
            "encrypted_content": "x" },
        { "type": "message", "id": "msg_1", "role": "assistant", "status": "completed", "phase": "commentary",
            "content": [
                { "type": "output_text", "text": "a", "annotations": [{ "type": "url_citation", "url": "u" }] },
                { "type": "output_text", "text": "b", "annotations": [] },
            ] },
        { "type": "web_search_call", "id": "ws_1", "status": "completed" },
        { "type": "function_call", "id": "fc_1", "call_id": "c1", "name": "read", "arguments": "{\"a\": 1}",
            "status": "completed" },
        { "type": "custom_tool_call", "id": "ctc_1", "call_id": "c2", "name": "patch", "input": "do" },
        { "type": "local_shell_call", "id": "lsh_1", "call_id": "c3", "status": "completed",
            "action": { "type": "exec", "command": ["ls"], "env": {} } },
        { "type": "function_call", "call_id": "c4", "name": "odd", "arguments": "{\"a\": " },
        { "type": "function_call_output", "call_id": "c1", "output": "[denied] not there" },
        { "type": "custom_tool_call_output", "call_id": "c2", "output": [
            { "type": "input_text", "text": "see" },
            { "type": "input_image", "image_url": "data:image/png;base64,aGk=", "detail": "auto" },
        ] },
        { "type": "local_shell_call_output", "call_id": "c3", "output": "files" },
        { "type": "function_call_output", "call_id": "c4", "output": "no JSON" },
        { "type": "computer_call", "id": "cc_1", "call_id": "c5", "action": {} },
        { "type": "computer_call_output", "call_id": "c5", "output": {} },
        { "type": "tool_search_call", "id": "ts_1", "call_id": "c6" },
        { "type": "tool_search_output", "call_id": "c6", "tools": [] },
        { "role": "assistant", "content": [{ "type": "refusal", "refusal": "No." }] },
        { "role": "user", "content": "and?" },
    ]);
    let request = check_same(&json!({ "model": "m", "input": input }));
    let calls: Vec<&Payload> =
        request.messages.iter().flat_map(Message::calls).map(|call| &call.payload).collect();
    assert!(matches!(
        calls.as_slice(),
        [Payload::Function { .. }, Payload::Custom { .. }, Payload::LocalShell { .. }]
    ));
    let results: Vec<_> = request
        .messages
        .iter()
        .flat_map(|message| &message.parts)
        .filter_map(|part| match part {
            Part::Result(result) => Some(result),
            _ => None,
        })
        .collect();
    assert_eq!(
        (results[0].status, &results[0].content[0]),
        (ResultStatus::Denied, &Content::text("not there"))
    );
    assert_eq!(results[1].images().count(), 1);
    assert_eq!(OpenAiResponses::default().check(&request), []);
}

// A result can answer a call that is only stored at the server.
#[test]
fn results_alone_follow_a_response_that_is_kept() {
    let input = json!([{ "type": "function_call_output", "call_id": "c1", "output": "x" }]);
    check_same(&json!({ "model": "m", "previous_response_id": "resp_1", "input": input }));
    let request = read(&json!({ "model": "m", "input": input }));
    assert_eq!(OpenAiResponses::default().check(&request).len(), 1);
}

#[test]
fn errors_name_the_place() {
    check_error("{", "not JSON");
    check_error("[]", "an object");
    check_error(r#"{"input":"hi"}"#, "model");
    check_error(r#"{"model":"m","input":7}"#, "input");
    check_error(r#"{"model":"m","input":[{"role":"king","content":"x"}]}"#, "input[0].role");
    check_error(
        r#"{"model":"m","input":[{"role":"user","content":[{"type":"input_text"}]}]}"#,
        "input[0].content[0].text",
    );
    check_error(
        r#"{"model":"m","input":[{"type":"function_call","call_id":"","name":"f"}]}"#,
        "input[0].call_id",
    );
    check_error(r#"{"model":"m","tools":[{"type":"function"}]}"#, "tools[0].name");
    check_error(r#"{"model":"m","tool_choice":"maybe"}"#, "tool_choice");
    // command-line B16: an error about the whole body concerns no field, so its message does not begin with the path
    // of a field.
    let error = OpenAiResponses::default().decode_request("/responses", b"[]").unwrap_err();
    assert_eq!(error.to_string(), "expected an object");
    let error = OpenAiResponses::default().decode_request("/v1/models", b"{}").unwrap_err();
    assert!(matches!(error, RequestError::Path { .. }));
}

fn write(framing: Framing, chunks: &[Chunk]) -> String {
    let asked = DecodedRequest::new(read(&ask(&json!({ "instructions": "Be kind." }))), framing);
    let mut encoder = OpenAiResponses::default().encoder(&asked, ResponseHead::new("1", "m", 7));
    let mut bytes = Vec::new();
    for chunk in chunks {
        encoder.push(chunk, &mut bytes).unwrap();
    }
    encoder.finish(&mut bytes).unwrap();
    String::from_utf8(bytes).unwrap()
}

fn finish(reason: StopReason, raw: &str) -> Chunk {
    Chunk::Finish { reason, raw: raw.to_owned() }
}

#[track_caller]
fn check_events(chunks: &[Chunk], expected: &[&str]) {
    let stream = write(Framing::Events, chunks);
    let names = stream.lines().filter_map(|line| line.strip_prefix("event: response."));
    assert_eq!(names.collect::<Vec<_>>(), expected, "{stream}");
    let numbers =
        stream.lines().filter_map(|line| serde_json::from_str::<Value>(line.strip_prefix("data: ")?).ok());
    for (position, event) in numbers.enumerate() {
        assert_eq!(event["sequence_number"], position);
    }
}

#[test]
fn events_are_emitted_in_the_order_of_the_api() {
    check_events(
        &[Chunk::reasoning("hm"), Chunk::text("hi"), finish(StopReason::End, "stop")],
        &[
            "created",
            "in_progress",
            "output_item.added",
            "reasoning_summary_part.added",
            "reasoning_summary_text.delta",
            "reasoning_summary_text.done",
            "reasoning_summary_part.done",
            "output_item.done",
            "output_item.added",
            "content_part.added",
            "output_text.delta",
            "output_text.done",
            "content_part.done",
            "output_item.done",
            "completed",
        ],
    );
    let custom = WholeCall::Payload(Payload::Custom { input: "do".into() });
    check_events(
        &[
            Chunk::Call(CallChunk::Start {
                key: CallKey(1),
                id: Some("a".into()),
                name: "f".into(),
                opaque: None,
            }),
            Chunk::Call(CallChunk::End { key: CallKey(1), arguments: None }),
            Chunk::Call(CallChunk::Whole {
                id: Some("b".into()),
                name: "p".into(),
                body: custom,
                opaque: None,
            }),
            finish(StopReason::Calls, "tool_use"),
        ],
        &[
            "created",
            "in_progress",
            "output_item.added",
            "function_call_arguments.delta",
            "function_call_arguments.done",
            "output_item.done",
            "output_item.added",
            "custom_tool_call_input.delta",
            "custom_tool_call_input.done",
            "output_item.done",
            "completed",
        ],
    );
}

#[track_caller]
fn check_status(reason: StopReason, raw: &str, status: &str, incomplete: &Value) {
    let body: Value =
        serde_json::from_str(&write(Framing::Whole, &[Chunk::text("hi"), finish(reason, raw)])).unwrap();
    assert_eq!((&body["status"], &body["incomplete_details"]["reason"]), (&status.into(), incomplete));
    assert_eq!(
        (&body["id"], &body["created_at"], &body["instructions"]),
        (&"resp_1".into(), &7.into(), &"Be kind.".into())
    );
}

#[test]
fn reasons_of_every_provider_are_statuses() {
    check_status(StopReason::End, "end_turn", "completed", &Value::Null);
    check_status(StopReason::Calls, "tool_calls", "completed", &Value::Null);
    check_status(StopReason::Pause, "pause_turn", "completed", &Value::Null);
    check_status(StopReason::Length, "MAX_TOKENS", "incomplete", &"max_output_tokens".into());
    check_status(StopReason::ContentFilter, "SAFETY", "incomplete", &"content_filter".into());
    check_status(StopReason::Refusal, "refusal", "incomplete", &"content_filter".into());
    check_status(StopReason::Error, "error", "failed", &Value::Null);
}

// S10, S12
#[test]
fn a_failed_response_is_reported() {
    let error = StreamError::new(StreamErrorKind::Overloaded, Some("overloaded_error".into()), "busy");
    let stream = write(Framing::Events, &[Chunk::text("hi"), Chunk::Error { error }]);
    assert!(stream.contains(r#""code":"overloaded_error","message":"busy""#), "{stream}");
    assert!(!stream.contains("response.completed"), "{stream}");
    let start = CallChunk::Start { key: CallKey(1), id: Some("a".into()), name: "f".into(), opaque: None };
    let cut = [Chunk::Call(start), finish(StopReason::Length, "length")];
    let body: Value = serde_json::from_str(&write(Framing::Whole, &cut)).unwrap();
    assert_eq!((&body["status"], &body["output"][0]["status"]), (&"incomplete".into(), &"incomplete".into()));
    let partial =
        CallChunk::Partial { index: None, position: 0, id: None, name: None, arguments: None, opaque: None };
    let asked = DecodedRequest::new(read(&ask(&json!({}))), Framing::Events);
    let mut encoder = OpenAiResponses::default().encoder(&asked, ResponseHead::new("1", "m", 7));
    assert!(encoder.push(&Chunk::Call(partial), &mut Vec::new()).is_err());
}

#[test]
fn a_refusal_of_the_chat_format_is_a_refusal() {
    let refusal = Chunk::Unknown(Unknown::new("openai-chat", json!({ "refusal": "I cannot." })));
    let stream = write(Framing::Events, &[refusal.clone(), finish(StopReason::Refusal, "stop")]);
    assert!(stream.contains("event: response.refusal.done"), "{stream}");
    let body: Value =
        serde_json::from_str(&write(Framing::Whole, &[refusal, finish(StopReason::Refusal, "stop")]))
            .unwrap();
    assert_eq!(body["status"], "completed");
    assert_eq!(body["output"][0]["content"], json!([{ "type": "refusal", "refusal": "I cannot." }]));
}

#[test]
fn a_source_of_the_chat_format_is_an_annotation() {
    let nested =
        json!({ "type": "url_citation", "url_citation": { "url": "https://a.example", "title": "A" } });
    let chunks = [Chunk::text("hi"), Chunk::Grounding { value: nested }, finish(StopReason::End, "stop")];
    let body: Value = serde_json::from_str(&write(Framing::Whole, &chunks)).unwrap();
    let flat = json!([{ "type": "url_citation", "url": "https://a.example", "title": "A" }]);
    assert_eq!(body["output"][0]["content"][0]["annotations"], flat);
}

#[test]
fn encoded_errors_decode_to_the_same_kind() {
    for kind in [
        ProviderErrorKind::Authentication,
        ProviderErrorKind::NotFound,
        ProviderErrorKind::Request,
        ProviderErrorKind::ContextLength,
        ProviderErrorKind::RateLimit,
        ProviderErrorKind::Quota,
        ProviderErrorKind::Server,
    ] {
        let error = ProviderError::new(kind, None, "no").with_parameter(Some("input".into()));
        let (status, body) = OpenAiResponses::default().encode_error(&error);
        let met = OpenAiResponses::default().decode_error(status, &body);
        assert_eq!((met.kind, met.message.as_str(), met.parameter.as_deref()), (kind, "no", Some("input")));
    }
}

// P4: the parts of a summary are separated by the line breaks between them when they are read.
#[test]
fn line_breaks_between_thoughts_are_parts_of_a_summary() {
    let summary = |texts: &[&str]| {
        let mut chunks: Vec<Chunk> = texts.iter().copied().map(Chunk::reasoning).collect();
        chunks.push(finish(StopReason::End, "stop"));
        let body: Value = serde_json::from_str(&write(Framing::Whole, &chunks)).unwrap();
        let parts = body["output"][0]["summary"].as_array().unwrap().clone();
        parts.iter().map(|part| part["text"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(summary(&["a", "\n\n", "b", " c"]), ["a", "b c"]);
    assert_eq!(summary(&["a", "\n\n"]), ["a\n\n"]);
    assert_eq!(summary(&["\n\n", "a"]), ["\n\na"]);
    assert_eq!(summary(&["a", "\n\n", "\n\n", "b"]), ["a\n\n", "b"]);
}

// P2: the API binds an encrypted value to the id of its item, which is sent only after the text was streamed.
#[test]
fn encrypted_content_is_restored_with_its_item_id() {
    let own = json!({ "type": "reasoning", "id": "rs_own", "summary": [{ "type": "summary_text", "text": "hm" }],
        "encrypted_content": "x:y" });
    let opaque = Some(Opaque::new("openai-responses", json!({ "output_item": own })));
    let stream =
        write(Framing::Events, &[Chunk::reasoning("hm"), Chunk::ReasoningEnd { opaque: opaque.clone() }]);
    let events =
        stream.lines().filter_map(|line| serde_json::from_str::<Value>(line.strip_prefix("data: ")?).ok());
    let items: Vec<Value> = events.map(|event| event["item"].clone()).filter(Value::is_object).collect();
    assert_eq!((items.len(), &items[0]["id"]), (2, &items[1]["id"]));
    assert_ne!(items[1]["id"], "rs_own");
    let back = |item: &Value| check_back(item)["output_item"].clone();
    assert_eq!(back(&items[1]), own);
    // In one body the item has its own id from the beginning.
    let body: Value =
        serde_json::from_str(&write(Framing::Whole, &[Chunk::ReasoningEnd { opaque }])).unwrap();
    assert_eq!(body["output"][0], own);
    // A value that only resembles it is not changed.
    for cipher in ["windlass:99:a", "windlass:x:a", "windlass:"] {
        let item = json!({ "type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": cipher });
        assert_eq!(back(&item), item);
    }
}

/// The thoughts that a client sends back, as the server reads them.
fn check_back(item: &Value) -> Value {
    let request = read(&json!({ "model": "m", "input": [item] }));
    match &request.messages[0].parts[0] {
        Part::Reasoning(thoughts) => thoughts.opaque.as_ref().unwrap().value.clone(),
        _ => Value::Null,
    }
}
