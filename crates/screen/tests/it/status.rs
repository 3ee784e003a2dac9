//! The status line.

use expect_test::expect;
use proptest::prelude::*;
use windlass_screen::{StatusLine, text_width};

use crate::terminal::{options, text};

fn status() -> StatusLine {
    let mut status = StatusLine::default();
    "claude-sonnet-4-5".clone_into(&mut status.model);
    "code".clone_into(&mut status.mode);
    "ask".clone_into(&mut status.autonomy);
    "sandbox A".clone_into(&mut status.containment);
    status.context = Some((42_000, 200_000));
    status.tokens = Some((123_456, 7_890));
    status.cached = Some(100_000);
    status.cost = Some(1_234_567);
    status
}

#[test]
fn parts_are_dropped_by_importance() {
    let lines: Vec<_> =
        [120, 90, 80, 70, 60, 50, 40, 30, 20].map(|columns| status().render(&options(columns))).into();
    expect![[r#"
        claude-sonnet-4-5 · mode code · ask · sandbox A · context 21 % · 123k in, 7.8k out · 81 % cached · $1.23
        claude-sonnet-4-5 · mode code · ask · sandbox A · context 21 % · 123k in, 7.8k out · $1.23
        claude-sonnet-4-5 · mode code · ask · sandbox A · context 21 % · $1.23
        claude-sonnet-4-5 · mode code · ask · sandbox A · context 21 % · $1.23
        claude-sonnet-4-5 · ask · sandbox A · context 21 %
        claude-sonnet-4-5 · ask · sandbox A · context 21 %
        claude-sonnet-4-5 · ask · context 21 %
        claude-sonnet-4-5 · ask
        claude-sonnet-4-5
    "#]]
    .assert_eq(&text(&lines));
}

#[test]
fn open_questions_stay() {
    let mut status = status();
    status.questions = 2;
    assert_eq!(status.render(&options(30)).to_string(), "2 questions");
}

#[test]
fn unknown_values_are_not_zero() {
    assert_eq!(StatusLine::default().render(&options(80)).to_string(), "");
}

proptest! {
    #[test]
    fn the_line_fits(model in "\\PC{0,60}", columns in 20_usize..200) {
        let mut status = status();
        status.model = model;
        prop_assert!(text_width(&status.render(&options(columns)).to_string()) <= columns);
    }
}
