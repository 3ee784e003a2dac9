//! The conformance kit, as a program runs it on a format of its own.

use windlass_protocol::{
    Arguments, CallId, Message, Part, Request, ResultStatus, ToolCall, ToolName, ToolResult, ToolSpec,
};
use windlass_wire::kit::{WireExamples, check_server, check_wire};
use windlass_wire_anthropic::{Anthropic, AnthropicOptions};

const STREAM: &str = concat!(
    r#"data: {"type":"message_start","message":{"id":"msg_1","role":"assistant","content":[],"usage":{"input_tokens":3,"output_tokens":1}}}"#,
    "\n\n",
    r#"data: {"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}"#,
    "\n\n",
    r#"data: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"I look: ü."}}"#,
    "\n\n",
    r#"data: {"type":"content_block_stop","index":0}"#,
    "\n\n",
    r#"data: {"type":"content_block_start","index":1,"content_block":{"type":"tool_use","id":"toolu_1","name":"read","input":{}}}"#,
    "\n\n",
    r#"data: {"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":"{\"path\""}}"#,
    "\n\n",
    r#"data: {"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":":\"a\"}"}}"#,
    "\n\n",
    r#"data: {"type":"content_block_stop","index":1}"#,
    "\n\n",
    r#"data: {"type":"message_delta","delta":{"stop_reason":"tool_use"},"usage":{"output_tokens":9}}"#,
    "\n\n",
    r#"data: {"type":"message_stop"}"#,
    "\n\n",
);

const WHOLE: &str = r#"{"id":"msg_1","type":"message","role":"assistant","content":[{"type":"text","text":"I look: ü."},
    {"type":"tool_use","id":"toolu_1","name":"read","input":{"path":"a"}}],"stop_reason":"tool_use",
    "usage":{"input_tokens":3,"output_tokens":9}}"#;

#[test]
fn the_format_passes_the_kit() {
    let request = Request::new("claude-1", vec![Message::user("Read a.")]).with_max_output_tokens(100);
    let examples = WireExamples::new(&request, STREAM.as_bytes()).with_whole(WHOLE.as_bytes());
    check_wire(&Anthropic::default(), &examples).unwrap();
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
    Request::new("claude-1", messages)
        .with_system("Be short.")
        .with_tools(vec![ToolSpec::function(name, "Reads a file.", schema.parse().unwrap())])
        .with_max_output_tokens(100)
}

#[test]
fn the_server_passes_the_kit() {
    let wire = Anthropic::new(AnthropicOptions::as_given());
    check_server(&Anthropic::default(), &wire, &conversation()).unwrap();
}
