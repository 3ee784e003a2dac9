//! The conformance kit, as a program runs it on a format of its own.

use windlass_protocol::{Message, Request};
use windlass_wire::kit::{WireExamples, check_wire};
use windlass_wire_openai_responses::OpenAiResponses;

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
