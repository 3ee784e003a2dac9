//! Findings of the linter, rule by rule.

use serde_json::{Value, json};
use windlass_protocol::{
    Arguments, CallId, File, HostedTool, Image, Message, Opaque, OutputFormat, ParallelCalls, Part,
    RefusalKind as Kind, Request, ResultStatus, Role, ToolCall, ToolName, ToolResult, ToolSpec, Unknown,
};
use windlass_wire::Wire;
use windlass_wire_gemini::{Gemini, GeminiOptions};

fn ask() -> Request {
    Request::new("gemini-2.5-flash", vec![Message::user("hi")])
}

fn tool(name: &str, schema: &Value) -> ToolSpec {
    ToolSpec::function(ToolName::new(name).unwrap(), "Does it.", schema.into())
}

fn object() -> Value {
    json!({ "type": "object", "properties": { "a": {} } })
}

fn search() -> Vec<HostedTool> {
    vec![HostedTool::native("gemini", json!({ "googleSearch": {} }))]
}

fn call(id: &str) -> ToolCall {
    let (id, name) = (CallId::new(id).unwrap(), ToolName::new("read").unwrap());
    ToolCall::function(id, name, Arguments::default())
}

fn result(id: &str) -> Message {
    Message::results([ToolResult::text(CallId::new(id).unwrap(), ResultStatus::Ok, "x")])
}

fn with_extra(name: &str, value: Value) -> Request {
    let mut request = ask();
    request.options.extra.insert(name.to_owned(), value);
    request
}

#[track_caller]
fn check_with(options: GeminiOptions, request: &Request, expected: &[(Kind, &str)]) {
    let refusals = Gemini::new(options).check(request);
    let met: Vec<(Kind, &str)> =
        refusals.iter().map(|refusal| (refusal.kind, refusal.place.as_str())).collect();
    assert_eq!(met, expected, "{refusals:?}");
}

#[track_caller]
fn check(request: &Request, expected: &[(Kind, &str)]) {
    check_with(GeminiOptions::default(), request, expected);
}

#[test]
fn valid_requests_are_not_refused() {
    let messages = vec![Message::user("read"), Message::assistant(vec![Part::Call(call("1"))]), result("1")];
    let mut request = Request::new("gemini-3-pro", messages)
        .with_tools(vec![tool("read", &object())])
        .with_output(OutputFormat::Json);
    request.options.hosted_tools = search();
    request.options.temperature = Some(2.0);
    check(&request, &[]);
}

#[test]
fn parameters_have_ranges() {
    let mut request = ask();
    request.options.temperature = Some(2.1);
    check(&request, &[(Kind::Parameter, "temperature")]);
    check(&ask().with_max_output_tokens(0), &[(Kind::Parameter, "max_output_tokens")]);
    let mut request = ask();
    request.options.stop_sequences = vec!["x".to_owned(); 6];
    check(&request, &[(Kind::Parameter, "stop_sequences")]);
    request.options.stop_sequences = vec![String::new()];
    check(&request, &[(Kind::Empty, "stop_sequences")]);
    let config = |config: Value| with_extra("generationConfig", config);
    check(
        &config(json!({ "candidateCount": 2 })),
        &[(Kind::Parameter, "extra.generationConfig.candidateCount")],
    );
    check(&config(json!({ "topP": 1.1 })), &[(Kind::Parameter, "extra.generationConfig.topP")]);
    let thinking = json!({ "thinkingConfig": { "thinkingBudget": 1, "thinkingLevel": "low" } });
    check(&config(thinking), &[(Kind::Parameter, "extra.generationConfig.thinkingConfig")]);
}

#[test]
fn incompatible_options_are_refused() {
    let cached = with_extra("cachedContent", json!("cachedContents/1"));
    check(&cached, &[]);
    check(&cached.with_system("Be kind."), &[(Kind::Cache, "extra.cachedContent")]);
    let request = ask().with_tools(vec![tool("read", &object())]);
    check(&request.clone().with_output(OutputFormat::Json), &[(Kind::Parameter, "output")]);
    check(&request.clone().with_hosted_tools(search()), &[(Kind::Parameter, "hosted_tools")]);
    check(&request.with_parallel_calls(ParallelCalls::Forbid), &[(Kind::Unsupported, "parallel_calls")]);
    let foreign = vec![Unknown::new("openai-responses", json!({ "type": "web_search" }))];
    check(&ask().with_hosted_tools(foreign), &[(Kind::Unsupported, "hosted_tools[0]")]);
}

#[test]
fn tools_have_rules() {
    check(&ask().with_tools(vec![tool("1st", &object())]), &[(Kind::Name, "tools[0].name")]);
    check(&ask().with_tools(vec![tool("a.b:c", &object())]), &[]);
    let list = json!({ "type": "array" });
    check(&ask().with_tools(vec![tool("a", &list)]), &[(Kind::Schema, "tools[0].parameters")]);
    let freeform = ToolSpec::Freeform {
        name: ToolName::new("patch").unwrap(),
        description: String::new(),
        grammar: None,
    };
    check(&ask().with_tools(vec![freeform]), &[(Kind::Unsupported, "tools[0]")]);
}

#[test]
fn turns_have_rules() {
    let messages = |messages| Request::new("gemini-2.5-flash", messages);
    let calls = || Message::assistant(vec![Part::Call(call("1"))]);
    check(&messages(vec![calls(), result("1")]), &[(Kind::Order, "messages[0]")]);
    let twice = vec![Message::user("hi"), Message::assistant(vec![Part::text("a")]), calls(), result("1")];
    check(&messages(twice), &[(Kind::Order, "messages[2]")]);
    check(&messages(vec![Message::user("hi"), calls()]), &[(Kind::Pairing, "messages[2]")]);
    check(&messages(vec![Message::user("")]), &[(Kind::Empty, "messages[0]")]);
}

#[test]
fn media_have_rules() {
    let shown = |part| Request::new("gemini-2.5-flash", vec![Message::new(Role::User, vec![part])]);
    let place = "messages[0].parts[0]";
    check(&shown(Part::Image(Image::base64("image/gif", "aGk="))), &[(Kind::Unsupported, place)]);
    check(&shown(Part::Image(Image::base64("image/heic", "aGk="))), &[]);
    check(&shown(Part::File(File::base64("", "aGk="))), &[(Kind::Parameter, place)]);
}

// P2
#[test]
fn a_call_without_its_signature_is_refused_since_three() {
    let signed = call("1").with_opaque(Some(Opaque::new("gemini", json!({ "thoughtSignature": "s" }))));
    let request = |model: &str, call| {
        let calls = Message::assistant(vec![Part::Call(call)]);
        Request::new(model, vec![Message::user("hi"), calls, result("1")])
    };
    let as_given = GeminiOptions::as_given;
    check_with(as_given(), &request("gemini-3-pro", call("1")), &[(Kind::Parameter, "messages[1]")]);
    check_with(as_given(), &request("gemini-3-pro", signed), &[]);
    check_with(as_given(), &request("gemini-2.5-pro", call("1")), &[]);
    // A missing signature is generated if no content has to be sent back unchanged.
    check(&request("gemini-3-pro", call("1")), &[]);
}
