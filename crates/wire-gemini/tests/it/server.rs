//! The provider's side: decoding of requests and encoding of answers.

use serde_json::{Value, json};
use windlass_protocol::{
    Arguments, Content, Delivery, Image, Message, Opaque, OutputFormat, Part, Payload, Request, ResultStatus,
    Role, StopReason, ToolCall, ToolChoice, ToolResult, ToolSpec, Unknown,
};
use windlass_stream::{CallChunk, CallKey, Chunk, StreamError, StreamErrorKind, WholeCall};
use windlass_wire::{
    DecodedRequest, Framing, ProviderError, ProviderErrorKind, RequestError, ResponseHead, Server, Wire,
};
use windlass_wire_gemini::{Gemini, GeminiOptions};

const PATH: &str = "/models/gemini-3-pro:generateContent";

fn read(body: &Value) -> Request {
    Gemini::default().decode_request(PATH, body.to_string().as_bytes()).unwrap().request
}

/// Returns the decoded request. Checks that it is encoded unchanged.
#[track_caller]
fn check_same(body: &Value) -> Request {
    let request = read(body);
    let http = Gemini::new(GeminiOptions::as_given()).encode(&request).unwrap();
    assert_eq!(serde_json::from_slice::<Value>(&http.body).unwrap(), *body);
    assert_eq!(http.path, PATH);
    request
}

#[track_caller]
fn check_error(body: &str, words: &str) {
    let error = Gemini::default().decode_request(PATH, body.as_bytes()).unwrap_err();
    assert!(error.to_string().contains(words), "{error}");
}

// command-line B16: an error about the whole body concerns no field, so its message does not begin with the path of a
// field.
#[test]
fn a_non_object_body_is_an_error_without_a_place() {
    let error = Gemini::default().decode_request(PATH, b"[]").unwrap_err();
    assert_eq!(error.to_string(), "expected an object");
}

fn ask(more: &Value) -> Value {
    let mut body = json!({ "contents": [{ "role": "user", "parts": [{ "text": "hi" }] }] });
    body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    body
}

#[track_caller]
fn check_path(path: &str, model: &str, framing: Framing) {
    let asked = Gemini::default().decode_request(path, ask(&json!({})).to_string().as_bytes()).unwrap();
    assert_eq!((asked.request.model.as_str(), asked.framing), (model, framing));
    assert_eq!(asked.request.delivery == Delivery::Whole, framing == Framing::Whole);
}

#[test]
fn the_path_determines_model_and_framing() {
    check_path("/models/gemini-3-pro:generateContent", "gemini-3-pro", Framing::Whole);
    check_path("/models/gemini-3-pro:streamGenerateContent?alt=sse", "gemini-3-pro", Framing::Events);
    check_path("/v1beta/models/gemini-3-pro:streamGenerateContent?key=x", "gemini-3-pro", Framing::Array);
    let vertex = "projects/p/locations/l/publishers/google/models/m";
    check_path(&format!("/v1/{vertex}:generateContent"), vertex, Framing::Whole);
    for path in ["/models", "/models/m:countTokens", "/models/:generateContent"] {
        let error = Gemini::default().decode_request(path, b"{}").unwrap_err();
        assert!(matches!(error, RequestError::Path { .. }), "{path}");
    }
}

