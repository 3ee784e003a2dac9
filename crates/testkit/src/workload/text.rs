//! Output of a model without native tool calls: prose, and calls as text between tags.

use std::fmt::Write;

use super::json::w1u;
use crate::split::SplitMix64;

const WORDS: &[&str] = &[
    "the", "file", "is", "read", "once", "and", "then", "every", "line", "goes", "through", "a", "check",
    "that", "looks", "for", "what", "changed", "since", "last", "time",
];

/// Lines of prose with a `<`, a brace or a backtick about every 300 bytes, none of which starts a call.
pub fn prose(bytes: usize) -> String {
    let mut random = SplitMix64::new(6);
    let mut text = String::new();
    while text.len() < bytes {
        let line = text.len() + random.in_range(60, 100);
        while text.len() < line {
            text.push_str(random.pick(WORDS));
            text.push_str(random.pick(&[" ", " ", " ", ", ", ". "]));
        }
        text.push_str(random.pick(&["\n", "\n", "\n\n", "if a < b.\n", "in a `Vec<T>`, é.\n", "as {x}.\n"]));
    }
    text
}

/// Calls in the syntax of Hermes and Qwen: 2 KB of JSON between `<tool_call>` tags, with a short line between
/// two calls. Contains no surrogate escapes, because other parsers of such text refuse them.
pub fn text_calls(bytes: usize) -> String {
    let arguments = w1u(2_000);
    let mut text = String::from("I write the files.\n");
    while text.len() < bytes {
        // Writing to a `String` cannot fail.
        let _ = writeln!(
            text,
            "<tool_call>\n{{\"name\": \"write_file\", \"arguments\": {arguments}}}\n</tool_call>\nNow the next."
        );
    }
    text
}
