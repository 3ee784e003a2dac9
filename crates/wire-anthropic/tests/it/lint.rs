//! Findings of the linter, a test for each rule.

use serde_json::{Value, json};
use windlass_protocol::{
    Arguments, CallId, File, Image, Message, Opaque, OutputFormat, Part, Reasoning, RefusalKind, Request,
    ResultStatus, Role, Text, ToolCall, ToolChoice, ToolName, ToolResult, ToolSpec,
};
use windlass_wire::Wire;
use windlass_wire_anthropic::Anthropic;

fn request() -> Request {
    Request::new("m", vec![Message::user("hi")])
}

fn tool(name: &str, parameters: &str) -> Request {
    let spec = ToolSpec::function(ToolName::new(name).unwrap(), "Does it.", parameters.parse().unwrap());
    request().with_tools(vec![spec])
}

fn thinking(mut request: Request, thinking: Value) -> Request {
    request.options.extra.insert("thinking".into(), thinking);
    request
}

/// Findings, as kind and place.
#[track_caller]
fn check(request: &Request, expected: &[(RefusalKind, &str)]) {
    let refusals = Anthropic::default().check(request);
    let found: Vec<_> = refusals.iter().map(|refusal| (refusal.kind, refusal.place.as_str())).collect();
    assert_eq!(found, expected, "{refusals:?}");
}

