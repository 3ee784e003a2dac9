//! The conformance kit, as a program runs it on a format of its own.

use windlass_protocol::{Message, Request};
use windlass_wire::kit::{WireExamples, check_wire};
use windlass_wire_gemini::Gemini;

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
