//! The properties of the test kit, on texts that are made of the markers of dialects.

use windlass_testkit::oracle::{self, Oracle};
use windlass_testkit::split::SplitMix64;

const PIECES: &[&str] = &[
    "f",
    "write",
    "path",
    "content",
    "n",
    "x",
    " ",
    "\n",
    "\r\n",
    "é",
    "1",
    "-2.5",
    "true",
    "null",
    "\"",
    "'",
    "\\",
    "\\u00",
    "{",
    "}",
    "[",
    "]",
    "(",
    ")",
    ":",
    ",",
    "=",
    ";",
    "`",
    "```",
    "~~~",
    "```json\n",
    "<",
    ">",
    "</",
    "/>",
    "{\"name\":",
    "\"f\"",
    "\"g\"",
    "\"arguments\":",
    "{}",
    "{\"path\":\"a\"}",
    "\"parameters\":",
    "\"content\":\"w\"",
    "\"toolCalls\":[",
    "\"function\":",
    "\"type\":\"function\",",
    "\"needsMoreWork\":true",
    "<f>",
    "</f>",
    "<write>",
    "</write>",
    "<path>",
    "</path>",
    "<content>",
    "</content>",
    "<n>",
    "</n>",
    "<tool_call>",
    "</tool_call>",
    "<function=f>",
    "<function=g>",
    "</function>",
    "<parameter=path>",
    "<parameter=n>",
    "</parameter>",
    "<function_calls>",
    "</function_calls>",
    "<invoke name=\"f\">",
    "</invoke>",
    "<parameter name=\"path\">",
    "<parameter name=\"n\">",
    "<｜DSML｜function_calls>",
    "<｜DSML｜invoke name=\"f\">",
    "<｜DSML｜parameter name=\"n\" string=\"false\">",
    "</｜DSML｜parameter>",
    "</｜DSML｜invoke>",
    "<minimax:tool_call>",
    "<seed:tool_call>",
    "</seed:tool_call>",
    "<arg_key>",
    "</arg_key>",
    "<arg_value>",
    "</arg_value>",
    "]<]minimax[>[<tool_call>",
    "]<]minimax[>[<invoke name=\"f\">",
    "]<]minimax[>[<any>",
    "]<]minimax[>[</any>",
    "]<]minimax[>[</invoke>",
    "<function name=\"f\">",
    "<param name=\"path\">",
    "</param>",
    "<![CDATA[",
    "]]>",
    "<|open|>call tool=\"f\" index=\"1\"<|sep|>",
    "<|open|>argument key=\"n\" type=\"number\"<|sep|>",
    "<|close|>argument<|sep|>",
    "<|close|>call<|sep|>",
    "<|open|>response<|sep|>",
    "<|tool_call|>",
    "<TOOLCALL>",
    "</TOOLCALL>",
    "<tool_calls>",
    "</tool_calls>",
    "<|tools_prefix|>",
    "<|tools_suffix|>",
    "<|START_ACTION|>",
    "<|END_ACTION|>",
    "functools",
    "<|function_call|>",
    "Action:",
    "[TOOL_CALLS]",
    "[ARGS]",
    "[CALL_ID]1",
    "<｜tool▁calls▁begin｜>",
    "<｜tool▁call▁begin｜>",
    "<｜tool▁sep｜>",
    "<｜tool▁call▁end｜>",
    "function",
    "<|tool_call_begin|>",
    "functions.f:0",
    "<|tool_call_argument_begin|>",
    "<|tool_call_end|>",
    ">>>",
    ">>>all\n",
    "<|channel|>",
    "commentary",
    "analysis",
    " to=functions.f",
    "<|message|>",
    "<|end|>",
    "<|start|>assistant",
    "<|call|>",
    "<|tool_call>call:",
    "<tool_call|>",
    "<|\"|>",
    "<|tool_call_start|>",
    "<|tool_call_end|>",
    "<|python_tag|>",
    "f(n=1",
    "f(",
    "<think>",
    "</think>",
    "[THINK]",
    "[/THINK]",
    "<|START_THINKING|>",
    "<|END_THINKING|>",
    "<channel|>",
    "<|channel>thought\n",
];

#[track_caller]
fn check(property: Oracle, seed: u64) {
    let mut random = SplitMix64::new(seed);
    for _ in 0..CASES {
        let length = random.in_range(1, 14);
        let mut bytes = vec![u8::try_from(random.in_range(0, 255)).unwrap()];
        for _ in 0..length {
            bytes.extend_from_slice(random.pick(PIECES).as_bytes());
        }
        let shown = String::from_utf8_lossy(&bytes[1..]).into_owned();
        let failed = std::panic::catch_unwind(|| property(&bytes)).is_err();
        assert!(!failed, "{} {shown:?}", bytes[0]);
    }
}

const CASES: usize = 300;

// S14, X1, X3
#[test]
fn texts_made_of_tags_keep_the_properties() {
    check(oracle::text_calls_tags, 1);
}

#[test]
fn texts_made_of_json_between_marks_keep_the_properties() {
    check(oracle::text_calls_envelopes, 2);
}

#[test]
fn texts_made_of_marks_and_code_keep_the_properties() {
    check(oracle::text_calls_markers, 3);
}

#[test]
fn texts_made_of_json_alone_keep_the_properties() {
    check(oracle::text_calls_bare, 4);
}