#[test]
fn parameters_are_read_and_the_rest_is_kept() {
    let request = check_same(&ask(&json!({
        "systemInstruction": { "parts": [{ "text": "Be kind." }] },
        "generationConfig": { "temperature": 0.5, "maxOutputTokens": 9, "stopSequences": ["END"],
            "thinkingConfig": { "thinkingBudget": 0 }, "responseMimeType": "application/json",
            "responseJsonSchema": { "type": "object" } },
        "safetySettings": [], "cachedContent": "cachedContents/1",
    })));
    assert_eq!(request.system.as_deref(), Some("Be kind."));
    assert_eq!((request.options.temperature, request.options.max_output_tokens), (Some(0.5), Some(9)));
    assert_eq!(request.options.stop_sequences, ["END"]);
    assert!(
        matches!(&request.output, OutputFormat::Schema(schema) if schema.schema.as_str() == r#"{"type":"object"}"#)
    );
    let kept: Vec<&str> = request.options.extra.keys().map(String::as_str).collect();
    assert_eq!(kept, ["cachedContent", "generationConfig", "safetySettings"]);
}

// The official clients write some names in camel case and some in snake case.
#[test]
fn names_are_taken_in_both_spellings() {
    let snake = json!({
        "contents": [
            { "role": "user", "parts": [{ "inline_data": { "mime_type": "image/png", "data": "aGk=" } }] },
            { "role": "model", "parts": [{ "function_call": { "name": "f", "args": { "my_key": 1 } },
                "thought_signature": "s" }] },
            { "role": "user", "parts": [{ "function_response": { "name": "f", "response": { "my_key": 1 } } }] },
        ],
        "system_instruction": { "parts": [{ "text": "Be kind." }] },
        "generation_config": { "max_output_tokens": 9, "top_p": 0.5 },
        "tool_config": { "function_calling_config": { "mode": "ANY", "allowed_function_names": ["f"] } },
        "tools": [{ "function_declarations": [{ "name": "f", "description": "d",
            "parameters_json_schema": { "type": "object", "properties": { "my_key": {} } } }] }],
    });
    let http = Gemini::new(GeminiOptions::as_given()).encode(&read(&snake)).unwrap();
    let expected = json!({
        "contents": [
            { "role": "user", "parts": [{ "inlineData": { "mimeType": "image/png", "data": "aGk=" } }] },
            { "role": "model", "parts": [{ "functionCall": { "name": "f", "args": { "my_key": 1 } },
                "thoughtSignature": "s" }] },
            { "role": "user", "parts": [{ "functionResponse": { "name": "f", "response": { "my_key": 1 } } }] },
        ],
        "systemInstruction": { "parts": [{ "text": "Be kind." }] },
        "generationConfig": { "maxOutputTokens": 9, "topP": 0.5 },
        "toolConfig": { "functionCallingConfig": { "mode": "ANY", "allowedFunctionNames": ["f"] } },
        "tools": [{ "functionDeclarations": [{ "name": "f", "description": "d",
            "parametersJsonSchema": { "type": "object", "properties": { "my_key": {} } } }] }],
    });
    assert_eq!(serde_json::from_slice::<Value>(&http.body).unwrap(), expected);
}

#[track_caller]
fn check_schema(own: &str, expected: &str) {
    let body = format!(
        r#"{{"contents":[],"tools":[{{"functionDeclarations":[{{"name":"f","parameters":{own}}}]}}]}}"#
    );
    let request = Gemini::default().decode_request(PATH, body.as_bytes()).unwrap().request;
    let ToolSpec::Function { parameters, .. } = &request.tools[0] else { unreachable!() };
    assert_eq!(parameters.as_str(), expected);
    let http = Gemini::default().encode(&request).unwrap();
    let sent: Value = serde_json::from_slice(&http.body).unwrap();
    let wanted: Value = serde_json::from_str(own).unwrap();
    assert_eq!(sent["tools"][0]["functionDeclarations"][0]["parameters"], wanted);
}

#[test]
fn schemas_of_the_apis_own_dialect_are_json_schema_and_go_back_as_they_came() {
    check_schema(
        r#"{"type":"OBJECT","properties":{"z":{"type":"STRING","nullable":true},"a":{"type":"ARRAY","items":{"type":"INTEGER"},"minItems":"1"}},"propertyOrdering":["z","a"]}"#,
        r#"{"type":"object","properties":{"z":{"type":["string","null"]},"a":{"type":"array","items":{"type":"integer"},"minItems":1}}}"#,
    );
    check_schema(
        r#"{"type":6,"properties":{"type":{"type":1}}}"#,
        r#"{"type":"object","properties":{"type":{"type":"string"}}}"#,
    );
    check_schema(
        r#"{"type":"object","properties":{"a":{"anyOf":[{"type":"NUMBER"},{"type":"BOOLEAN"}]}}}"#,
        r#"{"type":"object","properties":{"a":{"anyOf":[{"type":"number"},{"type":"boolean"}]}}}"#,
    );
}

#[test]
fn tools_and_choices_of_every_form_are_read() {
    let tools = json!([
        { "functionDeclarations": [{ "name": "f", "parametersJsonSchema": { "type": "object" },
            "behavior": "NON_BLOCKING" }] },
        { "googleSearch": {} },
        { "codeExecution": {} },
    ]);
    let choice = |config: Value| {
        let request = check_same(&ask(&json!({ "tools": tools, "toolConfig": config })));
        assert_eq!((request.tools.len(), request.options.hosted_tools.len()), (1, 2));
        request.options.tool_choice
    };
    let calling = |calling: Value| json!({ "functionCallingConfig": calling });
    assert_eq!(choice(calling(json!({ "mode": "NONE" }))), ToolChoice::None);
    assert_eq!(choice(calling(json!({ "mode": "ANY" }))), ToolChoice::Required);
    let one = choice(calling(json!({ "mode": "ANY", "allowedFunctionNames": ["f"] })));
    assert!(matches!(one, ToolChoice::Named(name) if name.as_str() == "f"));
    let several = calling(json!({ "mode": "ANY", "allowedFunctionNames": ["f", "g"] }));
    assert_eq!(choice(several), ToolChoice::Required);
    assert_eq!(choice(calling(json!({ "mode": "VALIDATED" }))), ToolChoice::Auto);
    assert_eq!(choice(json!({ "retrievalConfig": { "languageCode": "de" } })), ToolChoice::Auto);
}

// P2, P3
#[test]
fn parts_of_every_kind_round_trip() {
    let request = check_same(&json!({ "contents": [
        { "role": "user", "parts": [
            { "text": "see" },
            { "inlineData": { "mimeType": "image/png", "data": "aGk=" } },
            { "inlineData": { "mimeType": "audio/wav", "data": "aGk=" } },
            { "fileData": { "mimeType": "video/mp4", "fileUri": "https://example.com/v" },
                "videoMetadata": { "fps": 1 } },
        ] },
        { "role": "model", "parts": [
            { "text": "hm", "thought": true },
            { "text": "so", "thought": true, "thoughtSignature": "a" },
            { "text": "I look.", "thoughtSignature": "b" },
            { "functionCall": { "name": "f", "args": { "a": 1.5 } }, "thoughtSignature": "c" },
            { "functionCall": { "id": "g1", "name": "f", "args": {} } },
            { "inlineData": { "mimeType": "image/png", "data": "aGk=" }, "thoughtSignature": "d" },
            { "executableCode": { "language": "PYTHON", "code": "1" } },
        ] },
        { "role": "user", "parts": [
            { "functionResponse": { "name": "f", "response": { "output": "x" } } },
            { "functionResponse": { "id": "g1", "name": "f", "response": { "error": "no file" },
                "parts": [{ "inlineData": { "mimeType": "image/png", "data": "aGk=" } }] } },
        ] },
        { "role": "model", "parts": [{ "functionCall": { "name": "f", "args": {} } }] },
        { "role": "user", "parts": [{ "functionResponse": { "name": "f", "response": { "temperature": 7 },
            "willContinue": true } }] },
    ] }));
    let roles: Vec<Role> = request.messages.iter().map(|message| message.role).collect();
    assert_eq!(roles, [Role::User, Role::Assistant, Role::Tool, Role::Assistant, Role::Tool]);
    let results: Vec<&ToolResult> = request
        .messages
        .iter()
        .flat_map(|message| &message.parts)
        .filter_map(|part| match part {
            Part::Result(result) => Some(result),
            _ => None,
        })
        .collect();
    assert_eq!(results[0].content, [Content::text("x")]);
    assert_eq!((results[1].status, results[1].call.as_str()), (ResultStatus::Error, "g1"));
    assert_eq!(results[1].content[1], Content::Image(Image::base64("image/png", "aGk=")));
    let calls: Vec<&ToolCall> = request.messages.iter().flat_map(Message::calls).collect();
    assert_eq!(calls[0].arguments().map(Arguments::as_str), Some(r#"{"a":1.5}"#));
    assert_eq!(results[2].call, calls[2].id);
}

// R3
#[test]
fn results_find_their_calls_by_id_then_by_name_then_in_order() {
    let body = json!({ "contents": [
        { "role": "user", "parts": [{ "text": "go" }] },
        { "role": "model", "parts": [
            { "functionCall": { "name": "f", "args": {} } },
            { "functionCall": { "name": "g", "args": {} } },
            { "functionCall": { "id": "x", "name": "f", "args": {} } },
        ] },
        { "role": "function", "parts": [
            { "functionResponse": { "id": "x", "name": "f", "response": {} } },
            { "functionResponse": { "name": "g", "response": {} } },
            { "functionResponse": { "name": "other", "response": {} } },
        ] },
    ] });
    let request = read(&body);
    let calls: Vec<&str> = request.messages[1].calls().map(|call| call.id.as_str()).collect();
    let results = request.messages[2].parts.iter().map(|part| match part {
        Part::Result(result) => result.call.as_str(),
        _ => "",
    });
    assert_eq!(results.collect::<Vec<_>>(), [calls[2], calls[1], calls[0]]);
}

#[test]
fn adjacent_contents_of_the_model_are_one_answer() {
    let request = read(&json!({"contents": [
        {"role": "user", "parts": [{"text": "go"}]},
        {"role": "model", "parts": [{"text": "I "}]},
        {"role": "model", "parts": [{"text": "look."}]},
        {"role": "model", "parts": [{"functionCall": {"name": "a", "args": {}}}]},
        {"role": "model", "parts": [{"functionCall": {"name": "b", "args": {}}}]},
        {"role": "model", "parts": [{"text": ""}]},
        {"role": "user", "parts": [
            {"functionResponse": {"name": "a", "response": {"output": "1"}}},
            {"functionResponse": {"name": "b", "response": {"output": "2"}}},
        ]},
    ]}));
    let roles: Vec<Role> = request.messages.iter().map(|message| message.role).collect();
    assert_eq!(roles, [Role::User, Role::Assistant, Role::Tool]);
    let names: Vec<&str> = request.messages[1].calls().map(|call| call.name.as_str()).collect();
    assert_eq!(names, ["a", "b"]);
}

#[test]
fn errors_name_the_place() {
    check_error("{", "not JSON");
    check_error("[]", "an object");
    check_error(r#"{"contents":7}"#, "contents");
    check_error(r#"{"contents":[{"role":"king","parts":[]}]}"#, "contents[0].role");
    check_error(r#"{"contents":[{"parts":[{"text":7}]}]}"#, "contents[0].parts[0].text");
    check_error(
        r#"{"contents":[{"role":"model","parts":[{"functionCall":{"name":"f","args":[]}}]}]}"#,
        "functionCall.args",
    );
    check_error(
        r#"{"contents":[{"parts":[{"functionResponse":{"name":"f","response":{}}}]}]}"#,
        "no call waits for",
    );
    check_error(r#"{"contents":[],"tools":[{"functionDeclarations":[{}]}]}"#, "functionDeclarations[0].name");
    check_error(
        r#"{"contents":[],"generationConfig":{"temperature":"hot"}}"#,
        "generationConfig.temperature",
    );
}

fn write(framing: Framing, chunks: &[Chunk]) -> String {
    let asked = DecodedRequest::new(read(&ask(&json!({}))), framing);
    let mut encoder = Gemini::default().encoder(&asked, ResponseHead::new("r1", "m", 7));
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

fn whole(chunks: &[Chunk]) -> Value {
    serde_json::from_str(&write(Framing::Whole, chunks)).unwrap()
}

#[test]
fn each_framing_has_its_form() {
    let chunks = [Chunk::text("Hel"), Chunk::text("lo"), finish(StopReason::End, "stop")];
    let part = |text: &str| {
        format!(
            r#"{{"candidates":[{{"content":{{"parts":[{{"text":"{text}"}}],"role":"model"}},"index":0}}],"modelVersion":"m","responseId":"r1"}}"#
        )
    };
    let end = r#"{"candidates":[{"content":{"parts":[{"text":""}],"role":"model"},"finishReason":"STOP","index":0}],"modelVersion":"m","responseId":"r1"}"#;
    let (one, two) = (part("Hel"), part("lo"));
    assert_eq!(
        write(Framing::Events, &chunks),
        format!("data: {one}\r\n\r\ndata: {two}\r\n\r\ndata: {end}\r\n\r\n")
    );
    assert_eq!(write(Framing::Array, &chunks), format!("[{one},\r\n{two},\r\n{end}]"));
    let body = whole(&chunks);
    assert_eq!(body["candidates"][0]["content"]["parts"], json!([{ "text": "Hello" }]));
    assert_eq!(write(Framing::Array, &[]), "[]");
}

// P2
#[test]
fn a_signature_stays_with_its_part() {
    let signed = |signature: &str| Some(Opaque::new("gemini", json!({ "thoughtSignature": signature })));
    let body = whole(&[
        Chunk::reasoning("hm"),
        Chunk::ReasoningEnd { opaque: signed("a") },
        Chunk::text("so"),
        Chunk::text(" it is"),
        Chunk::TextEnd { opaque: signed("b") },
        Chunk::TextEnd { opaque: signed("c") },
        finish(StopReason::End, "STOP"),
    ]);
    let expected = json!([
        { "text": "hm", "thought": true, "thoughtSignature": "a" },
        { "text": "so" },
        { "text": " it is", "thoughtSignature": "b" },
        { "text": "", "thoughtSignature": "c" },
    ]);
    assert_eq!(body["candidates"][0]["content"]["parts"], expected);
}

// P4, S10
#[test]
fn calls_are_written_whole_and_in_order() {
    let start = |key, name: &str| {
        Chunk::Call(CallChunk::Start {
            key: CallKey(key),
            id: Some(format!("c{key}")),
            name: name.into(),
            opaque: None,
        })
    };
    let delta = |key, text: &str| Chunk::Call(CallChunk::Delta { key: CallKey(key), arguments: text.into() });
    let end = |key| Chunk::Call(CallChunk::End { key: CallKey(key), arguments: None });
    let free = WholeCall::Payload(Payload::Custom { input: "do".into() });
    let free = CallChunk::Whole { id: None, name: "p".into(), body: free, opaque: None };
    let body = whole(&[
        start(1, "f"),
        start(2, "g"),
        delta(2, "{\n}"),
        end(2),
        delta(1, r#"{"a":1.50}"#),
        end(1),
        Chunk::Call(free),
        start(3, "cut"),
        delta(3, r#"{"a":"#),
        finish(StopReason::Calls, "tool_use"),
    ]);
    let expected = json!([
        { "functionCall": { "id": "c1", "name": "f", "args": { "a": 1.5 } } },
        { "functionCall": { "id": "c2", "name": "g", "args": {} } },
        { "functionCall": { "name": "p", "args": { "input": "do" } } },
    ]);
    assert_eq!(body["candidates"][0]["content"]["parts"], expected);
    assert_eq!(body["candidates"][0]["finishReason"], "MALFORMED_FUNCTION_CALL");
}

#[track_caller]
fn check_reason(reason: StopReason, raw: &str, word: &str) {
    assert_eq!(whole(&[Chunk::text("hi"), finish(reason, raw)])["candidates"][0]["finishReason"], word);
}

#[test]
fn stop_reasons_of_every_provider_have_a_name() {
    check_reason(StopReason::End, "end_turn", "STOP");
    check_reason(StopReason::Calls, "tool_calls", "STOP");
    check_reason(StopReason::Length, "max_tokens", "MAX_TOKENS");
    check_reason(StopReason::ContentFilter, "content_filter", "SAFETY");
    check_reason(StopReason::ContentFilter, "RECITATION", "RECITATION");
    check_reason(StopReason::Refusal, "refusal", "SAFETY");
    check_reason(StopReason::Error, "failed", "OTHER");
    check_reason(StopReason::Unknown("NO_IMAGE".into()), "NO_IMAGE", "NO_IMAGE");
}

// The API has no separate field for the text of a refusal, so the refusal becomes text of the answer.
#[test]
fn a_refusal_message_becomes_text() {
    let refusal = Chunk::Unknown(Unknown::new("openai-chat", json!({ "refusal": "I cannot." })));
    let body = whole(&[refusal, finish(StopReason::Refusal, "stop")]);
    assert_eq!(body["candidates"][0]["content"]["parts"][0]["text"], "I cannot.");
    assert_eq!(body["candidates"][0]["finishReason"], "SAFETY");
}

// S12
#[test]
fn a_failed_response_is_reported() {
    let error = |kind| Chunk::Error { error: StreamError::new(kind, None, "busy") };
    let body = whole(&[Chunk::text("hi"), error(StreamErrorKind::Overloaded)]);
    assert_eq!(body["error"]["status"], "UNAVAILABLE");
    let body = whole(&[error(StreamErrorKind::Blocked)]);
    assert_eq!(body["promptFeedback"]["blockReasonMessage"], "busy");
    assert_eq!(whole(&[Chunk::text("hi")])["error"]["status"], "INTERNAL");
    assert!(!write(Framing::Events, &[Chunk::text("hi")]).contains("finishReason"));
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
        let wait = Some(std::time::Duration::from_millis(1500));
        let error = ProviderError::new(kind, None, "no").with_retry_after(wait);
        let (status, body) = Gemini::default().encode_error(&error);
        let met = Gemini::default().decode_error(status, &body);
        assert_eq!((met.kind, met.retry_after), (kind, wait), "{}", String::from_utf8_lossy(&body));
    }
}
