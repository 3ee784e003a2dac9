//! Common practice: eventsource-stream for events, serde structs with every field that a provider may send,
//! and the arguments collected in a `String` that jiter parses again after each delta.

use serde::Deserialize;
use serde_json::Value;

use super::Counts;
use crate::work::events::{Chunks, drain};
use crate::work::jiter_partial::{keys_and_content, parse};

pub(super) fn openai(stream: &'static [u8], chunk: usize) -> Counts {
    let mut calls = Calls::default();
    events(stream, chunk, |data| {
        if data == "[DONE]" {
            return;
        }
        let event: ChatChunk = serde_json::from_str(data).expect("the workload is of this format");
        for choice in event.choices {
            for delta in choice.delta.tool_calls.into_iter().flatten() {
                calls.push(delta.index, &delta.function.unwrap_or_default().arguments.unwrap_or_default());
            }
        }
    });
    calls.told.end()
}

pub(super) fn anthropic(stream: &'static [u8], chunk: usize) -> Counts {
    let mut calls = Calls::default();
    events(stream, chunk, |data| {
        let event: MessageEvent = serde_json::from_str(data).expect("the workload is of this format");
        if let MessageEvent::ContentBlockDelta { index, delta: Delta::InputJsonDelta { partial_json } } =
            event
        {
            calls.push(index, &partial_json);
        }
    });
    calls.told.end()
}

fn events(stream: &'static [u8], chunk: usize, mut on_data: impl FnMut(&str)) {
    let chunks = Chunks::new(stream, chunk, |chunk| chunk);
    drain(eventsource_stream::EventStream::new(chunks), |event| {
        on_data(&event.expect("the workload is a stream of events").data);
    });
}

/// The collected arguments of each call.
#[derive(Default)]
struct Calls {
    arguments: Vec<String>,
    told: Counts,
}

impl Calls {
    fn push(&mut self, index: usize, delta: &str) {
        if delta.is_empty() {
            return;
        }
        if self.arguments.len() <= index {
            self.arguments.resize(index + 1, String::new());
        }
        let text = &mut self.arguments[index];
        text.push_str(delta);
        self.told.look(index as u64, parse(text).map(|value| keys_and_content(&value)));
    }
}

#[derive(Deserialize)]
#[expect(dead_code, reason = "a client's struct has what a provider may send, read here or not")]
struct ChatChunk {
    id: String,
    object: String,
    created: u64,
    model: String,
    service_tier: Option<String>,
    system_fingerprint: Option<String>,
    choices: Vec<Choice>,
    usage: Option<Value>,
    obfuscation: Option<String>,
}

#[derive(Deserialize)]
#[expect(dead_code, reason = "a client's struct has what a provider may send, read here or not")]
struct Choice {
    index: u32,
    delta: ChatDelta,
    logprobs: Option<Value>,
    finish_reason: Option<String>,
}

#[derive(Deserialize)]
#[expect(dead_code, reason = "a client's struct has what a provider may send, read here or not")]
struct ChatDelta {
    role: Option<String>,
    content: Option<String>,
    refusal: Option<String>,
    tool_calls: Option<Vec<CallDelta>>,
}

#[derive(Deserialize)]
#[expect(dead_code, reason = "a client's struct has what a provider may send, read here or not")]
struct CallDelta {
    index: usize,
    id: Option<String>,
    r#type: Option<String>,
    function: Option<FunctionDelta>,
}

#[derive(Deserialize, Default)]
#[expect(dead_code, reason = "a client's struct has what a provider may send, read here or not")]
struct FunctionDelta {
    name: Option<String>,
    arguments: Option<String>,
}

#[derive(Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
#[expect(dead_code, reason = "a client's struct has what a provider may send, read here or not")]
enum MessageEvent {
    ContentBlockStart { index: usize, content_block: Block },
    ContentBlockDelta { index: usize, delta: Delta },
    ContentBlockStop { index: usize },
    MessageDelta { delta: Value, usage: Option<Value> },
    MessageStop,
    MessageStart { message: Value },
    Ping,
}

#[derive(Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
#[expect(dead_code, reason = "a client's struct has what a provider may send, read here or not")]
enum Block {
    Text { text: String },
    ToolUse { id: String, name: String, input: Value },
}

#[derive(Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
#[expect(dead_code, reason = "a client's struct has what a provider may send, read here or not")]
enum Delta {
    TextDelta { text: String },
    InputJsonDelta { partial_json: String },
}
