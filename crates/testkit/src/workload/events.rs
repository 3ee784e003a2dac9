//! Provider streams with tool calls of 8 KB, whose arguments arrive in deltas of 8 to 24 bytes.

use std::fmt::Write;

use serde_json::Value;

use super::json::w1;
use crate::split::{Cut, SplitMix64, deltas};

const CALL_BYTES: usize = 8_000;

/// An event in a stream of calls.
enum Moment<'a> {
    Start,
    /// The next piece of the arguments, as a JSON string.
    Delta(&'a Value),
    End,
}

/// W5 for OpenAI: `chat.completion.chunk` events of about 375 bytes. Appends whole calls until the stream has
/// at least this many bytes.
pub fn w5_openai(bytes: usize) -> Vec<u8> {
    let event = |text: &mut String, padding: &str, choice: &str| {
        let _ = write!(
            text,
            "data: {{\"id\":\"chatcmpl-Bq7f0aXw3Kd9TzLmE1sRyUcVn2HgJ\",\"object\":\"chat.completion.chunk\",\
             \"created\":1753900000,\"model\":\"gpt-4.1-2025-04-14\",\"service_tier\":\"default\",\
             \"system_fingerprint\":\"fp_51e1070cf2\",\"choices\":[{{\"index\":0,{choice}}}],\
             \"usage\":null,\"obfuscation\":\"{padding}\"}}\n\n"
        );
    };
    let mut text = calls(bytes, |text, random, call, moment| {
        let fields = match moment {
            Moment::Start => format!(
                "\"id\":\"call_{call:024}\",\"type\":\"function\",\
                 \"function\":{{\"name\":\"write_file\",\"arguments\":\"\"}}"
            ),
            Moment::Delta(delta) => format!("\"function\":{{\"arguments\":{delta}}}"),
            Moment::End => return,
        };
        let padding = "abcdefghijklmnop".get(..random.in_range(4, 16)).unwrap_or_default();
        let choice = format!(
            "\"delta\":{{\"tool_calls\":[{{\"index\":{call},{fields}}}]}},\"logprobs\":null,\"finish_reason\":null"
        );
        event(text, padding, &choice);
    });
    event(&mut text, "abcd", "\"delta\":{},\"logprobs\":null,\"finish_reason\":\"tool_calls\"");
    text.push_str("data: [DONE]\n\n");
    text.into_bytes()
}

/// W5 for Anthropic: `input_json_delta` events of about 146 bytes. Appends whole calls until the stream has
/// at least this many bytes.
pub fn w5_anthropic(bytes: usize) -> Vec<u8> {
    let event = |text: &mut String, name: &str, rest: &str| {
        let _ = write!(text, "event: {name}\ndata: {{\"type\":\"{name}\"{rest}}}\n\n");
    };
    let mut text = calls(bytes, |text, _, call, moment| match moment {
        Moment::Start => {
            let block = format!(
                ",\"index\":{call},\"content_block\":{{\"type\":\"tool_use\",\"id\":\"toolu_{call:024}\",\
                 \"name\":\"write_file\",\"input\":{{}}}}"
            );
            event(text, "content_block_start", &block);
        }
        Moment::Delta(delta) => {
            let rest = format!(
                ",\"index\":{call},\"delta\":{{\"type\":\"input_json_delta\",\"partial_json\":{delta}}}"
            );
            event(text, "content_block_delta", &rest);
        }
        Moment::End => event(text, "content_block_stop", &format!(",\"index\":{call}")),
    });
    let stop =
        ",\"delta\":{\"stop_reason\":\"tool_use\",\"stop_sequence\":null},\"usage\":{\"output_tokens\":9000}";
    event(&mut text, "message_delta", stop);
    event(&mut text, "message_stop", "");
    text.into_bytes()
}

/// Renders calls with the same arguments, each split differently, until the stream has at least this many
/// bytes.
fn calls(bytes: usize, mut say: impl FnMut(&mut String, &mut SplitMix64, u64, Moment<'_>)) -> String {
    let arguments = w1(CALL_BYTES);
    let mut random = SplitMix64::new(5);
    let mut text = String::new();
    let mut call = 0;
    while text.len() < bytes {
        say(&mut text, &mut random, call, Moment::Start);
        for delta in deltas(&arguments, Cut::Sixteen, call) {
            say(&mut text, &mut random, call, Moment::Delta(&Value::from(delta)));
        }
        say(&mut text, &mut random, call, Moment::End);
        call += 1;
    }
    text
}
