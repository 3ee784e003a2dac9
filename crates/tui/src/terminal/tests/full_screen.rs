//! A conversation that has the whole screen.

use expect_test::expect;
use serde_json::json;

use super::Window;
use crate::input::{Input, Key, Scroll};

/// A paragraph for each number.
fn text(count: usize) -> String {
    (0..count).fold(String::new(), |text, at| text + &format!("Paragraph {at:03} with some words.\n\n"))
}

#[test]
fn the_view_is_at_the_bottom_and_earlier_rows_are_a_page_away() {
    let mut window = Window::full_screen(60, 14);
    window.start("write");
    let words = text(20);
    window.stream(&words, 9, 5);
    window.end_text(&words);
    window.end_run(&words);
    expect![[r"
        Paragraph 014 with some words.

        Paragraph 015 with some words.

        Paragraph 016 with some words.

        Paragraph 017 with some words.

        Paragraph 018 with some words.

        Paragraph 019 with some words.

        › describe a task; /help lists the commands
        scripted-1 · code · 1.2k in, 34 out"]]
    .assert_eq(&window.screen());
    window.key(Key::Scroll(Scroll::PageUp));
    window.advance(20);
    expect![[r"
        Paragraph 010 with some words.

        Paragraph 011 with some words.

        Paragraph 012 with some words.

        Paragraph 013 with some words.

        Paragraph 014 with some words.

         9 rows below · PageDown · Ctrl-End: the newest

        › describe a task; /help lists the commands
        scripted-1 · code · 1.2k in, 34 out"]]
    .assert_eq(&window.screen());
    window.apply(Input::Wheel(Scroll::Up));
    window.advance(20);
    assert!(window.screen().contains("12 rows below"), "{}", window.screen());
    window.key(Key::Scroll(Scroll::End));
    window.advance(20);
    assert!(window.screen().contains("Paragraph 019") && !window.screen().contains("below"));
}

#[test]
fn a_stream_writes_three_bytes_for_a_byte() {
    for columns in [40, 80, 120, 200] {
        let mut window = Window::full_screen(columns, 24);
        window.start("write");
        let words = text(400);
        let before = window.written.len();
        window.stream(&words, 4, 5);
        let bytes = window.written.len() - before;
        assert!(bytes <= 3 * words.len(), "{bytes} bytes for {} at {columns} columns", words.len());
    }
}

#[test]
fn the_wheel_does_not_disturb_a_question_and_a_key_does() {
    let mut window = Window::full_screen(80, 24);
    window.start("run it");
    window.stream(&text(30), 40, 5);
    window.end_text(&text(30));
    window.ask("q", "touch c");
    window.advance(2_000);
    for _ in 0..5 {
        window.apply(Input::Wheel(Scroll::Up));
    }
    window.advance(20);
    // The question stays at the bottom while earlier rows are read.
    assert!(window.screen().contains("y yes, once") && window.screen().contains("rows below"));
    window.key(Key::Char('y'));
    window.advance(100);
    assert!(window.has_answer());
    let mut window = Window::full_screen(80, 24);
    window.start("run it");
    window.ask("q", "touch c");
    window.advance(2_000);
    window.key(Key::Scroll(Scroll::PageUp));
    window.key(Key::Char('y'));
    window.advance(2_000);
    assert!(!window.has_answer());
}

#[test]
fn rapid_resizes_keep_all_rows_reachable() {
    let mut window = Window::full_screen(100, 24);
    window.start("list");
    let words = text(60);
    let letters: Vec<char> = words.chars().collect();
    let mut offset = 0;
    for (at, piece) in letters.chunks(12).enumerate() {
        let piece: String = piece.iter().collect();
        window.feed(json!({"kind": "text_delta", "turn": 1, "index": 0, "offset": offset, "text": piece}));
        offset += piece.len();
        let step = u16::try_from(at).unwrap();
        window.resize(40 + step * 37 % 160, 10 + step * 7 % 20);
        window.advance(25);
    }
    window.end_text(&words);
    window.end_run(&words);
    window.resize(80, 24);
    window.advance(40);
    let mut seen = window.screen();
    assert!(seen.contains("Paragraph 059"), "{seen}");
    for _ in 0..20 {
        window.key(Key::Scroll(Scroll::PageUp));
        window.advance(40);
        seen.push('\n');
        seen.push_str(&window.screen());
    }
    for at in 0..60 {
        assert!(seen.contains(&format!("Paragraph {at:03} with some words.")), "{at} in\n{seen}");
    }
}
