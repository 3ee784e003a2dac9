//! The conformance kit, as a program runs it on a format of its own.

use windlass_protocol::{Message, Request};
use windlass_wire::kit::{WireExamples, check_wire};
use windlass_wire_openai_chat::OpenAiChat;

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
