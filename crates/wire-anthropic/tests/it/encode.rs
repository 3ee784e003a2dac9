//! Requests as bytes.

use serde_json::json;
use windlass_protocol::{
    CallId, Content, Delivery, Image, Message, Opaque, OutputFormat, OutputSchema, ParallelCalls, Part,
    Payload, Reasoning, Request, ResultStatus, Role, ToolCall, ToolChoice, ToolName, ToolResult, Unknown,
};
use windlass_testkit::wire_suite::{
    self, call, check_pairing, check_refusals, check_turns, result, tool, turns,
};
use windlass_wire::{EncodedHistory, Wire};
use windlass_wire_anthropic::{Anthropic, AnthropicOptions, Caching, SystemMessages};

fn body(request: &Request) -> String {
    wire_suite::body(&Anthropic::default(), request)
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
    check_turns(&Anthropic::default(), "m", turns(["toolu_a", "toolu_b", "bad id!"]));
}

#[test]
fn an_upload_is_sent_by_its_id_in_the_block_of_its_kind() {
    let message = Message::user("look")
        .with_part(Part::provider_file("file_1", "image/png"))
        .with_part(Part::provider_file("file_2", "application/pdf"));
    check(
        vec![message],
        r#"[{"role":"user","content":[{"type":"text","text":"look"},
        {"type":"image","source":{"type":"file","file_id":"file_1"}},
        {"type":"document","source":{"type":"file","file_id":"file_2"}}]}]"#,
    );
}

// R1
#[test]
fn a_conversation_with_unpaired_calls_is_refused() {
    check_pairing(&Anthropic::default());
}

#[test]
fn inexpressible_requests_fail_and_name_the_part() {
    check_refusals(&Anthropic::default());
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
        .with_parallel_calls(ParallelCalls::Forbid);
    request.options.temperature = Some(0.5);
    request.options.stop_sequences = vec!["END".into()];
    let expected = [
        r#"{"model":"m","max_tokens":8192,"temperature":0.5,"stop_sequences":["END"],"stream":true,"#,
        r#""cache_control":{"type":"ephemeral"},"#,
        r#""tool_choice":{"type":"tool","name":"read","disable_parallel_tool_use":true},"#,
        r#""tools":[{"name":"read","description":"Does it.","#,
        r#""input_schema":{"type":"object","properties":{"z":{},"a":{}}},"cache_control":{"type":"ephemeral"}}],"#,
        r#""system":[{"type":"text","text":"Be brief.","cache_control":{"type":"ephemeral"}}],"#,
        r#""messages":[{"role":"user","content":[{"type":"text","text":"hi"}]}]}"#,
    ];
    assert_eq!(body(&request), expected.concat());
    assert!(!body(&request.with_delivery(Delivery::Whole)).contains("stream"));
}

#[test]
fn the_version_and_betas_are_headers() {
    let options = AnthropicOptions::default().with_betas(["one".to_owned(), "two".to_owned()]);
    let http = Anthropic::new(options).encode(&Request::new("m", vec![Message::user("hi")])).unwrap();
    let header = |name| http.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str());
    assert_eq!(header("anthropic-version"), Some("2023-06-01"));
    assert_eq!(header("anthropic-beta"), Some("one,two"));
}

