//! Parameters between tags: where a value begins and ends.

use serde_json::{Value, json};
use windlass_stream::{CallChunk, Chunk};
use windlass_text_calls::{Dialect, Scanner, TextCallOptions};

use crate::scan::{answer, calls, chunks, splits, tool};

fn options(dialect: Dialect) -> TextCallOptions {
    let schema = r#"{"type":"object","properties":{"path":{"type":"string"},"content":{"type":"string"},
        "line_count":{"type":"integer"}},"required":["path"]}"#;
    TextCallOptions::default().with_dialect(dialect).with_tools([
        tool("write_to_file", schema),
        tool("note", schema),
        tool("stop", "{}"),
    ])
}

/// Checks that a text of a dialect contains one call with these arguments, and this text outside of it.
#[track_caller]
fn check(dialect: Dialect, text: &str, expected: &Value, words: &str) {
    let whole = chunks(&options(dialect), [text]);
    for split in splits(text) {
        assert_eq!(chunks(&options(dialect), split.iter().copied()), whole, "{split:?}");
    }
    let answer = answer(whole);
    assert_eq!(calls(&answer), [("write_to_file".to_owned(), expected.clone())], "{text}");
    assert_eq!(answer.text(), words, "{text}");
}

// X2
#[test]
fn content_goes_up_to_the_last_closing_tag() {
    let check = |content: &str, expected: &str| {
        let text = format!("<write_to_file>\n<path>a</path>\n<content>{content}</content>\n</write_to_file>");
        check(Dialect::Roo, &text, &json!({ "path": "a", "content": expected }), "");
    };
    check("x", "x");
    check("\nx\n", "x");
    check("\n\nx\n\n", "\nx\n");
    check("\r\nx\r\n", "x");
    check("", "");
    check("a</content>b", "a</content>b");
    check("</content></content>", "</content></content>");
    check("<content>a</content>\n<path>b</path>", "<content>a</content>\n<path>b</path>");
    check("<b>&lt;&amp;</b> <write_to_file> </path>", "<b>&lt;&amp;</b> <write_to_file> </path>");
    check("```\n<tool_call>{}</tool_call>\n```", "```\n<tool_call>{}</tool_call>\n```");
}

// X2
#[test]
fn text_after_content_is_read_after_the_call() {
    let text = "<write_to_file><path>a</path><content>b</content><line_count>3</line_count></write_to_file>";
    check(Dialect::Roo, text, &json!({ "path": "a", "content": "b", "line_count": 3 }), "");
    let text = "<write_to_file><content>b</content> odd <path>a</path></write_to_file> after";
    check(Dialect::Roo, text, &json!({ "path": "a", "content": "b" }), "odd  after");
}

#[test]
fn a_look_alike_of_a_closing_tag_stays_in_the_value() {
    let text = "<tool_call>\n<function=write_to_file>\n<parameter=path>\na</parameter> b </function>\n\
        <parameter=x>\n</parameter>\n</function>\n</tool_call>";
    check(Dialect::Qwen3Coder, text, &json!({ "path": "a</parameter> b </function>\n<parameter=x>" }), "");
    let text = "<invoke name=\"write_to_file\"><parameter name=\"path\">a</parameter>b</parameter></invoke>";
    check(Dialect::Invoke, text, &json!({ "path": "a</parameter>b" }), "");
}

#[test]
fn wrappers_and_prefixes_of_invoke_are_understood() {
    let call = |prefix: &str| {
        let parameter = format!("<{prefix}parameter name=\"path\">a</{prefix}parameter>");
        format!("<{prefix}invoke name=\"write_to_file\">\n{parameter}\n</{prefix}invoke>")
    };
    for prefix in ["", concat!("ant", "ml:")] {
        let call = call(prefix);
        let text = format!("Yes.\n<{prefix}function_calls>\n{call}\n</{prefix}function_calls>\n");
        check(Dialect::Invoke, &text, &json!({ "path": "a" }), "Yes.\n");
        check(Dialect::Invoke, &call, &json!({ "path": "a" }), "");
        check(Dialect::Auto, &text, &json!({ "path": "a" }), "Yes.\n");
    }
    let list =
        "<function_calls>[{\"name\": \"write_to_file\", \"arguments\": {\"path\": \"a\"}}]</function_calls>";
    check(Dialect::Invoke, list, &json!({ "path": "a" }), "");
}

// J1: each part of a string is shown as soon as it arrives; a number is shown when it is complete.
#[test]
fn a_string_grows_while_it_is_written_and_a_number_waits() {
    let mut scanner = Scanner::new(options(Dialect::Roo));
    let mut arguments = String::new();
    let mut steps = Vec::new();
    for piece in ["<write_to_file><line_count>1", "2</line_count><content>fn m", "ain\n", "() {"] {
        let mut out = Vec::new();
        scanner.push(piece, &mut out);
        for chunk in out {
            if let Chunk::Call(CallChunk::Delta { arguments: delta, .. }) = chunk {
                arguments.push_str(&delta);
            }
        }
        steps.push(arguments.clone());
    }
    // A newline possibly belongs to the closing tag, so it is held until the next text arrives.
    assert_eq!(
        steps,
        [
            "",
            "{\"line_count\":12,\"content\":\"fn m",
            "{\"line_count\":12,\"content\":\"fn main",
            "{\"line_count\":12,\"content\":\"fn main\\n() {",
        ]
    );
}

#[test]
fn a_parameter_that_the_tool_does_not_have_is_left_to_the_schema() {
    let text = "<write_to_file><file>a</file></write_to_file>";
    check(Dialect::Roo, text, &json!({ "file": "a" }), "");
}

#[test]
fn a_tag_that_no_tool_has_is_text() {
    for text in [
        "<write_to_file> is a tool",
        "<write_to_file><b >bold</b></write_to_file>",
        "<note><b>bold</b></note>",
        "<write_to_files><path>a</path></write_to_files>",
        "<stop",
        "< write_to_file><path>a</path></write_to_file>",
    ] {
        assert_eq!(chunks(&options(Dialect::Roo), [text]), [Chunk::text(text)], "{text}");
    }
    assert_eq!(answer(chunks(&options(Dialect::Roo), ["<stop></stop>"])).good_calls().count(), 1);
}
