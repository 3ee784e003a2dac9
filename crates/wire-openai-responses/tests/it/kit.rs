//! The conformance kit, as a program runs it on a format of its own.

use windlass_protocol::{
    Arguments, CallId, Message, Part, Request, ResultStatus, ToolCall, ToolName, ToolResult, ToolSpec,
};
use windlass_wire::kit::{WireExamples, check_server, check_wire};
use windlass_wire_openai_responses::{OpenAiResponses, OpenAiResponsesOptions};

const STREAM: &str = concat!(
    r#"data: {"type":"response.output_item.added","output_index":0,"item":{"type":"message","id":"m1","role":"assistant","content":[]}}"#,
    "\n\n",
    r#"data: {"type":"response.output_text.delta","item_id":"m1","output_index":0,"content_index":0,"delta":"I look: ü."}"#,
    "\n\n",
    r#"data: {"type":"response.output_item.done","output_index":0,"item":{"type":"message","id":"m1","role":"assistant","content":[{"type":"output_text","text":"I look: ü.","annotations":[]}]}}"#,
    "\n\n",
    r#"data: {"type":"response.output_item.added","output_index":1,"item":{"type":"function_call","id":"f1","call_id":"call_1","name":"read","arguments":""}}"#,
    "\n\n",
    r#"data: {"type":"response.function_call_arguments.delta","item_id":"f1","output_index":1,"delta":"{\"path\":\"a\"}"}"#,
    "\n\n",
    r#"data: {"type":"response.output_item.done","output_index":1,"item":{"type":"function_call","id":"f1","call_id":"call_1","name":"read","arguments":"{\"path\":\"a\"}"}}"#,
    "\n\n",
    r#"data: {"type":"response.completed","response":{"id":"r1","status":"completed","output":[],"usage":{"input_tokens":3,"output_tokens":9,"total_tokens":12}}}"#,
    "\n\n",
);

const WHOLE: &str = r#"{"id":"r1","object":"response","status":"completed","output":[
    {"type":"message","id":"m1","role":"assistant","content":[{"type":"output_text","text":"I look: ü.","annotations":[]}]},
    {"type":"function_call","id":"f1","call_id":"call_1","name":"read","arguments":"{\"path\":\"a\"}"}],
    "usage":{"input_tokens":3,"output_tokens":9,"total_tokens":12}}"#;

#[test]
fn the_format_passes_the_kit() {
    let request = Request::new("gpt-1", vec![Message::user("Read a.")]);
    let examples = WireExamples::new(&request, STREAM.as_bytes()).with_whole(WHOLE.as_bytes());
    check_wire(&OpenAiResponses::default(), &examples).unwrap();
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
    Request::new("gpt-1", messages)
        .with_system("Be short.")
        .with_tools(vec![ToolSpec::function(name, "Reads a file.", schema.parse().unwrap())])
        .with_max_output_tokens(100)
}

#[test]
fn the_server_passes_the_kit() {
    let wire = OpenAiResponses::new(OpenAiResponsesOptions::as_given());
    check_server(&OpenAiResponses::default(), &wire, &conversation()).unwrap();
}
