//! Every value goes through JSON and back unchanged.

use windlass_protocol::{
    Arguments, CallId, Content, Effect, Image, Message, Opaque, Part, Payload, Reasoning, Request,
    ResultStatus, Role, Text, ToolCall, ToolChoice, ToolName, ToolResult, ToolSpec, Unknown,
};

#[track_caller]
fn check<T>(value: &T)
where
    T: serde::Serialize + for<'de> serde::Deserialize<'de> + PartialEq + std::fmt::Debug,
{
    let text = serde_json::to_string(value).unwrap();
    assert_eq!(&serde_json::from_str::<T>(&text).unwrap(), value, "{text}");
    // Through a value too, as a journal or a database may do.
    let through: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!(&serde_json::from_value::<T>(through).unwrap(), value, "{text}");
}

fn call(payload: Payload) -> ToolCall {
    let opaque = Opaque::new("anthropic", serde_json::json!({ "signature": "s" }));
    ToolCall::new(CallId::new("c").unwrap(), ToolName::new("t").unwrap(), payload).with_opaque(Some(opaque))
}

fn parts() -> Vec<Part> {
    let arguments = Arguments::parse(r#"{"b": 12345678901234567890123, "a": [1.50]}"#).unwrap();
    let opaque = || Some(Opaque::new("w", serde_json::json!({ "x": [1] })));
    vec![
        Part::text("words"),
        Part::Text(Text::new("").with_opaque(opaque())),
        Part::Image(Image::url("image/png", "https://example.com/a.png")),
        Part::Reasoning(Reasoning::new("thought", opaque())),
        Part::Call(call(Payload::Function { arguments: arguments.clone() })),
        Part::Call(call(Payload::Custom { input: "*** patch".into() })),
        Part::Call(call(Payload::Mcp { server: "s".into(), tool: "t".into(), arguments })),
        Part::Call(call(Payload::LocalShell {
            command: vec!["ls".into()],
            working_directory: None,
            timeout_ms: Some(1),
        })),
        Part::Result(ToolResult::new(
            CallId::new("c").unwrap(),
            ResultStatus::EffectsUnknown,
            vec![
                Content::text("t"),
                Content::Image(Image::base64("image/png", "AA==")),
                Content::Resource { uri: "u".into(), media_type: None, text: "t".into() },
                Content::Structured { value: serde_json::json!({ "a": 1 }) },
            ],
        )),
        Part::Unknown(Unknown::new("w", serde_json::json!({ "type": "new" }))),
    ]
}

#[test]
fn messages_of_every_part_survive() {
    for part in parts() {
        check(&part);
    }
    check(&Message::new(Role::Assistant, parts()));
}

#[test]
fn requests_survive() {
    // Sorted, because a `Value` on the way sorts keys; text alone keeps any order.
    let schema = r#"{"properties":{"a":{},"z":{}},"type":"object"}"#.parse().unwrap();
    let tools = vec![ToolSpec::function(ToolName::new("t").unwrap(), "d", schema)];
    let request = Request::new("m", vec![Message::user("hi")]).with_system("s").with_tools(tools);
    check(&request);
    check(&request.with_tool_choice(ToolChoice::Named(ToolName::new("t").unwrap())));
}

#[test]
fn the_smallest_request_needs_only_model_and_messages() {
    let request: Request = serde_json::from_str(r#"{"model":"m","messages":[]}"#).unwrap();
    assert_eq!(request, Request::new("m", vec![]));
}

#[test]
fn effects_survive() {
    for effect in [
        Effect::Read { path: "a".into() },
        Effect::Write { path: "a".into(), bytes: None },
        Effect::Delete { path: "a".into() },
        Effect::Spawn { agent: "a".into() },
        Effect::Execute { command: "c".into(), directory: ".".into() },
        Effect::Connect { host: "h".into(), port: 1 },
        Effect::Internal,
        Effect::Unknown,
    ] {
        check(&effect);
    }
}