#[test]
fn a_plain_request_is_accepted() {
    check(&request(), &[]);
    check(&tool("f", r#"{"type":"object","properties":{}}"#), &[]);
    let prefilled = Request::new("m", vec![Message::user("hi"), Message::assistant(vec![Part::text("{")])]);
    check(&prefilled, &[]);
}

#[test]
fn numbers_have_their_ranges() {
    let mut warm = request();
    warm.options.temperature = Some(1.5);
    check(&warm, &[(RefusalKind::Parameter, "temperature")]);
    check(&request().with_max_output_tokens(0), &[(RefusalKind::Parameter, "max_output_tokens")]);
    let mut stops = request();
    stops.options.stop_sequences = vec!["x".into(), "\n".into()];
    check(&stops, &[(RefusalKind::Parameter, "stop_sequences[1]")]);
    let mut several = request();
    several.options.extra.insert("n".into(), 2.into());
    check(&several, &[(RefusalKind::Parameter, "extra.n")]);
}

#[test]
fn thinking_is_incompatible_with_some_parameters() {
    let enabled = |budget: u64| json!({ "type": "enabled", "budget_tokens": budget });
    check(&thinking(request(), enabled(2000)), &[]);
    check(&thinking(request(), enabled(100)), &[(RefusalKind::Parameter, "extra.thinking.budget_tokens")]);
    check(&thinking(request(), enabled(9000)), &[(RefusalKind::Parameter, "extra.thinking.budget_tokens")]);
    let mut warm = thinking(request(), enabled(2000));
    warm.options.temperature = Some(0.5);
    check(&warm, &[(RefusalKind::Parameter, "temperature")]);
    let forced = tool("f", r#"{"type":"object"}"#).with_tool_choice(ToolChoice::Required);
    check(&forced, &[]);
    check(&thinking(forced.clone(), json!({ "type": "disabled" })), &[]);
    check(&thinking(forced, enabled(2000)), &[(RefusalKind::Parameter, "tool_choice")]);
    let begun = Request::new("m", vec![Message::user("hi"), Message::assistant(vec![Part::text("{")])]);
    check(&thinking(begun, enabled(2000)), &[(RefusalKind::Order, "messages[1]")]);
}

#[test]
fn more_than_four_cache_markers_are_found() {
    let marked = |text: &str| {
        let mark = Opaque::new("anthropic", json!({ "block": { "cache_control": { "type": "ephemeral" } } }));
        Part::Text(Text::new(text).with_opaque(Some(mark)))
    };
    let mut request =
        Request::new("m", vec![Message::new(Role::User, vec![marked("a"), marked("b"), marked("c")])]);
    request.options.extra.insert("cache_control".into(), json!({ "type": "ephemeral" }));
    check(&request, &[]);
    request.messages[0].parts.push(marked("d"));
    check(&request, &[(RefusalKind::Cache, "")]);
}

#[test]
fn names_and_schemas_of_tools_have_their_form() {
    check(&tool("read file", r#"{"type":"object"}"#), &[(RefusalKind::Name, "tools[0].name")]);
    check(&tool("f", r#"{"type":"string"}"#), &[(RefusalKind::Schema, "tools[0].parameters")]);
    check(&tool("f", "{}"), &[(RefusalKind::Schema, "tools[0].parameters")]);
    check(&tool("f", r#"{"type":"object","oneOf":[{}]}"#), &[(RefusalKind::Schema, "tools[0].parameters")]);
    let freeform =
        ToolSpec::Freeform { name: ToolName::new("g").unwrap(), description: String::new(), grammar: None };
    check(&request().with_tools(vec![freeform]), &[(RefusalKind::Unsupported, "")]);
}

#[test]
fn the_first_message_is_a_nonblank_user_message() {
    let begun = Request::new("m", vec![Message::assistant(vec![Part::text("hi")]), Message::user("hi")]);
    check(&begun, &[(RefusalKind::Order, "messages[0]")]);
    check(&Request::new("m", vec![Message::user(" \n")]), &[(RefusalKind::Empty, "messages[0]")]);
}

#[test]
fn a_prefill_must_not_end_with_whitespace() {
    let begun = |part| Request::new("m", vec![Message::user("hi"), Message::assistant(vec![part])]);
    check(&begun(Part::text("so ")), &[(RefusalKind::Order, "messages[1]")]);
    let signed = Opaque::new("anthropic", json!({ "type": "thinking", "signature": "s" }));
    let thoughts = Part::Reasoning(Reasoning::new("hm", Some(signed)));
    check(&begun(thoughts.clone()), &[(RefusalKind::Order, "messages[1]")]);
    let call =
        ToolCall::function(CallId::new("a").unwrap(), ToolName::new("f").unwrap(), Arguments::default());
    let result = ToolResult::text(CallId::new("a").unwrap(), ResultStatus::Ok, "x");
    let late = Message::assistant(vec![Part::Call(call), thoughts]);
    check(
        &Request::new("m", vec![Message::user("hi"), late, Message::results([result])]),
        &[(RefusalKind::Order, "messages[1].parts[1]")],
    );
}

#[test]
fn pictures_and_documents_have_their_formats() {
    let user = |part| Request::new("m", vec![Message::new(Role::User, vec![part])]);
    let place = "messages[0].parts[0]";
    check(&user(Part::Image(Image::base64("image/webp", "aGk="))), &[]);
    check(&user(Part::Image(Image::base64("image/tiff", "aGk="))), &[(RefusalKind::Unsupported, place)]);
    check(&user(Part::File(File::base64("application/pdf", "aGk="))), &[]);
    check(&user(Part::File(File::base64("text/plain", "aGk="))), &[]);
    check(&user(Part::File(File::base64("audio/wav", "aGk="))), &[(RefusalKind::Unsupported, place)]);
}

#[test]
fn lint_finds_requests_that_cannot_be_encoded() {
    check(&request().with_output(OutputFormat::Json), &[(RefusalKind::Unsupported, "")]);
}

// "all content must be type `text` if `is_error` is true"
#[test]
fn an_error_holds_nothing_but_text() {
    let asked = |status| {
        let call = ToolCall::function(
            CallId::new("a").unwrap(),
            ToolName::new("read").unwrap(),
            Arguments::parse("{}").unwrap(),
        );
        let mut result = ToolResult::text(call.id.clone(), status, "no");
        let list = json!([{"type": "image", "source": {"type": "url", "url": "https://x/a"}}]);
        result.opaque = Some(Opaque::new("anthropic", json!({ "content": list })));
        let messages =
            vec![Message::user("hi"), Message::assistant(vec![Part::Call(call)]), Message::results([result])];
        Request::new("m", messages)
    };
    check(&asked(ResultStatus::Ok), &[]);
    check(&asked(ResultStatus::Error), &[(RefusalKind::Unsupported, "messages[2].parts[0]")]);
}
