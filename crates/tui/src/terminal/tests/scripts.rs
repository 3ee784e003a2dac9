//! Texts whose width differs between terminals: wide letters, joined emoji, right-to-left letters, marks.

use proptest::prelude::*;
use serde_json::json;

use super::Window;
use crate::input::{Input, Key};

const PIECES: [&str; 16] = [
    "word",
    "日本語",
    "한국어",
    "👨\u{200d}👩\u{200d}👧\u{200d}👦",
    "👩🏽\u{200d}🌾",
    "👍🏽",
    "❤\u{fe0f}",
    "🇩🇪",
    "1\u{fe0f}\u{20e3}",
    "العربية",
    "می\u{200c}خواهم",
    "שלום",
    "क्ष्म",
    "e\u{301}\u{323}",
    "ﷺ",
    "\u{1f3f4}\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}",
];

/// Returns the words of a text that every terminal displays as they are.
fn count_anchors(text: &str) -> usize {
    text.matches('⟦').count()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    /// The emulator joins nothing, so a family takes eight columns. Rows must stay rows.
    #[test]
    fn lines_of_all_scripts_stay_in_their_rows(
        pieces in proptest::collection::vec((0_usize..16, any::<bool>()), 1..120),
        columns in 40_u16..=200,
    ) {
        let mut window = Window::new(columns, 24);
        window.start("write");
        let mut text = String::new();
        for (number, (at, is_end)) in pieces.iter().enumerate() {
            let end = if *is_end { "\n\n" } else { " " };
            let piece = format!("⟦{number:03} {}{end}", PIECES[*at]);
            let offset = text.len();
            window.feed(json!({"kind": "text_delta", "turn": 1, "index": 0, "offset": offset, "text": piece}));
            text.push_str(&piece);
            window.advance(40);
            let screen = window.screen();
            // The status is the last row, and the composer is above it, wherever the texts ended.
            let rows: Vec<&str> = screen.lines().collect();
            prop_assert!(rows[rows.len() - 1].contains("scripted-1"), "{}", screen);
            prop_assert!(rows[rows.len() - 2].starts_with('›'), "{}", screen);
            prop_assert_eq!(screen.matches("scripted-1").count(), 1, "{}", screen);
        }
        window.end_text(&text);
        window.end_run(&text);
        // The emulator may have wrapped a line within a word.
        let screen = window.text().replace('\n', "");
        prop_assert_eq!(count_anchors(&screen), pieces.len(), "{}", screen);
        for number in 0..pieces.len() {
            let words = format!("⟦{number:03}");
            prop_assert_eq!(screen.matches(&words).count(), 1, "{}", screen);
        }
    }

    #[test]
    fn a_composed_text_of_all_scripts_keeps_its_caret_in_its_row(
        pieces in proptest::collection::vec(0_usize..16, 1..30),
        columns in 40_u16..=200,
        keys in proptest::collection::vec(0_usize..6, 0..40),
    ) {
        let mut window = Window::new(columns, 24);
        for at in pieces {
            window.apply(Input::Paste(format!("{} ", PIECES[at])));
            window.advance(40);
        }
        for at in keys {
            let all = [Key::Left, Key::Right, Key::Home, Key::Backspace, Key::Char('x'), Key::WordLeft];
            window.key(all[at]);
            window.advance(40);
            let screen = window.screen();
            let status = screen.lines().position(|line| line.contains("scripted-1")).unwrap();
            prop_assert_eq!(status, screen.lines().count() - 1, "{}", screen);
            let (row, column) = window.terminal.screen().cursor_position();
            prop_assert!(usize::from(row) < status && column < columns, "{} {} in {}", row, column, screen);
        }
    }
}
