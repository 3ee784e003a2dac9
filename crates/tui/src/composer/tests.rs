//! Tests of the composer.

use std::time::Duration;

use proptest::prelude::*;
use windlass_screen::text_width;

use super::{Composer, History};
use crate::input::Key;

const fn ms(count: u64) -> Duration {
    Duration::from_millis(count)
}

fn typed(text: &str) -> Composer {
    let mut composer = Composer::default();
    for (at, character) in text.chars().enumerate() {
        let key = if character == '\n' { Key::NewLine } else { Key::Char(character) };
        composer.apply(key, ms(100 * at as u64));
    }
    composer
}

#[test]
fn words_and_lines_are_edited() {
    let mut composer = typed("one two\nthree");
    composer.apply(Key::DeleteWord, ms(0));
    assert_eq!(composer.text(), "one two\n");
    assert!(composer.move_up());
    composer.apply(Key::End, ms(0));
    composer.apply(Key::WordLeft, ms(0));
    assert_eq!(composer.text_before_caret(), "one ");
    composer.apply(Key::DeleteToEnd, ms(0));
    assert_eq!(composer.text(), "one \n");
    assert!(composer.move_down() && !composer.move_down());
    composer.apply(Key::Backspace, ms(0));
    assert_eq!(composer.take(), "one ");
}

#[test]
fn a_large_paste_is_one_unit_and_returns_whole() {
    let mut composer = typed("a ");
    let paste = "日本語 text\n".repeat(50_000);
    assert!(paste.len() > 500_000);
    composer.paste(&paste);
    assert!(composer.text().starts_with("a [paste 1: 50000 lines"), "{}", composer.text());
    assert_eq!(composer.whole_text(), format!("a {paste}"));
    composer.apply(Key::Backspace, ms(0));
    assert_eq!((composer.text(), composer.whole_text().as_str()), ("a ", "a "));
    composer.paste("\u{1b}[31mred\r\ntwo\u{7}");
    assert_eq!(composer.text(), "a [31mred\ntwo");
}

/// Types a line in one read.
fn burst(composer: &mut Composer, line: &str, at: u64) {
    for character in line.chars() {
        composer.continue_burst(ms(at));
        composer.apply(Key::Char(character), ms(at));
    }
}

#[test]
fn enter_at_the_end_of_a_burst_counts_when_nothing_follows() {
    let mut composer = Composer::default();
    burst(&mut composer, "hello", 0);
    assert!(composer.take_burst_enter(ms(1)) && composer.has_waiting_enter());
    assert!(!composer.settle_enter(ms(30), true), "more can follow");
    assert!(!composer.settle_enter(ms(90), false), "input is pending");
    assert!(composer.settle_enter(ms(90), true) && !composer.has_waiting_enter());
    assert_eq!(composer.text(), "hello");
    assert!(!composer.take_burst_enter(ms(200)), "a person pressed it");
    assert!(!typed("hello").take_burst_enter(ms(410)), "5 ms after the last letter");
}

#[test]
fn a_burst_of_several_lines_is_a_paste() {
    for lines in [["one", "a", "", "three"], ["a", "b", "c", "d"]] {
        let mut composer = Composer::default();
        for (at, line) in (0..).step_by(20).zip(lines) {
            burst(&mut composer, line, at);
            composer.continue_burst(ms(at));
            assert!(composer.take_burst_enter(ms(at)));
        }
        assert!(!composer.settle_enter(ms(500), true), "{composer:?}");
        assert_eq!(composer.text(), lines.join("\n") + "\n");
        assert!(!composer.take_burst_enter(ms(500)), "a person submits it");
    }
}

#[test]
fn the_history_returns_to_the_draft() {
    let mut history = History::default();
    history.push("one");
    history.push("two");
    history.push("two");
    assert_eq!(history.older("draft").as_deref(), Some("two"));
    assert_eq!(history.older("two").as_deref(), Some("one"));
    assert_eq!(history.older("one"), None);
    assert_eq!(history.newer().as_deref(), Some("two"));
    assert_eq!(history.newer().as_deref(), Some("draft"));
    assert_eq!(history.newer(), None);
}

proptest! {
    #[test]
    fn the_rows_are_the_text_and_the_caret_is_inside(text in "[a日👨\u{200d}👩é \n]{0,80}", columns in 4_usize..40) {
        let composer = typed(&text);
        let layout = composer.lay_out(columns, 1_000);
        prop_assert_eq!(layout.rows.concat(), text.replace('\n', ""));
        for row in &layout.rows {
            prop_assert!(text_width(row) <= columns, "{row:?} is wider than {columns}");
        }
        prop_assert!(layout.caret.0 < layout.rows.len() && layout.caret.1 <= columns);
        let folded = composer.lay_out(columns, 3);
        prop_assert!(folded.rows.len() <= 3 && folded.caret.0 < 3);
    }
}
