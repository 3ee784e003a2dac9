//! Thoughts between tags.

use windlass_stream::Chunk;
use windlass_text_calls::{CallsInReasoning, Dialect, Reasoning, TextCallOptions};

use crate::scan::{answer, calls, chunks, splits, thoughts, tool};

const CALL: &str = "<tool_call>{\"name\": \"f\", \"arguments\": {}}</tool_call>";

/// Checks the text, the thoughts and the number of calls of an answer, for every split.
#[track_caller]
fn check(options: &TextCallOptions, text: &str, words: &str, thought: &str, count: usize) {
    let options = options.clone().with_tools([tool("f", "{}")]);
    let whole = chunks(&options, [text]);
    for split in splits(text) {
        assert_eq!(chunks(&options, split.iter().copied()), whole, "{split:?}");
    }
    let answer = answer(whole);
    assert_eq!((answer.text().as_str(), thoughts(&answer).as_str()), (words, thought), "{text}");
    assert_eq!(calls(&answer).len(), count, "{text}");
}

fn split() -> TextCallOptions {
    TextCallOptions::default().with_dialect(Dialect::Hermes).with_reasoning(Reasoning::Split)
}

#[test]
fn reasoning_is_split_off_if_enabled() {
    check(&split(), "<think>hm</think>yes", "yes", "hm", 0);
    check(&split(), "<think>hm</think>\n<think>so</think>yes", "\nyes", "hmso", 0);
    check(&split(), "<think>never ends", "", "never ends", 0);
    check(&split(), "Use the <think> tag.", "Use the <think> tag.", "", 0);
    check(&split(), "```\n<think>a</think>\n```", "```\n<think>a</think>\n```", "", 0);
    check(&TextCallOptions::default(), "<think>hm</think>yes", "<think>hm</think>yes", "", 0);
}

#[test]
fn a_call_inside_reasoning_is_not_a_call() {
    let text = format!("<think>I could {CALL} or not</think>{CALL}");
    check(&split(), &text, "", &format!("I could {CALL} or not"), 1);
    let kept = format!("<think>I could {CALL} or not</think>");
    check(&TextCallOptions::default(), &text, &kept, "", 1);
}

#[test]
fn thoughts_that_the_prompt_opened_have_no_opening_tag() {
    let opened = split().with_reasoning(Reasoning::SplitOpened);
    check(&opened, "hm</think>yes", "yes", "hm", 0);
    check(&opened, "<think>hm</think>yes", "yes", "hm", 0);
    check(&opened, &format!("</think>{CALL}"), "", "", 1);
    check(&opened, &format!("hm {CALL}"), "", &format!("hm {CALL}"), 0);
    let ends = opened.with_calls_in_reasoning(CallsInReasoning::EndReasoning);
    check(&ends, &format!("hm {CALL} ok"), " ok", "hm ", 1);
}

#[test]
fn thoughts_end_with_a_chunk_of_their_own() {
    let all = chunks(&split(), ["<think>hm</think>"]);
    assert_eq!(all, [Chunk::reasoning("hm"), Chunk::ReasoningEnd { opaque: None }]);
}
