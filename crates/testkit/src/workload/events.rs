//! Provider streams: tool calls of 8 KB whose arguments come in deltas of 8 to 24 bytes.

use std::fmt::Write;

use serde_json::Value;

use super::json::w1;
use crate::split::{Cut, SplitMix64, deltas};

const CALL_BYTES: usize = 8_000;

/// W5 openai: `chat.completion.chunk` events of about 375 bytes, until the stream has this many bytes.
pub fn w5_openai(bytes: usize) -> Vec<u8> {
    stream(bytes, |text, random, delta| {
        let padding = "abcdefghijklmnop".get(..random.between(4, 16)).unwrap_or_default();
        let _ = write!(
            text,
            "data: {{\"id\":\"chatcmpl-Bq7f0aXw3Kd9TzLmE1sRyUcVn2HgJ\",\"object\":\"chat.completion.chunk\",\
             \"created\":1753900000,\"model\":\"gpt-4.1-2025-04-14\",\"service_tier\":\"default\",\
             \"system_fingerprint\":\"fp_51e1070cf2\",\"choices\":[{{\"index\":0,\"delta\":{{\"tool_calls\":\
             [{{\"index\":0,\"function\":{{\"arguments\":{delta}}}}}]}},\"logprobs\":null,\
             \"finish_reason\":null}}],\"usage\":null,\"obfuscation\":\"{padding}\"}}\n\n"
        );
    })
}

/// W5 anthropic: `input_json_delta` events of about 146 bytes, until the stream has this many bytes.
pub fn w5_anthropic(bytes: usize) -> Vec<u8> {
    stream(bytes, |text, _, delta| {
        let _ = write!(
            text,
            "event: content_block_delta\ndata: {{\"type\":\"content_block_delta\",\"index\":1,\
             \"delta\":{{\"type\":\"input_json_delta\",\"partial_json\":{delta}}}}}\n\n"
        );
    })
}

fn stream(bytes: usize, mut event: impl FnMut(&mut String, &mut SplitMix64, &Value)) -> Vec<u8> {
    let arguments = w1(CALL_BYTES);
    let mut random = SplitMix64::new(5);
    let mut text = String::new();
    let mut seed = 0;
    while text.len() < bytes {
        for delta in deltas(&arguments, Cut::Sixteen, seed) {
            event(&mut text, &mut random, &Value::from(delta));
        }
        seed += 1;
    }
    text.into_bytes()
}
