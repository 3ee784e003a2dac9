//! Storms of sizes.

use proptest::prelude::*;

use super::Window;

const ROWS: u16 = 24;

/// A text whose lines are unique.
fn text() -> String {
    (0..60).fold(String::new(), |text, number| text + &format!("- item {number:03} 日本語 and words\n"))
}

/// Streams the text while the sizes change, and returns the last screen.
fn storm(sizes: &[(u16, u16)], pause: u64) -> Window {
    let mut window = Window::new(100, ROWS);
    window.start("list");
    let text = text();
    let letters: Vec<char> = text.chars().collect();
    let mut offset = 0;
    for (at, piece) in letters.chunks(8).enumerate() {
        let piece: String = piece.iter().collect();
        window.feed(serde_json::json!(
            {"kind": "text_delta", "turn": 1, "index": 0, "offset": offset, "text": piece}
        ));
        offset += piece.len();
        window.advance(pause);
        if let Some((columns, rows)) = sizes.get(at) {
            window.resize(*columns, *rows);
            // While a window is dragged, the size changes more often than frames are painted.
            window.advance(pause);
        }
    }
    window.end_text(&text);
    window.end_run(&text);
    window
}

fn check(mut window: Window) -> Result<(), TestCaseError> {
    window.check();
    let text = window.text();
    for number in 0..60 {
        let words = format!("item {number:03}");
        prop_assert_eq!(text.matches(&words).count(), 1, "{} in\n{}", words, text);
    }
    let places: Vec<usize> = (0..60).map(|number| text.find(&format!("item {number:03}")).unwrap()).collect();
    prop_assert!(places.is_sorted());
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn rapid_width_changes_during_a_stream_lose_and_repeat_no_line(
        columns in proptest::collection::vec(40_u16..=200, 1..150),
        pause in 3_u64..40,
    ) {
        let sizes: Vec<(u16, u16)> = columns.into_iter().map(|columns| (columns, ROWS)).collect();
        check(storm(&sizes, pause))?;
    }

    #[test]
    fn a_storm_of_widths_and_heights_during_a_stream_loses_and_repeats_nothing(
        sizes in proptest::collection::vec((40_u16..=200, 12_u16..=50), 1..150),
        pause in 3_u64..40,
    ) {
        check(storm(&sizes, pause))?;
    }
}
