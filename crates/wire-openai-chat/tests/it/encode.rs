//! Requests as bytes.

use serde_json::json;
use windlass_protocol::{
    CallId, Content, Delivery, Grammar, Image, Message, Opaque, ParallelCalls, Part, Reasoning, Request,
    ResultStatus, Role, ToolChoice, ToolName, ToolResult, ToolSpec, Unknown,
};
use windlass_testkit::wire_suite::{
    self, call, check_pairing, check_refusals, check_turns, result, tool, turns,
};
use windlass_wire::Wire;
use windlass_wire_openai_chat::{
    CallIds, MaxTokensField, OpenAiChat, OpenAiChatOptions, StreamUsage, SystemRole, ThoughtsField,
};

fn body(request: &Request) -> String {
    wire_suite::body(&OpenAiChat::default(), request)
}

/// The messages as they are sent.
fn messages(parts: Vec<Message>) -> String {
    let body = body(&Request::new("m", parts));
    let (_, messages) = body.split_once(r#""messages":"#).unwrap();
    messages.strip_suffix('}').unwrap().to_owned()
}

#[track_caller]
fn check(parts: Vec<Message>, expected: &str) {
    assert_eq!(messages(parts), expected.lines().map(str::trim).collect::<String>());
}

// N6
#[test]
fn the_bytes_of_a_turn_begin_with_those_of_the_turn_before() {
    check_turns(&OpenAiChat::default(), "m", turns(["toolu_a", "toolu_b", "bad id!"]));
}

// R1
#[test]
fn a_conversation_with_unpaired_calls_is_refused() {
    check_pairing(&OpenAiChat::default());
}

#[test]
fn inexpressible_requests_fail_and_name_the_part() {
    check_refusals(&OpenAiChat::default());
}

#[test]
fn extra_fields_win_and_messages_stay_last() {
    let mut request = Request::new("m", vec![Message::user("hi")]).with_max_output_tokens(5);
    request.options.extra.insert("zeal".into(), true.into());
    request.options.extra.insert("model".into(), "other".into());
    request.options.extra.insert("alpha".into(), 1.into());
    let body = body(&request);
    assert!(body.starts_with(r#"{"model":"other","max_tokens":5"#), "{body}");
    assert!(body.contains(r#","alpha":1,"zeal":true,"messages":"#), "{body}");
}

#[test]
fn the_body_has_its_fields_in_order() {
    let mut request = Request::new("m", vec![Message::user("hi")])
        .with_system("Be brief.")
        .with_tools(vec![tool("read")])
        .with_tool_choice(ToolChoice::Named(ToolName::new("read").unwrap()))
        .with_parallel_calls(ParallelCalls::Forbid)
        .with_max_output_tokens(9);
    request.options.temperature = Some(0.5);
    request.options.stop_sequences = vec!["END".into()];
    let expected = [
        r#"{"model":"m","max_tokens":9,"temperature":0.5,"stop":["END"],"stream":true,"#,
        r#""stream_options":{"include_usage":true},"#,
        r#""tool_choice":{"type":"function","function":{"name":"read"}},"parallel_tool_calls":false,"#,
        r#""tools":[{"type":"function","function":{"name":"read","description":"Does it.","#,
        r#""parameters":{"type":"object","properties":{"z":{},"a":{}}}}}],"#,
        r#""messages":[{"role":"system","content":"Be brief."},{"role":"user","content":"hi"}]}"#,
    ];
    assert_eq!(body(&request), expected.concat());
}

#[test]
fn servers_differ_by_options() {
    let options = OpenAiChatOptions::default()
        .with_max_tokens_field(MaxTokensField::MaxCompletionTokens)
        .with_system_role(SystemRole::Developer)
        .with_stream_usage(StreamUsage::Leave);
    let request = Request::new("m", vec![Message::user("hi")]).with_system("s").with_max_output_tokens(9);
    let body = String::from_utf8(OpenAiChat::new(options).encode(&request).unwrap().body.into()).unwrap();
    let expected = concat!(
        r#"{"model":"m","max_completion_tokens":9,"stream":true,"messages":["#,
        r#"{"role":"developer","content":"s"},{"role":"user","content":"hi"}]}"#
    );
    assert_eq!(body, expected);
    let whole = request.with_delivery(Delivery::Whole);
    assert!(!self::body(&whole).contains("stream"));
}

#[test]
fn tool_choices_are_encoded() {
    for (choice, word) in [(ToolChoice::None, "none"), (ToolChoice::Required, "required")] {
        let request = Request::new("m", vec![Message::user("hi")])
            .with_tools(vec![tool("read")])
            .with_tool_choice(choice);
        assert!(body(&request).contains(&format!(r#""tool_choice":"{word}""#)));
    }
}

#[test]
fn calls_and_results_keep_their_text() {
    check(
        vec![
            Message::assistant(vec![call("a", "read", r#"{"n": 1.50}"#)]),
            Message::results([ToolResult::text(CallId::new("a").unwrap(), ResultStatus::Error, "no file")]),
        ],
        r#"[{"role":"assistant","content":null,"tool_calls":[{"id":"a","type":"function","function":
           {"name":"read","arguments":"{\"n\": 1.50}"}}]},
           {"role":"tool","tool_call_id":"a","content":"[error] no file"}]"#,
    );
}

// R8
#[test]
fn images_of_results_follow_the_round_in_a_user_message() {
    let mut one = result("a", "one");
    one.content.insert(0, Content::Image(Image::url("image/png", "https://example.com/a.png")));
    check(
        vec![
            Message::assistant(vec![call("a", "read", "{}"), call("b", "read", "{}")]),
            Message::results([one]),
            Message::results([result("b", "two")]),
            Message::new(
                Role::User,
                vec![Part::text("see?"), Part::Image(Image::base64("image/png", "aGk="))],
            ),
        ],
        r#"[{"role":"assistant","content":null,"tool_calls":[
           {"id":"a","type":"function","function":{"name":"read","arguments":"{}"}},
           {"id":"b","type":"function","function":{"name":"read","arguments":"{}"}}]},
           {"role":"tool","tool_call_id":"a","content":"one"},{"role":"tool","tool_call_id":"b","content":"two"},
           {"role":"user","content":[{"type":"text","text":"The result of a has these images:"},
           {"type":"image_url","image_url":{"url":"https://example.com/a.png"}},{"type":"text","text":"see?"},
           {"type":"image_url","image_url":{"url":"data:image/png;base64,aGk="}}]}]"#,
    );
}

fn thoughts(wire: &str, value: serde_json::Value) -> Part {
    Part::Reasoning(Reasoning::new("I think", Some(Opaque::new(wire, value))))
}

// P2
#[test]
fn reasoning_is_returned_in_its_documented_field() {
    let tail = r#""tool_calls":[{"id":"a","type":"function","function":{"name":"read","arguments":"{}"}}]},
        {"role":"tool","tool_call_id":"a","content":"x"}]"#;
    let round = |part| {
        vec![Message::assistant(vec![part, call("a", "read", "{}")]), Message::results([result("a", "x")])]
    };
    let content = thoughts("openai-chat", json!({ "field": "reasoning_content" }));
    check(
        round(content.clone()),
        &format!(r#"[{{"role":"assistant","content":null,"reasoning_content":"I think",{tail}"#),
    );
    check(
        vec![Message::assistant(vec![content, Part::text("Hi")])],
        r#"[{"role":"assistant","content":"Hi"}]"#,
    );
    let details = json!({ "field": "reasoning", "reasoning_details": [{ "type": "reasoning.encrypted", "data": "eA" }] });
    check(
        round(thoughts("openai-chat", details)),
        &format!(
            r#"[{{"role":"assistant","content":null,"reasoning_details":[{{"data":"eA","type":"reasoning.encrypted"}}],{tail}"#
        ),
    );
    check(
        round(thoughts("openai-chat", json!({ "field": "content" }))),
        &format!(
            r#"[{{"role":"assistant","content":[{{"type":"thinking","thinking":[{{"type":"text","text":"I think"}}]}}],{tail}"#
        ),
    );
    let foreign = thoughts("anthropic", json!({ "type": "thinking", "signature": "s" }));
    check(round(foreign.clone()), &format!(r#"[{{"role":"assistant","content":null,{tail}"#));
    check(
        vec![Message::user("hi"), Message::assistant(vec![foreign])],
        r#"[{"role":"user","content":"hi"}]"#,
    );
}

#[test]
fn refusals_go_back_and_unknown_parts_stay() {
    let refusal = Part::Unknown(Unknown::new("openai-chat", json!({ "refusal": "No." })));
    let event = Part::Unknown(Unknown::new("openai-chat", json!({ "type": "ping" })));
    check(
        vec![Message::assistant(vec![refusal, event, Part::text("")])],
        r#"[{"role":"assistant","content":null,"refusal":"No."}]"#,
    );
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
        r#""tools":[{"type":"custom","custom":{"name":"patch","description":"Edits.","#,
        r#""format":{"type":"grammar","grammar":{"syntax":"lark","definition":"start: X"}}}}]"#
    );
    assert!(body(&request).contains(expected), "{}", body(&request));
}

// P1
#[test]
fn ids_of_another_form_are_written_the_same_way_in_call_and_result() {
    let id = "toolu_01ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
    let turns = vec![Message::assistant(vec![call(id, "read", "{}")]), Message::results([result(id, "x")])];
    let sent = |form| {
        let wire = OpenAiChat::new(OpenAiChatOptions::default().with_call_ids(form));
        let body = wire.encode(&Request::new("m", turns.clone())).unwrap().body;
        let body: serde_json::Value = serde_json::from_slice(&body).unwrap();
        let [asked, answered] = ["/messages/0/tool_calls/0/id", "/messages/1/tool_call_id"]
            .map(|at| body.pointer(at).unwrap().clone());
        assert_eq!(asked, answered);
        asked.as_str().unwrap().to_owned()
    };
    assert_eq!(sent(CallIds::Any), id);
    assert!(sent(CallIds::AtMostForty).len() <= 40);
    let short = sent(CallIds::NineAlphanumerics);
    assert!(short.len() == 9 && short.bytes().all(|byte| byte.is_ascii_alphanumeric()), "{short}");
}

// P2
#[test]
fn a_gateway_returns_reasoning_in_its_original_field() {
    let thoughts = |field: &str| {
        let opaque = Opaque::new("openai-chat", json!({ "field": field }));
        vec![Message::assistant(vec![
            Part::Reasoning(Reasoning::new("hm", Some(opaque))),
            Part::text("done"),
        ])]
    };
    let sent = |field: &str, options: OpenAiChatOptions| {
        let body = OpenAiChat::new(options).encode(&Request::new("m", thoughts(field))).unwrap().body;
        let body: serde_json::Value = serde_json::from_slice(&body).unwrap();
        body["messages"][0].clone()
    };
    let plain = json!({ "role": "assistant", "content": "done" });
    for field in ["reasoning", "reasoning_content"] {
        assert_eq!(sent(field, OpenAiChatOptions::default()), plain);
        let mut given = plain.clone();
        given[field] = "hm".into();
        assert_eq!(sent(field, OpenAiChatOptions::as_given()), given);
        let mistral = OpenAiChatOptions::as_given().with_thoughts_field(ThoughtsField::Content);
        let parts = json!([
            { "type": "thinking", "thinking": [{ "type": "text", "text": "hm" }] },
            { "type": "text", "text": "done" },
        ]);
        assert_eq!(sent(field, mistral)["content"], parts);
    }
}
