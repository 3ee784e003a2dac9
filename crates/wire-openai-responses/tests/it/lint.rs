//! Findings of the linter, rule by rule.

use serde_json::{Value, json};
use windlass_protocol::{
    Grammar, Image, Message, OutputFormat, OutputSchema, Part, RefusalKind as Kind, Request, Role,
    Strictness, ToolChoice, ToolName, ToolSpec, Unknown,
};
use windlass_testkit::wire_suite::{call, result};
use windlass_wire::Wire;
use windlass_wire_openai_responses::OpenAiResponses;

fn ask() -> Request {
    Request::new("m", vec![Message::user("hi, in JSON")])
}

fn function(name: &str, schema: &Value, strict: Strictness) -> ToolSpec {
    ToolSpec::function(ToolName::new(name).unwrap(), "", schema.into()).with_strict(strict)
}

fn with_extra(name: &str, value: Value) -> Request {
    let mut request = ask();
    request.options.extra.insert(name.to_owned(), value);
    request
}

#[track_caller]
fn check(request: &Request, expected: &[(Kind, &str)]) {
    let refusals = OpenAiResponses::default().check(request);
    let met: Vec<(Kind, &str)> =
        refusals.iter().map(|refusal| (refusal.kind, refusal.place.as_str())).collect();
    assert_eq!(met, expected, "{refusals:?}");
}

#[test]
fn valid_requests_are_not_refused() {
    let schema = json!({ "type": "object", "properties": { "a": {} }, "required": ["a"],
        "additionalProperties": false });
    let request = Request::new(
        "m",
        vec![
            Message::user("read a"),
            Message::assistant(vec![call("1", "read", "{}")]),
            Message::results([result("1", "x")]),
        ],
    )
    .with_tools(vec![function("read", &schema, Strictness::On), function("no", &json!({}), Strictness::Off)])
    .with_tool_choice(ToolChoice::Required)
    .with_output(OutputFormat::Schema(OutputSchema::new("a", (&schema).into()).with_strict(Strictness::On)))
    .with_max_output_tokens(16);
    check(&request, &[]);
}

#[test]
fn parameters_have_ranges() {
    let mut request = ask();
    request.options.temperature = Some(2.5);
    check(&request, &[(Kind::Parameter, "temperature")]);
    check(&ask().with_max_output_tokens(15), &[(Kind::Parameter, "max_output_tokens")]);
    let mut request = ask();
    request.options.stop_sequences.push("END".into());
    check(&request, &[(Kind::Parameter, "stop_sequences")]);
    check(&with_extra("n", json!(2)), &[(Kind::Parameter, "extra.n")]);
    check(&with_extra("top_p", json!(1.5)), &[(Kind::Parameter, "extra.top_p")]);
    check(&with_extra("top_logprobs", json!(21)), &[(Kind::Parameter, "extra.top_logprobs")]);
}

#[test]
fn fields_that_do_not_go_together_are_refused() {
    let mut request = with_extra("background", json!(true));
    request.options.extra.insert("store".to_owned(), json!(false));
    check(&request, &[(Kind::Parameter, "extra.background")]);
    let mut request = with_extra("previous_response_id", json!("resp_1"));
    check(&request, &[]);
    request.options.extra.insert("conversation".to_owned(), json!("conv_1"));
    check(&request, &[(Kind::Parameter, "extra.conversation")]);
    let long = "x".repeat(513);
    check(&with_extra("metadata", json!({ "a": long })), &[(Kind::Parameter, "extra.metadata.a")]);
    let many: serde_json::Map<String, Value> = (0..17).map(|at| (at.to_string(), json!("x"))).collect();
    check(&with_extra("metadata", many.into()), &[(Kind::Parameter, "extra.metadata")]);
}

#[test]
fn the_form_of_the_answer_has_rules() {
    check(&ask().with_output(OutputFormat::Json), &[]);
    let silent = Request::new("m", vec![Message::user("hi")]).with_output(OutputFormat::Json);
    check(&silent, &[(Kind::Parameter, "output")]);
    let output = |name: &str, schema: Value, strict| {
        let schema = OutputSchema::new(name, (&schema).into()).with_strict(strict);
        ask().with_output(OutputFormat::Schema(schema))
    };
    let object = json!({ "type": "object" });
    check(&output("two words", object.clone(), Strictness::Off), &[(Kind::Name, "output.name")]);
    check(&output("a", object, Strictness::On), &[(Kind::Schema, "output.schema")]);
    check(&output("a", json!({ "type": "array" }), Strictness::Off), &[(Kind::Schema, "output.schema")]);
}

#[test]
fn tools_have_rules() {
    let tool = |name: &str, schema: Value, strict| ask().with_tools(vec![function(name, &schema, strict)]);
    let object = || json!({ "type": "object" });
    check(&tool("read file", object(), Strictness::Off), &[(Kind::Name, "tools[0].name")]);
    check(&tool("a", json!({ "type": "string" }), Strictness::Off), &[(Kind::Schema, "tools[0].parameters")]);
    let union = json!({ "type": "object", "anyOf": [] });
    check(&tool("a", union, Strictness::Off), &[(Kind::Schema, "tools[0].parameters")]);
    check(&tool("a", object(), Strictness::On), &[(Kind::Schema, "tools[0].parameters")]);
    let optional = json!({ "type": "object", "additionalProperties": false, "properties": { "a": {} } });
    check(&tool("a", optional, Strictness::On), &[(Kind::Schema, "tools[0].parameters")]);
    let freeform = ToolSpec::Freeform {
        name: ToolName::new("patch").unwrap(),
        description: String::new(),
        grammar: Some(Grammar::Regex(" ".into())),
    };
    check(&ask().with_tools(vec![freeform]), &[(Kind::Schema, "tools[0].grammar")]);
    let many = (0..129).map(|at| function(&format!("t{at}"), &object(), Strictness::Off)).collect();
    check(&ask().with_tools(many), &[(Kind::Parameter, "tools")]);
    let foreign = vec![Unknown::new("gemini", json!({ "googleSearch": {} }))];
    check(&ask().with_hosted_tools(foreign), &[(Kind::Unsupported, "hosted_tools[0]")]);
}

#[test]
fn messages_have_rules() {
    let messages = |messages| Request::new("m", messages);
    check(&messages(vec![Message::user("")]), &[(Kind::Empty, "messages[0]")]);
    let picture = |media_type| Part::Image(Image::base64(media_type, "aGk="));
    let parts = "messages[0].parts[0]";
    let shown = messages(vec![Message::new(Role::User, vec![picture("image/bmp")])]);
    check(&shown, &[(Kind::Unsupported, parts)]);
    check(&messages(vec![Message::new(Role::User, vec![picture("image/gif")])]), &[]);
    check(&messages(vec![Message::assistant(vec![picture("image/png")])]), &[(Kind::Unsupported, parts)]);
    let unpaired = messages(vec![Message::user("hi"), Message::assistant(vec![call("1", "read", "{}")])]);
    check(&unpaired, &[(Kind::Pairing, "messages[2]")]);
}
