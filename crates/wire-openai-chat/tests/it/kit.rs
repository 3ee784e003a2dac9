//! The conformance kit, as a program runs it on a format of its own.

use windlass_protocol::{
    Arguments, CallId, Message, Part, Request, ResultStatus, ToolCall, ToolName, ToolResult, ToolSpec,
};
use windlass_wire::kit::{WireExamples, check_server, check_wire};
use windlass_wire_openai_chat::{OpenAiChat, OpenAiChatOptions};

const STREAM: &str = concat!(
    r#"data: {"choices":[{"index":0,"delta":{"role":"assistant","content":"I look: ü."}}]}"#,
    "\n\n",
    r#"data: {"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"call_1","type":"function","function":{"name":"read","arguments":""}}]}}]}"#,
    "\n\n",
    r#"data: {"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"{\"path\":\"a\"}"}}]}}]}"#,
    "\n\n",
    r#"data: {"choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]}"#,
    "\n\n",
    r#"data: {"choices":[],"usage":{"prompt_tokens":3,"completion_tokens":9,"total_tokens":12}}"#,
    "\n\ndata: [DONE]\n\n",
);

const WHOLE: &str = r#"{"choices":[{"index":0,"message":{"role":"assistant","content":"I look: ü.","tool_calls":[
    {"id":"call_1","type":"function","function":{"name":"read","arguments":"{\"path\":\"a\"}"}}]},
    "finish_reason":"tool_calls"}],"usage":{"prompt_tokens":3,"completion_tokens":9,"total_tokens":12}}"#;

#[test]
fn the_format_passes_the_kit() {
    let request = Request::new("gpt-1", vec![Message::user("Read a.")]);
    let examples = WireExamples::new(&request, STREAM.as_bytes()).with_whole(WHOLE.as_bytes());
    check_wire(&OpenAiChat::default(), &examples).unwrap();
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
    let wire = OpenAiChat::new(OpenAiChatOptions::as_given());
    // Without this field a stream has no usage.
    let mut request = conversation();
    request.options.extra.insert("stream_options".to_owned(), serde_json::json!({ "include_usage": true }));
    check_server(&OpenAiChat::default(), &wire, &request).unwrap();
}
