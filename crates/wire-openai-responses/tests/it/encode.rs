//! Requests as bytes.

use serde_json::json;
use windlass_protocol::{
    CallId, Delivery, Grammar, Image, Message, Opaque, ParallelCalls, Part, Request, ResultStatus, Role,
    ToolChoice, ToolName, ToolResult, ToolSpec, Unknown,
};
use windlass_testkit::wire_suite::{
    self, call, check_pairing, check_refusals, check_turns, result, tool, turns,
};
use windlass_wire_openai_responses::{
    EncryptedReasoning, OpenAiResponses, OpenAiResponsesOptions, Storage, StrictFunctions,
};

fn body_with(options: OpenAiResponsesOptions, request: &Request) -> String {
    wire_suite::body(&OpenAiResponses::new(options), request)
}

fn body(request: &Request) -> String {
    body_with(OpenAiResponsesOptions::default(), request)
}

/// The input as it is sent.
#[track_caller]
pub(crate) fn check_with(options: OpenAiResponsesOptions, messages: Vec<Message>, expected: &str) {
    let body = body_with(options, &Request::new("m", messages));
    let (_, input) = body.split_once(r#""input":"#).unwrap();
    let expected: String = expected.lines().map(str::trim).collect();
    assert_eq!(input.strip_suffix('}').unwrap(), expected);
}

#[track_caller]
pub(crate) fn check(messages: Vec<Message>, expected: &str) {
    check_with(OpenAiResponsesOptions::default(), messages, expected);
}

#[track_caller]
fn check_error(request: &Request, words: &str) {
    wire_suite::check_error(&OpenAiResponses::default(), request, words);
}

// N6
#[test]
fn the_bytes_of_a_turn_begin_with_those_of_the_turn_before() {
    let long = "x".repeat(80);
    check_turns(&OpenAiResponses::default(), "m", turns(["call_a", "call_b", &long]));
}

// R1
#[test]
fn a_conversation_with_unpaired_calls_is_refused() {
    check_pairing(&OpenAiResponses::default());
}

#[test]
fn inexpressible_requests_fail_and_name_the_part() {
    check_refusals(&OpenAiResponses::default());
    let request = || Request::new("m", vec![Message::user("hi")]);
    check_error(&request().with_tools(vec![tool(&"x".repeat(65))]), "xxx");
    let image = Part::Image(Image::base64("image/png", "aGk="));
    check_error(&Request::new("m", vec![Message::assistant(vec![image])]), "an image");
    let mut stop = request();
    stop.options.stop_sequences.push("END".into());
    check_error(&stop, "stop_sequences");
    let mut many = request();
    many.options.extra.insert("n".into(), 2.into());
    check_error(&many, "more than one answer");
}

#[test]
fn extra_fields_take_precedence_and_the_input_is_last() {
    let mut request = Request::new("m", vec![Message::user("hi")]).with_max_output_tokens(50);
    request.options.extra.insert("text".into(), serde_json::json!({ "format": { "type": "json_object" } }));
    request.options.extra.insert("model".into(), "other".into());
    request.options.extra.insert("reasoning".into(), serde_json::json!({ "effort": "low" }));
    let body = body(&request);
    assert!(body.starts_with(r#"{"model":"other","max_output_tokens":50"#), "{body}");
    let extra = r#","reasoning":{"effort":"low"},"text":{"format":{"type":"json_object"}},"input":"#;
    assert!(body.contains(extra), "{body}");
}

#[test]
fn the_body_has_its_fields_in_order() {
    let mut request = Request::new("m", vec![Message::user("hi")])
        .with_system("Be brief.")
        .with_tools(vec![tool("read")])
        .with_tool_choice(ToolChoice::Named(ToolName::new("read").unwrap()))
        .with_parallel_calls(ParallelCalls::Forbid)
        .with_max_output_tokens(90);
    request.options.temperature = Some(0.5);
    let expected = [
        r#"{"model":"m","instructions":"Be brief.","max_output_tokens":90,"temperature":0.5,"#,
        r#""store":false,"include":["reasoning.encrypted_content"],"stream":true,"#,
        r#""tool_choice":{"type":"function","name":"read"},"parallel_tool_calls":false,"#,
        r#""tools":[{"type":"function","name":"read","description":"Does it.","#,
        r#""parameters":{"type":"object","properties":{"z":{},"a":{}}},"strict":false}],"#,
        r#""input":[{"role":"user","content":"hi"}]}"#,
    ];
    assert_eq!(body(&request), expected.concat());
    let whole = body(&request.with_delivery(Delivery::Whole));
    assert!(!whole.contains("stream"), "{whole}");
}

#[test]
fn servers_differ_by_options() {
    let options = OpenAiResponsesOptions::default()
        .with_storage(Storage::Unsaid)
        .with_encrypted_reasoning(EncryptedReasoning::Leave)
        .with_strict_functions(StrictFunctions::Unsaid);
    let request = Request::new("m", vec![Message::user("hi")]).with_tools(vec![tool("read")]);
    let expected = concat!(
        r#"{"model":"m","stream":true,"tools":[{"type":"function","name":"read","description":"Does it.","#,
        r#""parameters":{"type":"object","properties":{"z":{},"a":{}}}}],"#,
        r#""input":[{"role":"user","content":"hi"}]}"#
    );
    assert_eq!(body_with(options, &request), expected);
    let options = OpenAiResponsesOptions::default()
        .with_storage(Storage::On)
        .with_strict_functions(StrictFunctions::On);
    let body = body_with(options, &request);
    assert!(body.contains(r#""store":true"#) && body.contains(r#""strict":true"#), "{body}");
}

#[test]
fn tool_choices_are_encoded() {
    let hosted = |tool| Unknown::new("openai-responses", tool);
    let hosted =
        vec![hosted(json!({ "type": "web_search" })), hosted(json!({ "server_label": "s", "type": "mcp" }))];
    let named = |name| ToolChoice::Named(ToolName::new(name).unwrap());
    let patch = ToolName::new("patch").unwrap();
    let freeform = ToolSpec::Freeform { name: patch, description: "Edits.".into(), grammar: None };
    for (choice, expected) in [
        (ToolChoice::None, r#""tool_choice":"none""#),
        (ToolChoice::Required, r#""tool_choice":"required""#),
        (named("read"), r#""tool_choice":{"type":"function","name":"read"}"#),
        (named("patch"), r#""tool_choice":{"type":"custom","name":"patch"}"#),
        (named("web_search"), r#""tool_choice":{"type":"web_search"}"#),
    ] {
        let request = Request::new("m", vec![Message::user("hi")])
            .with_tools(vec![tool("read"), freeform.clone()])
            .with_hosted_tools(hosted.clone())
            .with_tool_choice(choice);
        let body = body(&request);
        assert!(body.contains(expected), "{body}");
        assert!(body.contains(r#"},{"type":"web_search"},{"server_label":"s","type":"mcp"}],"#), "{body}");
    }
    let only_hosted = Request::new("m", vec![Message::user("hi")])
        .with_tool_choice(ToolChoice::Required)
        .with_hosted_tools(hosted);
    assert!(body(&only_hosted).contains(r#""tools":[{"type":"web_search"},"#));
    let foreign = vec![Unknown::new("gemini", json!({ "googleSearch": {} }))];
    check_error(&only_hosted.with_hosted_tools(foreign), "the hosted tool of gemini");
}

#[test]
fn tools_with_free_text_are_custom_tools() {
    let name = ToolName::new("patch").unwrap();
    let spec = ToolSpec::Freeform {
        name,
        description: "Edits.".into(),
        grammar: Some(Grammar::Lark("start: X".into())),
    };
    let request = Request::new("m", vec![Message::user("hi")]).with_tools(vec![spec]);
    let expected = concat!(
        r#""tools":[{"type":"custom","name":"patch","description":"Edits.","#,
        r#""format":{"type":"grammar","syntax":"lark","definition":"start: X"}}]"#
    );
    assert!(body(&request).contains(expected), "{}", body(&request));
}

#[test]
fn calls_and_results_keep_their_text() {
    check(
        vec![
            Message::assistant(vec![call("a", "read", r#"{"n": 1.50}"#)]),
            Message::results([ToolResult::text(CallId::new("a").unwrap(), ResultStatus::Error, "no file")]),
        ],
        r#"[{"type":"function_call","call_id":"a","name":"read","arguments":"{\"n\": 1.50}"},
           {"type":"function_call_output","call_id":"a","output":"[error] no file"}]"#,
    );
}

// P1
#[test]
fn ids_and_names_that_the_api_refuses_are_mapped() {
    let long = "x".repeat(70);
    check(
        vec![Message::assistant(vec![call(&long, "odd name", "{}")]), Message::results([result(&long, "x")])],
        r#"[{"type":"function_call","call_id":"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx_513a36f59147a8dd",
           "name":"odd_name","arguments":"{}"},
           {"type":"function_call_output","call_id":"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx_513a36f59147a8dd",
           "output":"x"}]"#,
    );
}

#[test]
fn roles_are_encoded_and_message_marks_are_returned() {
    let marks = serde_json::json!({ "id": "msg_1", "phase": "commentary" });
    let text =
        windlass_protocol::Text::new("I look.").with_opaque(Some(Opaque::new("openai-responses", marks)));
    let messages = || {
        vec![
            Message::new(Role::System, vec![Part::text("Be kind.")]),
            Message::user("hi"),
            Message::assistant(vec![Part::Text(text.clone()), Part::text("Hello.")]),
        ]
    };
    check(
        messages(),
        r#"[{"role":"developer","content":"Be kind."},{"role":"user","content":"hi"},
           {"role":"assistant","phase":"commentary","content":"I look."},{"role":"assistant","content":"Hello."}]"#,
    );
    check_with(
        OpenAiResponsesOptions::default().with_storage(Storage::On),
        messages(),
        r#"[{"role":"developer","content":"Be kind."},{"role":"user","content":"hi"},
           {"type":"message","id":"msg_1","role":"assistant","status":"completed","phase":"commentary",
           "content":[{"type":"output_text","text":"I look.","annotations":[]}]},
           {"role":"assistant","content":"Hello."}]"#,
    );
}