#[track_caller]
fn check_choice(choice: ToolChoice, parallel: ParallelCalls, expected: &str) {
    let request = Request::new("m", vec![Message::user("hi")])
        .with_tools(vec![tool("read")])
        .with_tool_choice(choice)
        .with_parallel_calls(parallel);
    let body = body(&request);
    let met = body
        .split_once(r#""tool_choice":"#)
        .map_or("", |(_, rest)| rest.split_once(r#","tools""#).unwrap().0);
    assert_eq!(met, expected);
}

#[test]
fn tool_choices_are_encoded() {
    use ParallelCalls::{Allow, Forbid, ProviderDefault};
    check_choice(ToolChoice::Auto, ProviderDefault, "");
    check_choice(ToolChoice::Auto, Forbid, r#"{"type":"auto","disable_parallel_tool_use":true}"#);
    check_choice(ToolChoice::Required, ProviderDefault, r#"{"type":"any"}"#);
    check_choice(ToolChoice::Required, Allow, r#"{"type":"any","disable_parallel_tool_use":false}"#);
    check_choice(ToolChoice::None, Forbid, r#"{"type":"none"}"#);
}

// P6, R8
#[test]
fn results_are_first_in_one_user_message() {
    let mut one = ToolResult::text(CallId::new("a").unwrap(), ResultStatus::Denied, "no");
    one.content.insert(0, Content::Image(Image::base64("image/png", "aGk=")));
    check(
        vec![
            Message::assistant(vec![call("a", "read", r#"{"n": 1.50}"#), call("b", "read", "{}")]),
            Message::new(Role::Tool, vec![Part::text("a word"), Part::Result(one)]),
            Message::results([result("b", "two")]),
            Message::new(Role::User, vec![Part::text("go on"), Part::text(" ")]),
        ],
        r#"[{"role":"assistant","content":[{"type":"tool_use","id":"a","name":"read","input":{"n": 1.50}},
           {"type":"tool_use","id":"b","name":"read","input":{}}]},
           {"role":"user","content":[{"type":"tool_result","tool_use_id":"a","content":"[denied] no","is_error":true},
           {"type":"tool_result","tool_use_id":"b","content":"two"},
           {"type":"text","text":"a word"},{"type":"text","text":"The result of a has these images:"},
           {"type":"image","source":{"type":"base64","media_type":"image/png","data":"aGk="}},
           {"type":"text","text":"go on"}]}]"#,
    );
}

// R8
#[test]
fn an_image_of_a_successful_result_is_inside_it() {
    let mut one = result("a", "one");
    one.content.push(Content::Image(Image::base64("image/png", "aGk=")));
    check(
        vec![Message::assistant(vec![call("a", "read", "{}")]), Message::results([one])],
        r#"[{"role":"assistant","content":[{"type":"tool_use","id":"a","name":"read","input":{}}]},
           {"role":"user","content":[{"type":"tool_result","tool_use_id":"a","content":[
           {"type":"text","text":"one"},
           {"type":"image","source":{"type":"base64","media_type":"image/png","data":"aGk="}}]}]}]"#,
    );
}

// P2
#[test]
fn calls_of_other_forms_go_out_as_functions() {
    let call = |payload| {
        let (id, name) = (CallId::new("a").unwrap(), ToolName::new("t").unwrap());
        vec![
            Message::assistant(vec![Part::Call(ToolCall::new(id, name, payload))]),
            Message::results([result("a", "x")]),
        ]
    };
    let body = messages(call(Payload::Custom { input: "*** Begin".into() }));
    assert!(body.contains(r#""input":{"input":"*** Begin"}"#), "{body}");
    let command = vec!["ls".to_owned(), "a b".to_owned()];
    let shell = Payload::LocalShell { command, working_directory: None, timeout_ms: None };
    let body = messages(call(shell));
    assert!(body.contains(r#""command":["ls","a b"]"#), "{body}");
}

// P2
#[test]
fn parts_from_the_api_return_unchanged() {
    let thinking = Opaque::new("anthropic", json!({ "type": "thinking", "signature": "c2ln" }));
    let redacted = Opaque::new("anthropic", json!({ "type": "redacted_thinking", "data": "eA==" }));
    let block = json!({ "content_block": { "type": "server_tool_use", "id": "s", "input": { "q": 1 } } });
    let foreign = Opaque::new("openai-chat", json!({ "field": "reasoning_content" }));
    check(
        vec![Message::assistant(vec![
            Part::Reasoning(Reasoning::new("I think", Some(thinking))),
            Part::Reasoning(Reasoning::new("", Some(redacted))),
            Part::Reasoning(Reasoning::new("unsigned", None)),
            Part::Reasoning(Reasoning::new("foreign", Some(foreign))),
            Part::Unknown(Unknown::new("anthropic", block)),
            Part::Unknown(Unknown::new("anthropic", json!({ "type": "weather" }))),
            Part::text("Hi"),
        ])],
        r#"[{"role":"assistant","content":[{"type":"thinking","thinking":"I think","signature":"c2ln"},
           {"type":"redacted_thinking","data":"eA=="},
           {"id":"s","input":{"q":1},"type":"server_tool_use"},{"type":"text","text":"Hi"}]}]"#,
    );
}

#[test]
fn roles_alternate_and_empty_assistant_messages_are_omitted() {
    check(
        vec![Message::user("a"), Message::assistant(vec![Part::text(" \n")]), Message::user("b")],
        r#"[{"role":"user","content":[{"type":"text","text":"a"},{"type":"text","text":"b"}]}]"#,
    );
}

// P1
#[test]
fn ids_that_the_api_refuses_are_mapped_the_same_way_for_call_and_result() {
    let sent = |id: &str| {
        let message = Message::assistant(vec![call(id, "read", "{}")]);
        let value: serde_json::Value =
            serde_json::from_str(&messages(vec![message, Message::results([result(id, "x")])])).unwrap();
        let call = value[0]["content"][0]["id"].as_str().unwrap().to_owned();
        assert_eq!(call, value[1]["content"][0]["tool_use_id"]);
        assert!(
            call.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-'),
            "{call}"
        );
        call
    };
    assert_eq!(sent("toolu_01-A"), "toolu_01-A");
    let ids = ["functions.read:0", "functions.read.0", "functions_read_0", "ü", "ö"].map(sent);
    let distinct: std::collections::BTreeSet<_> = ids.iter().collect();
    assert_eq!(distinct.len(), ids.len(), "{ids:?}");
}

// N6
#[test]
fn cache_markers_have_stable_positions() {
    let wire = |caching| Anthropic::new(AnthropicOptions::default().with_caching(caching));
    let mut request = Request::new("m", vec![Message::user("hi")])
        .with_system("Be brief.")
        .with_tools(vec![tool("first"), tool("second")]);
    let sent = |request: &Request, caching| {
        String::from_utf8(wire(caching).encode(request).unwrap().body.into()).unwrap()
    };
    assert!(!sent(&request, Caching::AsMarked).contains("cache_control"));
    let mark = r#""cache_control":{"type":"ephemeral"}"#;
    let prefix = sent(&request, Caching::Prefix);
    assert_eq!(prefix.matches(mark).count(), 2, "{prefix}");
    assert!(
        prefix.contains(&format!(r#""system":[{{"type":"text","text":"Be brief.",{mark}}}]"#)),
        "{prefix}"
    );
    let before = sent(&request, Caching::Conversation);
    assert_eq!(before.matches(mark).count(), 3, "{before}");
    request.messages.extend([Message::assistant(vec![Part::text("hello")]), Message::user("and?")]);
    let after = sent(&request, Caching::Conversation);
    assert!(after.starts_with(before.strip_suffix("]}").unwrap()), "{after}");
    // A request that has its own markers gets no more.
    request.options.extra.insert("cache_control".into(), json!({ "type": "ephemeral", "ttl": "1h" }));
    let own = sent(&request, Caching::Conversation);
    assert_eq!(own.matches("cache_control").count(), 1, "{own}");
}

#[test]
fn leading_developer_messages_join_the_system_prompt() {
    let developer = Message::new(Role::System, vec![Part::text("Be kind.")]);
    let request = Request::new("m", vec![developer, Message::user("hi")]).with_system("Be brief.");
    let body = String::from_utf8(Anthropic::default().encode(&request).unwrap().body.into()).unwrap();
    let system = r#""system":[{"type":"text","text":"Be brief."},{"type":"text","text":"Be kind.","cache_control":{"type":"ephemeral"}}]"#;
    assert!(body.contains(system), "{body}");
}

fn developer(text: &str) -> Message {
    Message::new(Role::System, vec![Part::text(text)])
}

/// The roles of the messages as they are sent, each with the number of its blocks.
fn roles(options: AnthropicOptions, model: &str, messages: &[Message]) -> String {
    let http = Anthropic::new(options).encode(&Request::new(model, messages.to_vec())).unwrap();
    let body: serde_json::Value = serde_json::from_slice(&http.body).unwrap();
    let role = |message: &serde_json::Value| {
        format!("{} {}", message["role"].as_str().unwrap(), message["content"].as_array().unwrap().len())
    };
    body["messages"].as_array().unwrap().iter().map(role).collect::<Vec<_>>().join(", ")
}

// "Mid-conversation system messages": such a message is not the first, follows a turn of the user, is the last or
// precedes an answer, and is not adjacent to another one.
#[test]
fn developer_messages_stay_in_place_where_the_model_takes_them() {
    let answer = || Message::assistant(vec![Part::text("ok")]);
    let said = [Message::user("hi"), developer("Be kind."), developer("Be brief.")];
    let sent = |messages: &[Message]| roles(AnthropicOptions::default(), "claude-opus-4-8", messages);
    assert_eq!(sent(&said), "user 1, system 2");
    assert_eq!(sent(&[&said[..], &[answer()]].concat()), "user 1, system 2, assistant 1");
    // The API refuses a system message at these places.
    assert_eq!(sent(&[&said[..], &[Message::user("and")]].concat()), "user 4");
    assert_eq!(sent(&[Message::user("hi"), answer(), developer("Be kind.")]), "user 1, assistant 1, user 1");
    let mixed =
        Message::new(Role::System, vec![Part::text("See."), Part::Image(Image::base64("image/png", "cG5n"))]);
    assert_eq!(sent(&[Message::user("hi"), mixed]), "user 3");

    // Results are a turn of the user, too.
    let [call, results] =
        [Message::assistant(vec![call("toolu_1", "read", "{}")]), Message::results([result("toolu_1", "x")])];
    let rounds = [Message::user("hi"), call, results, developer("Stop soon.")];
    assert_eq!(sent(&rounds), "user 1, assistant 1, user 1, system 1");

    for model in [
        "claude-opus-4-7",
        "claude-sonnet-4-6",
        "claude-haiku-4-5",
        "kimi-k2",
        "us.anthropic.claude-opus-4-8",
    ] {
        assert_eq!(roles(AnthropicOptions::default(), model, &said), "user 3", "{model}");
        let in_place = AnthropicOptions::default().with_system_messages(SystemMessages::InPlace);
        assert_eq!(roles(in_place, model, &said), "user 1, system 2", "{model}");
    }
    let as_user = AnthropicOptions::default().with_system_messages(SystemMessages::AsUser);
    assert_eq!(roles(as_user, "claude-opus-5", &said), "user 3");
}

// N6
#[test]
fn developer_messages_do_not_change_the_bytes_before_them() {
    let mut memory = EncodedHistory::new();
    let mut request = Request::new("claude-opus-4-8", vec![Message::user("hi")]);
    let mut bodies = Vec::new();
    for turn in 0..4 {
        request.messages.push(developer(&format!("rule {turn}")));
        let http = memory.encode(&Anthropic::default(), &request).unwrap();
        assert_eq!(http.body, Anthropic::default().encode(&request).unwrap().body);
        bodies.push(http.body);
        request.messages.push(Message::assistant(vec![Part::text("ok")]));
        request.messages.push(Message::user("more"));
    }
    windlass_wire::assert_append_only(&bodies);
}

#[test]
fn an_output_schema_is_merged_into_output_config() {
    let schema = OutputSchema::new("s", r#"{"type":"object"}"#.parse().unwrap());
    let mut request = Request::new("m", vec![Message::user("hi")]).with_output(OutputFormat::Schema(schema));
    let format = r#""format":{"type":"json_schema","schema":{"type":"object"}}"#;
    let sent = |request: &Request| {
        String::from_utf8(Anthropic::default().encode(request).unwrap().body.into()).unwrap()
    };
    assert!(sent(&request).contains(&format!(r#""output_config":{{{format}}}"#)), "{}", sent(&request));
    request.options.extra.insert("output_config".into(), json!({ "effort": "low" }));
    assert!(
        sent(&request).contains(&format!(r#""output_config":{{"effort":"low",{format}}}"#)),
        "{}",
        sent(&request)
    );
    request.output = OutputFormat::Json;
    assert!(Anthropic::default().encode(&request).is_err());
}

#[test]
fn eager_arguments_are_asked_for_by_tool() {
    let tools = vec![tool("write").with_eager_arguments(), tool("read")];
    let body = body(&Request::new("m", vec![Message::user("hi")]).with_tools(tools));
    let body: serde_json::Value = serde_json::from_str(&body).unwrap();
    assert_eq!(body["tools"][0]["eager_input_streaming"], true);
    assert_eq!(body["tools"][1].get("eager_input_streaming"), None);
}

#[test]
fn a_version_without_sampling_refuses_it_and_a_gateway_leaves_it_out() {
    let build = |version: &str| Anthropic::new(AnthropicOptions::default().with_version(version));
    let plain = Request::new("claude-sonnet-4-6", vec![Message::user("hi")]);
    let (older, newer) = (build("2023-06-01"), build("2026-10-21"));
    assert!(newer.encode(&plain).is_ok() && newer.check(&plain).is_empty());
    for name in ["temperature", "top_p", "top_k"] {
        let mut request = plain.clone();
        match name {
            "temperature" => request.options.temperature = Some(1.0),
            "top_p" => request.options.top_p = Some(0.9),
            _ => drop(request.options.extra.insert(name.into(), 5.into())),
        }
        assert!(older.encode(&request).is_ok() && older.check(&request).is_empty(), "{name}");
        assert!(newer.encode(&request).is_err(), "{name}");
        let refusals = newer.check(&request);
        assert!(refusals.len() == 1 && refusals[0].place == name, "{refusals:?}");
        let excluded: Vec<&str> =
            newer.settle_options(&mut request).into_iter().map(windlass_wire::ExcludedOption::name).collect();
        assert_eq!(excluded, [name]);
        assert_eq!(request, plain);
        assert!(older.settle_options(&mut request).is_empty());
    }
}
