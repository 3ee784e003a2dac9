//! Changes of the tools and the system prompt inside a conversation.

use serde_json::{Value, json};
use windlass_protocol::{
    EarlierPreamble, HostedTool, Message, Part, Request, ToolName, ToolSearch, ToolSpec,
};
use windlass_testkit::wire_suite::tool;
use windlass_wire::{EncodedHistory, HttpRequest, Wire};
use windlass_wire_anthropic::{Anthropic, AnthropicOptions, ToolChanges};

const MODEL: &str = "claude-opus-5";

fn encode(request: &Request) -> HttpRequest {
    Anthropic::default().encode(request).unwrap()
}

fn beta(http: &HttpRequest) -> Option<&str> {
    let beta = http.headers.iter().find(|(name, _)| name == "anthropic-beta");
    beta.map(|(_, value)| value.as_str())
}

fn json_body(http: &HttpRequest) -> Value {
    serde_json::from_slice(&http.body).unwrap()
}

fn tools(names: &[&str]) -> Vec<ToolSpec> {
    names.iter().map(|name| tool(name)).collect()
}

fn answer(text: &str) -> Message {
    Message::assistant(vec![Part::text(text)])
}

/// Changes the tools and the system prompt of the next request.
fn change(request: &mut Request, system: &str, names: &[&str]) {
    let system = request.system.replace(system.to_owned());
    let tools = std::mem::replace(&mut request.tools, tools(names));
    request.earlier_preambles.push(EarlierPreamble::new(request.messages.len(), system, tools));
}

fn names(body: &Value) -> Vec<&str> {
    body["tools"].as_array().unwrap().iter().map(|tool| tool["name"].as_str().unwrap()).collect()
}

fn start(model: &str) -> Request {
    Request::new(model, vec![Message::user("hi")])
        .with_system("Be kind.\n\nYou write code.")
        .with_tools(tools(&["read", "write"]))
}

// N6
#[test]
fn a_change_of_the_tools_keeps_every_byte_before_it() {
    let (mut memory, mut bodies) = (EncodedHistory::new(), Vec::new());
    let mut request = start(MODEL);
    let steps: [&[&str]; 4] = [&["read"], &["read", "plan"], &["read", "plan", "write"], &["read", "write"]];
    for (turn, names) in steps.into_iter().enumerate() {
        let http = memory.encode(&Anthropic::default(), &request).unwrap();
        assert_eq!(http.body, encode(&request).body, "turn {turn}");
        bodies.push(http.body);
        request.messages.push(answer("ok"));
        request.messages.push(Message::user("more"));
        change(&mut request, &format!("Be kind.\n\nYou are in turn {turn}."), names);
    }
    bodies.push(memory.encode(&Anthropic::default(), &request).unwrap().body);
    windlass_wire::assert_append_only(&bodies);
    assert_eq!(bodies[4], encode(&request).body);
}

#[test]
fn tools_are_removed_and_added_by_name_and_defined_once() {
    let mut request = start(MODEL);
    let first = encode(&request);
    assert_eq!(beta(&first), None);
    for names in [&["read", "plan"][..], &["read", "write"], &["read", "write", "plan"]] {
        request.messages.push(answer("ok"));
        request.messages.push(Message::user("more"));
        change(&mut request, "Be kind.\n\nYou write code.", names);
    }
    let http = encode(&request);
    assert_eq!(beta(&http), Some("inline-tools-2026-09-15"));
    let body = json_body(&http);
    assert_eq!(names(&body), ["read", "write"]);
    let system: Vec<&Value> =
        body["messages"].as_array().unwrap().iter().filter(|message| message["role"] == "system").collect();
    let reference =
        |kind: &str, name: &str| json!({ "type": kind, "tool": { "type": "tool_reference", "name": name } });
    assert_eq!(system[0]["content"][0], reference("tool_removal", "write"));
    let added = &system[0]["content"][1];
    assert_eq!(
        (&added["type"], &added["tool"]["type"]),
        (&json!("tool_addition"), &json!("tool_definition"))
    );
    assert_eq!(added["tool"]["definition"]["name"], "plan");
    assert!(added["tool"]["definition"]["input_schema"].is_object(), "{added}");
    assert_eq!(
        system[1]["content"],
        json!([reference("tool_removal", "plan"), reference("tool_addition", "write")])
    );
    assert_eq!(system[2]["content"], json!([reference("tool_addition", "plan")]), "it is defined already");
    assert_eq!(system.len(), 3);
}

