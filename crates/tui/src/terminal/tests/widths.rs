//! One scene at twenty widths and at each depth of colors, and its screens.

use expect_test::expect_file;
use serde_json::json;
use windlass_screen::{Background, ColorDepth, Theme};

use super::Window;
use crate::input::Key;

const ANSWER: &str = "I read the **file** first: `src/größe.rs` has 日本語, a face 👩, a flag 🇩🇪 \
and العربية.\n\n| name | size | note |\n|:--|--:|---|\n| größe.rs | 12 | short |\n| 日本語.rs | 1400 | a note that \
needs more room than others |\n\n1. *Change* the line\n2. Run the tests\n\n```rust\nfn main() {\n    println!(\"日本\");\n}\n```\n\
Then it is done.\n";

const DIFF: &str =
    "--- a/src/a.rs\n+++ b/src/a.rs\n@@ -1,3 +1,3 @@\n fn a() {\n-    old_name(1);\n+    new_name(1);\n }\n";

/// Plays a task with thoughts, an answer, a question, a command with output, a changed file and an end.
fn play(window: &mut Window) {
    window.start("rename the function and run the tests");
    window.feed(json!({"kind": "reasoning_delta", "turn": 1, "index": 0, "offset": 0,
        "text": "The name is used once.\nSo the change is small."}));
    window.advance(200);
    window.check();
    window.feed(json!({"kind": "reasoning_ended", "turn": 1, "index": 0}));
    for (at, piece) in ANSWER.split_inclusive(' ').enumerate() {
        let offset: usize = ANSWER.split_inclusive(' ').take(at).map(str::len).sum();
        window.feed(json!({"kind": "text_delta", "turn": 1, "index": 0, "offset": offset, "text": piece}));
        window.advance(35);
        window.check();
    }
    window.end_text(ANSWER);
    window.feed(json!({"kind": "call", "turn": 1, "call": "c1", "tool": "run_command",
        "arguments": {"command": "cargo test -p größe"}}));
    window.ask("c1", "cargo test -p größe");
    window.advance(600);
    window.check();
    window.key(Key::Char('y'));
    window.advance(100);
    assert!(window.has_answer());
    window.feed(json!({"kind": "question_closed", "question": "c1", "answer": "approved", "by": "terminal"}));
    window.feed(json!({"kind": "call_running", "call": "c1"}));
    for number in 0..8 {
        let text = format!("test größe::{number} ... ok\n");
        window.feed(json!({"kind": "call_output", "call": "c1", "text": text}));
        window.advance(130);
        window.check();
    }
    window.feed(
        json!({"kind": "result", "call": "c1", "status": "ok", "text": "exit code 0\ntest result: ok"}),
    );
    window.feed(json!({"kind": "turn_diff", "turn": 1, "diff": DIFF}));
    window.feed(json!({"kind": "run_diff", "diff": DIFF}));
    window.end_run("Renamed.");
    window.send("/diff run");
    window.advance(100);
    window.check();
}

/// Returns twenty widths from 40 to 200.
fn widths() -> impl Iterator<Item = u16> {
    (0..20).map(|at| 40 + at * 160 / 19)
}

#[test]
fn a_scene_at_twenty_widths_rewrites_nothing() {
    for columns in widths() {
        for rows in [12, 24, 50] {
            let mut window = Window::new(columns, rows);
            play(&mut window);
            let text = window.text();
            for words in ["So the change", "Then it is done.", "Renamed.", "new_name"] {
                assert!(text.matches(words).count() <= 1, "{words} at {columns} columns:\n{text}");
            }
            for words in ["Then it is done.", "Renamed.", "new_name"] {
                assert!(text.contains(words), "{words} at {columns} columns:\n{text}");
            }
        }
    }
}

#[test]
fn the_screens_at_three_widths() {
    for (columns, file) in [
        (40, expect_file!["screens/40.txt"]),
        (80, expect_file!["screens/80.txt"]),
        (200, expect_file!["screens/200.txt"]),
    ] {
        let mut window = Window::new(columns, 24);
        play(&mut window);
        let mut text = window.text();
        text.push('\n');
        file.assert_eq(&text);
    }
}

/// Returns the parameters of all sequences that set a style.
fn list_styles(bytes: &[u8]) -> Vec<Vec<u16>> {
    let text = String::from_utf8_lossy(bytes);
    let sequences = text.split("\x1b[").skip(1).filter_map(|rest| {
        let end = rest.find(|letter: char| !letter.is_ascii_digit() && letter != ';')?;
        rest[end..]
            .starts_with('m')
            .then(|| rest[..end].split(';').map(|code| code.parse().unwrap_or(0)).collect())
    });
    sequences.collect()
}

#[test]
fn each_depth_of_colors_has_the_same_texts_and_only_its_own_codes() {
    let mut texts = Vec::new();
    for depth in [ColorDepth::None, ColorDepth::Ansi16, ColorDepth::Ansi256, ColorDepth::TrueColor] {
        for background in [Background::Dark, Background::Light] {
            let mut window = Window::with_theme(80, 24, Theme::new(depth, background));
            play(&mut window);
            texts.push(window.text());
            let styles = list_styles(&window.written);
            let has = |codes: &[u16]| {
                styles.iter().any(|style| style.windows(codes.len()).any(|window| window == codes))
            };
            let is_indexed = has(&[38, 5]) || has(&[48, 5]);
            let is_rgb = has(&[38, 2]) || has(&[48, 2]);
            let has_color = is_indexed
                || is_rgb
                || styles
                    .iter()
                    .flatten()
                    .any(|code| matches!(code, 30..=37 | 40..=47 | 90..=97 | 100..=107));
            match depth {
                ColorDepth::None => assert!(!has_color && !styles.is_empty(), "{styles:?}"),
                ColorDepth::Ansi16 => assert!(has_color && !is_indexed && !is_rgb, "{styles:?}"),
                ColorDepth::Ansi256 => assert!(is_indexed && !is_rgb, "{styles:?}"),
                ColorDepth::TrueColor => assert!(is_rgb, "{styles:?}"),
            }
        }
    }
    texts.dedup();
    assert_eq!(texts.len(), 1, "{}", texts.join("\n=====\n"));
}
