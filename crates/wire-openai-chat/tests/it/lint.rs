//! Findings of the linter, a test for each rule.

use serde_json::json;
use windlass_protocol::{
    Arguments, CallId, File, Image, Message, OutputFormat, OutputSchema, Part, RawJson, RefusalKind, Request,
    ResultStatus, Role, Strictness, ToolCall, ToolName, ToolResult, ToolSpec, Unknown,
};
use windlass_wire::Wire;
use windlass_wire_openai_chat::OpenAiChat;

fn request() -> Request {
    Request::new("m", vec![Message::user("hi")])
}

fn tool(name: &str, parameters: &str, strict: Strictness) -> Request {
    let spec = ToolSpec::function(ToolName::new(name).unwrap(), "Does it.", parameters.parse().unwrap());
    request().with_tools(vec![spec.with_strict(strict)])
}

/// Findings, as kind and place.
#[track_caller]
fn check(request: &Request, expected: &[(RefusalKind, &str)]) {
    let refusals = OpenAiChat::default().check(request);
    let found: Vec<_> = refusals.iter().map(|refusal| (refusal.kind, refusal.place.as_str())).collect();
    assert_eq!(found, expected, "{refusals:?}");
}

#[test]
fn a_plain_request_is_accepted() {
    check(&request(), &[]);
    check(&tool("f", r#"{"type":"object","properties":{}}"#, Strictness::Unsaid), &[]);
    check(&tool("f", "null", Strictness::Unsaid), &[]);
    check(&tool("f", "{}", Strictness::Unsaid), &[]);
}

#[test]
fn lint_finds_requests_that_every_provider_refuses() {
    let call =
        ToolCall::function(CallId::new("a").unwrap(), ToolName::new("f").unwrap(), Arguments::default());
    let open = Request::new("m", vec![Message::user("hi"), Message::assistant(vec![Part::Call(call)])]);
    check(&open, &[(RefusalKind::Pairing, "messages[2]")]);
    let stray = ToolResult::text(CallId::new("b").unwrap(), ResultStatus::Ok, "x");
    let stray = Request::new("m", vec![Message::user("hi"), Message::results([stray])]);
    check(&stray, &[(RefusalKind::Pairing, "messages[1].parts[0]")]);
}

#[test]
fn numbers_have_their_ranges() {
    let mut warm = request();
    warm.options.temperature = Some(2.5);
    check(&warm, &[(RefusalKind::Parameter, "temperature")]);
    let mut cold = request();
    cold.options.temperature = Some(f64::NAN);
    check(&cold, &[(RefusalKind::Parameter, "temperature")]);
    check(&request().with_max_output_tokens(0), &[(RefusalKind::Parameter, "max_output_tokens")]);
    let mut stops = request();
    stops.options.stop_sequences = vec!["x".into(); 5];
    check(&stops, &[(RefusalKind::Parameter, "stop_sequences")]);
}

#[test]
fn one_answer_is_read_and_more_are_refused() {
    let mut several = request();
    several.options.extra.insert("n".into(), 2.into());
    check(&several, &[(RefusalKind::Parameter, "extra.n")]);
    assert!(OpenAiChat::default().encode(&several).is_err(), "writing refuses what the linter does");
    several.options.extra.insert("n".into(), 1.into());
    check(&several, &[]);
}

#[test]
fn names_and_schemas_of_tools_have_their_form() {
    check(
        &tool("read file", r#"{"type":"object"}"#, Strictness::Unsaid),
        &[(RefusalKind::Name, "tools[0].name")],
    );
    let place = "tools[0].parameters";
    check(&tool("f", r#"{"type":"string"}"#, Strictness::Unsaid), &[(RefusalKind::Schema, place)]);
    check(
        &tool("f", r#"{"type":"object","anyOf":[{}]}"#, Strictness::Unsaid),
        &[(RefusalKind::Schema, place)],
    );
    let schema = r#"{"type":"object","properties":{"a":{},"b":{}},"required":["a"]}"#;
    check(&tool("f", schema, Strictness::Unsaid), &[]);
    check(&tool("f", schema, Strictness::On), &[(RefusalKind::Schema, place), (RefusalKind::Schema, place)]);
    let mut many = request();
    let spec = |number: usize| {
        ToolSpec::function(ToolName::new(format!("f{number}")).unwrap(), "", RawJson::from(&json!({})))
    };
    many.tools = (0..129).map(spec).collect();
    check(&many, &[(RefusalKind::Parameter, "tools")]);
}

#[test]
fn the_form_of_the_answer_has_its_rules() {
    let output = |output| request().with_output(output);
    check(&output(OutputFormat::Json), &[(RefusalKind::Parameter, "output")]);
    check(&output(OutputFormat::Json).with_system("Answer in JSON."), &[]);
    let schema = |name: &str| OutputSchema::new(name, RawJson::from(&json!({ "type": "object" })));
    check(&output(OutputFormat::Schema(schema("weather"))), &[]);
    check(&output(OutputFormat::Schema(schema("the weather"))), &[(RefusalKind::Name, "output.name")]);
    check(
        &output(OutputFormat::Schema(schema("weather").with_strict(Strictness::On))),
        &[(RefusalKind::Schema, "output.schema")],
    );
}

#[test]
fn pictures_documents_and_recordings_have_their_places_and_formats() {
    let user = |part| Request::new("m", vec![Message::new(Role::User, vec![part])]);
    let place = "messages[0].parts[0]";
    check(&user(Part::Image(Image::base64("image/png", "aGk="))), &[]);
    check(&user(Part::Image(Image::base64("image/tiff", "aGk="))), &[(RefusalKind::Unsupported, place)]);
    check(&user(Part::File(File::base64("audio/wav", "aGk="))), &[]);
    check(&user(Part::File(File::base64("audio/ogg", "aGk="))), &[(RefusalKind::Unsupported, place)]);
    check(&user(Part::File(File::url("application/pdf", "https://x"))), &[(RefusalKind::Unsupported, place)]);
    check(&user(Part::provider_file("file-1", "application/pdf")), &[]);
    check(&user(Part::provider_file("file-1", "image/png")), &[(RefusalKind::Unsupported, place)]);
    let said = Message::assistant(vec![Part::Image(Image::base64("image/png", "aGk="))]);
    check(
        &Request::new("m", vec![Message::user("hi"), said]),
        &[(RefusalKind::Unsupported, "messages[1].parts[0]")],
    );
}

#[test]
fn lint_finds_requests_that_cannot_be_encoded() {
    let hosted =
        request().with_hosted_tools(vec![Unknown::new("anthropic", json!({ "type": "web_search" }))]);
    check(&hosted, &[(RefusalKind::Unsupported, "hosted_tools[0]")]);
}
