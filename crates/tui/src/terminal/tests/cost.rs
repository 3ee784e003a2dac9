//! Bytes and frames of a stream, and the growth of long conversations.

use std::time::Instant;

use serde_json::json;

use super::Window;
use crate::input::Key;

/// Prose of about four bytes for a token.
fn prose(bytes: usize) -> String {
    let mut text = String::new();
    for number in 0_usize.. {
        let end = if number % 60 == 59 { ".\n\n" } else { " " };
        text.push_str(["the", "file", "reader", "returns", "a", "list", "of", "entries"][number * 7 % 8]);
        text.push_str(end);
        if text.len() >= bytes {
            break;
        }
    }
    text
}

#[test]
fn a_stream_of_200_tokens_a_second_writes_three_bytes_for_a_byte() {
    for columns in [40, 80, 120, 200] {
        let mut window = Window::new(columns, 24);
        window.start("write");
        let text = prose(16_000);
        let before = window.written.len();
        // A token every 5 ms.
        window.stream(&text, 4, 5);
        let bytes = window.written.len() - before;
        assert!(bytes <= 3 * text.len(), "{bytes} bytes for {} at {columns} columns", text.len());
        window.end_text(&text);
        window.check();
    }
}

#[test]
fn a_key_is_displayed_within_16_milliseconds_while_a_text_streams() {
    let mut window = Window::new(80, 24);
    window.start("write");
    let text = prose(4_000);
    let letters: Vec<char> = text.chars().collect();
    let (mut offset, mut longest) = (0, 0);
    for (number, piece) in letters.chunks(4).enumerate() {
        let piece: String = piece.iter().collect();
        window.feed(json!({"kind": "text_delta", "turn": 1, "index": 0, "offset": offset, "text": piece}));
        offset += piece.len();
        window.advance(5);
        if number % 40 == 39 {
            window.key(Key::Char('k'));
            let pressed = window.now;
            let count = number / 40 + 1;
            while !window.screen().contains(&"k".repeat(count)) {
                window.advance(1);
            }
            longest = longest.max(window.now - pressed);
        }
    }
    assert!(longest < 16, "{longest} ms");
}

/// Returns the seconds that a conversation of some turns needs, as the log of a session delivers it.
fn open(turns: usize) -> f64 {
    let mut window = Window::new(100, 40);
    window.start("open");
    let text = prose(1_000);
    let began = Instant::now();
    for number in 0..turns {
        let call = format!("c{number}");
        window.feed(json!({"kind": "run_started", "task": format!("task {number}")}));
        window.feed(json!({"kind": "text", "turn": 1, "text": text}));
        window.feed(json!({"kind": "call", "turn": 1, "call": call, "tool": "read_file",
            "arguments": {"path": "a.rs"}}));
        window.feed(json!({"kind": "call_running", "call": call}));
        window.feed(json!({"kind": "result", "call": call, "status": "ok", "text": text}));
        if number % 64 == 0 {
            window.advance(40);
        }
    }
    window.end_run("done");
    began.elapsed().as_secs_f64()
}

#[test]
fn a_longer_session_takes_proportional_time_to_open() {
    open(20);
    let best = |turns| (0..3).map(|_| open(turns)).fold(f64::INFINITY, f64::min);
    let (small, large) = (best(50), best(400));
    assert!(large <= 24.0 * small, "{small} s for 50 turns, {large} s for 400");
}