#[test]
fn only_the_changed_paragraphs_of_the_system_prompt_are_sent() {
    let mut request = start(MODEL);
    request.messages.push(answer("ok"));
    request.messages.push(Message::user("more"));
    change(&mut request, "Be kind.\n\nYou only plan.", &["read", "write"]);
    let body = json_body(&encode(&request));
    assert_eq!(body["system"][0]["text"], "Be kind.\n\nYou write code.");
    assert_eq!(
        body["messages"][3]["content"],
        json!([{ "type": "text", "text": "These instructions replace the part of the system prompt that begins \
            with \"You write code.\":\n\nYou only plan." }])
    );
    request.system = Some("Be kind.".to_owned());
    let words = json_body(&encode(&request))["messages"][3]["content"][0]["text"].clone();
    assert_eq!(
        words,
        "The part of the system prompt that begins with \"You write code.\" does not apply any more."
    );
    request.system = Some("Be kind.\n\nYou write code.\n\nBe brief.".to_owned());
    let words = json_body(&encode(&request))["messages"][3]["content"][0]["text"].clone();
    assert_eq!(words, "These instructions are added to the system prompt:\n\nBe brief.");
}

#[test]
fn a_tool_with_another_definition_replaces_the_old_one() {
    let mut request = start(MODEL);
    request.messages.push(answer("ok"));
    request.messages.push(Message::user("more"));
    change(&mut request, "Be kind.\n\nYou write code.", &["read"]);
    let schema = r#"{"type":"object","properties":{"all":{"type":"boolean"}}}"#.parse().unwrap();
    request.tools =
        vec![ToolSpec::function(ToolName::new("read").unwrap(), "Reads more.", schema), tool("write")];
    let body = json_body(&encode(&request));
    let content = body["messages"][3]["content"].as_array().unwrap();
    assert_eq!(content.len(), 1, "{content:?}");
    assert_eq!(content[0]["tool"]["definition"]["description"], "Reads more.");
}

#[track_caller]
fn check_plain(options: AnthropicOptions, request: &Request) {
    let http = Anthropic::new(options).encode(request).unwrap();
    let mut plain = request.clone();
    plain.earlier_preambles.clear();
    assert_eq!(http.body, encode(&plain).body);
    assert_eq!(beta(&http), None);
}

#[test]
fn other_models_and_places_get_the_tools_of_now() {
    let changed = |model: &str| {
        let mut request = start(model);
        request.messages.push(answer("ok"));
        request.messages.push(Message::user("more"));
        change(&mut request, "Be brief.", &["read"]);
        request
    };
    for model in ["claude-opus-4-8", "claude-opus-5-5", "claude-fable-5", "claude-mythos-5-1"] {
        assert_eq!(names(&json_body(&encode(&changed(model)))), ["read", "write"], "{model}");
    }
    for model in
        ["claude-opus-4-7", "claude-sonnet-5", "claude-sonnet-4-6", "kimi-k2", "us.anthropic.claude-opus-5"]
    {
        check_plain(AnthropicOptions::default(), &changed(model));
    }
    check_plain(AnthropicOptions::default().with_tool_changes(ToolChanges::Off), &changed(MODEL));
    // The API takes no system message directly after an answer.
    let mut after_answer = start(MODEL);
    after_answer.messages.push(answer("ok"));
    change(&mut after_answer, "Be brief.", &["read"]);
    check_plain(AnthropicOptions::default(), &after_answer);
    // The position of the change does not exist.
    let mut lost = changed(MODEL);
    lost.earlier_preambles[0].messages = 9;
    check_plain(AnthropicOptions::default(), &lost);
    // The first request had no tools.
    let mut none = changed(MODEL);
    none.earlier_preambles[0].tools.clear();
    check_plain(AnthropicOptions::default(), &none);
    // A tool whose definition is deferred would be hidden.
    let search = ToolSearch::default().with_deferred([ToolName::new("read").unwrap()]);
    check_plain(AnthropicOptions::default(), &changed(MODEL).with_hosted_tools([HostedTool::from(search)]));
}

#[test]
fn a_change_before_a_message_of_the_user_moves_to_the_next_answer() {
    let mut request = start(MODEL);
    request.messages.push(answer("ok"));
    request.messages.push(Message::user("more"));
    change(&mut request, "Be kind.\n\nYou write code.", &["read"]);
    request.messages.push(Message::user("are you there?"));
    let roles = |request: &Request| -> Vec<String> {
        let body = json_body(&encode(request));
        body["messages"].as_array().unwrap().iter().map(|m| m["role"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(roles(&request), ["user", "assistant", "user", "system"]);
    // A second change that no request has sent replaces the first one.
    change(&mut request, "Be kind.\n\nYou write code.", &["read", "write"]);
    assert_eq!(roles(&request), ["user", "assistant", "user"]);
}
