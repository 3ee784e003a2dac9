//! The conformance kit, as a program runs it on a format of its own.

use windlass_protocol::{
    Arguments, CallId, Message, Part, Request, ResultStatus, ToolCall, ToolName, ToolResult, ToolSpec,
};
use windlass_wire::kit::{WireExamples, check_server, check_wire};
use windlass_wire_gemini::{Gemini, GeminiOptions};

const STREAM: &str = concat!(
    r#"data: {"candidates":[{"content":{"parts":[{"text":"I look"}],"role":"model"}}]}"#,
    "\n\n",
    r#"data: {"candidates":[{"content":{"parts":[{"text":": ü."}],"role":"model"}}]}"#,
    "\n\n",
    r#"data: {"candidates":[{"content":{"parts":[{"functionCall":{"name":"read","args":{"path":"a"}}}],"role":"model"},"finishReason":"STOP"}],"usageMetadata":{"promptTokenCount":3,"candidatesTokenCount":4,"totalTokenCount":7}}"#,
    "\n\n",
);

const WHOLE: &str = r#"{"candidates":[{"content":{"parts":[{"text":"I look: ü."},
    {"functionCall":{"name":"read","args":{"path":"a"}}}],"role":"model"},"finishReason":"STOP"}],
    "usageMetadata":{"promptTokenCount":3,"candidatesTokenCount":4,"totalTokenCount":7}}"#;

#[test]
fn the_format_passes_the_kit() {
    let request = Request::new("gemini-1", vec![Message::user("Read a.")]);
    let examples = WireExamples::new(&request, STREAM.as_bytes()).with_whole(WHOLE.as_bytes());
    check_wire(&Gemini::default(), &examples).unwrap();
}

/// A conversation with a call, and a tool.
fn conversation() -> Request {
    let (id, name) = (CallId::new("call_1").unwrap(), ToolName::new("read").unwrap());
    let arguments = Arguments::parse(r#"{"path":"ä"}"#).unwrap();
    let call = ToolCall::function(id.clone(), name.clone(), arguments);
    let result = ToolResult::text(id, ResultStatus::Ok, "It is \"empty\".");
    let schema = r#"{"type":"object","properties":{"path":{"type":"string"}},"required":["path"]}"#;
    let messages = vec![
        Message::user("Read a."),
        Message::assistant(vec![Part::text("I look: ü."), Part::Call(call)]),
        Message::results(vec![result]),
        Message::user("And now?"),
    ];
    Request::new("gemini-1", messages)
        .with_system("Be short.")
        .with_tools(vec![ToolSpec::function(name, "Reads a file.", schema.parse().unwrap())])
        .with_max_output_tokens(100)
}

#[test]
fn the_server_passes_the_kit() {
    let wire = Gemini::new(GeminiOptions::as_given());
    check_server(&Gemini::default(), &wire, &conversation()).unwrap();
}
