//! Cutting and wrapping.

use proptest::prelude::*;
use ratatui_core::style::Style;
use ratatui_core::text::{Line, Span};
use windlass_screen::{Role, cut, render_text, text_width, wrap_line};

use crate::terminal::{assert_fits, options, text};

#[test]
fn lines_wrap_between_words() {
    let line = Line::from("one two  three four");
    assert_eq!(text(&wrap_line(&line, 8, &Line::from("> "))), "one two\n> three\n> four\n");
}

#[test]
fn wide_characters_wrap_without_spaces() {
    assert_eq!(text(&wrap_line(&Line::from("日本語の文字"), 5, &Line::default())), "日本\n語の\n文字\n");
    let family = "👨\u{200d}👩\u{200d}👧";
    let line = Line::from(family.repeat(3));
    assert_eq!(text(&wrap_line(&line, 4, &Line::default())), format!("{family}{family}\n{family}\n"));
}

#[test]
fn a_word_with_several_styles_stays_together() {
    let line = Line::from(vec![Span::raw("some "), Span::raw("wo"), Span::raw("rd")]);
    assert_eq!(text(&wrap_line(&line, 7, &Line::default())), "some\nword\n");
}

#[test]
fn spaces_of_several_styles_do_not_exceed_the_line() {
    let line =
        Line::from(vec![Span::raw("words "), Span::styled(" ", Style::new().bold()), Span::raw("more")]);
    assert_eq!(text(&wrap_line(&line, 5, &Line::default())), "words\nmore\n");
    for line in wrap_line(&line, 5, &Line::default()) {
        assert!(text_width(&line.to_string()) <= 5, "{line}");
    }
}

#[test]
fn line_feeds_and_indents_of_a_text_stay() {
    assert_eq!(text(&render_text("a\n  b\n\nc", Role::Words, &options(20))), "a\n  b\n\nc\n");
}

proptest! {
    #[test]
    fn lines_fit_and_lose_only_spaces(
        pieces in prop::collection::vec(("[a-z 日é👩\u{301}-]{0,20}", any::<bool>()), 0..6),
        columns in 2_usize..50,
    ) {
        let style = |is_bold| if is_bold { Style::new().bold() } else { Style::new() };
        let spans = pieces.iter().map(|(piece, is_bold)| Span::styled(piece.clone(), style(*is_bold)));
        let line = Line::from(spans.collect::<Vec<_>>());
        let words = line.to_string();
        let lines = wrap_line(&line, columns, &Line::default());
        for line in &lines {
            prop_assert!(text_width(&line.to_string()) <= columns);
        }
        let without = |text: &str| text.replace(' ', "");
        let joined: String = lines.iter().map(ToString::to_string).collect();
        prop_assert_eq!(without(&joined), without(&words));
    }

    #[test]
    fn a_cut_text_fits(text in "\\PC{0,40}", columns in 0_usize..30) {
        prop_assert!(text_width(&cut(&text, columns)) <= columns);
    }

    #[test]
    fn every_text_fits(text in any::<String>(), columns in 20_usize..400) {
        assert_fits(&render_text(&text, Role::Words, &options(columns)), options(columns));
    }
}
