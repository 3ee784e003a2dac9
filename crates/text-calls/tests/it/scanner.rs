//! The scanner beside the dialects: order, limits, other chunks.

use serde_json::json;
use windlass_protocol::{StopReason, Usage};
use windlass_stream::{CallChunk, CallKey, Chunk};
use windlass_text_calls::{Dialect, LimitError, Scanner, TextCallLimits, TextCallOptions};

use crate::scan::{answer, calls, chunks, merged, splits, tool};

const CALL: &str = "<tool_call>{\"name\": \"f\", \"arguments\": {\"a\": 1}}</tool_call>";

fn options() -> TextCallOptions {
    TextCallOptions::default().with_tools([
        tool("f", "{}"),
        tool("g", r#"{"type":"object","properties":{"n":{"type":"integer"}}}"#),
    ])
}

// P4
#[test]
fn text_and_calls_keep_their_order() {
    let kinds: Vec<&str> = chunks(&options(), [format!("a{CALL}b{CALL}").as_str()])
        .iter()
        .map(|chunk| match chunk {
            Chunk::Text { .. } => "text",
            Chunk::Call(CallChunk::Start { .. }) => "start",
            Chunk::Call(CallChunk::End { .. }) => "end",
            _ => "delta",
        })
        .collect();
    assert_eq!(kinds, ["text", "start", "delta", "end", "text", "start", "delta", "end"]);
}

#[test]
fn other_chunks_pass_in_their_order() {
    let mut scanner = Scanner::new(options());
    let native = CallChunk::Whole {
        id: None,
        name: "f".to_owned(),
        body: windlass_stream::WholeCall::Arguments("{}".to_owned()),
        opaque: None,
    };
    let finish = Chunk::Finish { reason: StopReason::End, raw: "stop".to_owned() };
    let given = [
        Chunk::text("a <tool_"),
        Chunk::Usage { usage: Usage::default() },
        Chunk::Call(native.clone()),
        Chunk::text(CALL),
        Chunk::text("<tool"),
        finish.clone(),
    ];
    let mut out = Vec::new();
    for chunk in given {
        scanner.push_chunk(chunk, &mut out);
    }
    scanner.finish(&mut out);
    let out = merged(out);
    assert_eq!(out[0], Chunk::text("a "));
    assert!(matches!(out[1], Chunk::Usage { .. }));
    assert_eq!(out[2], Chunk::text("<tool_"), "what a native call interrupts is text");
    assert_eq!(out[3], Chunk::Call(native));
    assert_eq!(&out[7..], [Chunk::text("<tool"), finish]);
}

#[test]
fn keys_are_far_from_those_of_providers() {
    let all = chunks(&options(), [CALL]);
    assert!(matches!(all[0], Chunk::Call(CallChunk::Start { key: CallKey(key), .. }) if key > 10_000));
}

// S16
#[test]
fn calls_over_a_limit_become_text_and_are_reported() {
    let limited = |limits: TextCallLimits, text: &str| {
        let mut scanner = Scanner::new(options().with_limits(limits));
        let mut out = Vec::new();
        scanner.push(text, &mut out);
        scanner.finish(&mut out);
        (merged(out), scanner.limit_error())
    };
    let calls = TextCallLimits { calls: 1, ..TextCallLimits::default() };
    let (out, exceeded) = limited(calls, &format!("{CALL} {CALL}"));
    assert_eq!(out.last(), Some(&Chunk::text(format!(" {CALL}"))));
    assert_eq!(exceeded, Some(LimitError::Calls { limit: 1 }));

    let held = TextCallLimits { held_bytes: 64, ..TextCallLimits::default() };
    let late = format!("<tool_call>{{\"arguments\": \"{}\", \"name\": \"f\"}}</tool_call>", "x".repeat(100));
    let (out, exceeded) = limited(held, &late);
    assert_eq!(out, [Chunk::text(late.as_str())]);
    assert_eq!(exceeded, Some(LimitError::Held { limit: 64 }));

    let value = TextCallLimits { value_bytes: 8, ..TextCallLimits::default() };
    let (out, exceeded) = limited(value, "<g><n>123456789</n></g>");
    assert_eq!(exceeded, Some(LimitError::Value { limit: 8 }));
    assert_eq!(answer(out).good_calls().count(), 0, "half a value is never run");
}

// S16
#[test]
fn deep_or_endless_input_neither_recurses_nor_accumulates() {
    let deep = format!("[g(n={})]", "[".repeat(20_000));
    let mut texts = vec![
        "<tool_call>{\"name\": \"f\", \"arguments\": ".to_owned() + &"[".repeat(20_000),
        "[".repeat(20_000),
        "{\"function\":".repeat(10_000),
        "<".repeat(20_000),
        "`".repeat(20_000),
        "<f>".repeat(10_000),
        "]<]minimax[>[<invoke name=\"g\">".to_owned() + &"]<]minimax[>[<n>".repeat(20_000),
        "<tool_call>".repeat(10_000),
        "<|channel|>".repeat(10_000),
    ];
    texts.push(deep);
    for text in texts {
        let options = options().with_dialect(Dialect::Auto);
        let whole = chunks(&options, [text.as_str()]);
        let pieces = windlass_testkit::split::deltas(&text, windlass_testkit::split::Cut::Ragged, 7);
        assert_eq!(chunks(&options, pieces), whole, "{}", &text[..40]);
    }
}

// X6
#[test]
fn json_calls_are_found_with_any_string_contents() {
    for (text, arguments) in [
        (r#"{"name": "f", "arguments": {"a": "}]\"{</tool_call>"}}"#, json!({ "a": "}]\"{</tool_call>" })),
        (r#"{"arguments": {"a": 1}, "name": "f"}"#, json!({ "a": 1 })),
        (r#"{"id": "x", "name": "f", "parameters": {}}"#, json!({})),
        (r#"{"name": "f"}"#, json!({})),
        (r#"{"name": "f", "arguments": null}"#, json!({})),
        (r#"{"type": "function", "function": {"name": "f", "arguments": "{\"a\": 1}"}}"#, json!({ "a": 1 })),
        (r#"[{"name": "f", "arguments": {"a": [1, {"b": "]"}]}}]"#, json!({ "a": [1, { "b": "]" }] })),
    ] {
        for written in [format!("<tool_call>\n{text}\n</tool_call>"), format!("Now:\n{text}\n")] {
            let whole = chunks(&options(), [written.as_str()]);
            for split in splits(&written) {
                assert_eq!(chunks(&options(), split.iter().copied()), whole, "{split:?}");
            }
            assert_eq!(calls(&answer(whole)), [("f".to_owned(), arguments.clone())], "{written}");
        }
    }
}

#[test]
fn calls_as_code_are_found_in_lists_lines_and_tags() {
    let found = |dialect: Dialect, text: &str| {
        let whole = chunks(&options().with_dialect(dialect), [text]);
        for split in splits(text) {
            assert_eq!(chunks(&options().with_dialect(dialect), split.iter().copied()), whole, "{split:?}");
        }
        let answer = answer(whole);
        assert_eq!(answer.text().trim(), "", "{text}");
        calls(&answer)
    };
    let both = [("f".to_owned(), json!({ "a": "x\n'\"é" })), ("g".to_owned(), json!({ "n": 3 }))];
    for text in [
        "[f(a='x\\n\\'\"é'), g(n=3)]",
        "<function_calls>\nf(a=\"\"\"x\n'\"é\"\"\")\ng(3)\n</function_calls>",
        "```tool_code\nf(a=\"x\\n'\\\"\\u00e9\")\ng( n = 3, )\n```",
    ] {
        assert_eq!(found(Dialect::Pythonic, text), both, "{text}");
    }
    let values =
        "[f(a={'k': [1, -2.5, True, None], 'e': (), \"n\": 1_000}, b='', c=\"\"\"\"\"\", d='\\x41\\q')]";
    let expected =
        json!({ "a": { "k": [1, -2.5, true, null], "e": [], "n": 1000 }, "b": "", "c": "", "d": "A\\q" });
    assert_eq!(found(Dialect::Pythonic, values), [("f".to_owned(), expected)]);
}

// X1, X6
#[test]
fn of_a_list_only_the_calls_on_offer_are_calls() {
    let text = r#"<tool_call>[{"name": "f", "arguments": {}}, {"name": "no", "arguments": {}}, {"name": "g"}]</tool_call>"#;
    let answer = answer(chunks(&options(), [text]));
    let names: Vec<String> = calls(&answer).into_iter().map(|(name, _)| name).collect();
    assert_eq!(names, ["f", "g"]);
    assert_eq!(answer.text(), r#"{"name": "no", "arguments": {}}"#);
}

// X6
#[test]
fn a_structured_answer_is_parsed_into_text_and_calls() {
    let structured = options().with_dialect(Dialect::Structured);
    let text = r#"{"content": "I \"look\".\né\u00e9", "toolCalls": [{"name": "f", "arguments": {"a": 1}}], "needsMoreWork": true}"#;
    let whole = chunks(&structured, [text]);
    for split in splits(text) {
        assert_eq!(chunks(&structured, split.iter().copied()), whole, "{split:?}");
    }
    let told = answer(whole);
    assert_eq!(told.text(), "I \"look\".\néé");
    assert_eq!(calls(&told), [("f".to_owned(), json!({ "a": 1 }))]);
    let mut scanner = Scanner::new(structured.clone());
    scanner.push(text, &mut Vec::new());
    assert_eq!(scanner.needs_more_work(), Some(true));

    let only_words = chunks(&structured, [r#"{"content": "Done.", "needsMoreWork": false}"#]);
    assert_eq!(only_words, [Chunk::text("Done.")]);
    let auto = answer(chunks(&options(), [text]));
    assert_eq!((auto.text(), calls(&auto).len()), (told.text(), 1));
}

#[test]
fn a_json_fence_is_a_call_only_in_the_json_dialect() {
    let call = r#"{"name": "f", "arguments": {"a": 1}}"#;
    let fenced = format!("```json\n{call}\n```\n");
    let json = options().with_dialect(Dialect::Json);
    let found = |options: &TextCallOptions, text: &str| calls(&answer(chunks(options, [text]))).len();
    assert_eq!(found(&json, &format!("I call:\n{fenced}and again:\n{fenced}")), 2);
    assert_eq!(found(&options(), &fenced), 1, "an answer that begins with it");
    assert_eq!(found(&options(), &format!("For example:\n{fenced}")), 0);
    let example = "```json\n{\"name\": \"else\"}\n```\nand\n~~~\n```json\n{\"name\": \"f\"}\n```\n~~~\n";
    assert_eq!(chunks(&json, [example]), [Chunk::text(example)]);
}
