//! Tests of the pages, and of the frames that display them on an emulated terminal.

use std::num::NonZeroU16;

use proptest::prelude::*;
use ratatui_core::text::Line;

use super::{MAX_LINES, Scrollback};
use crate::input::Scroll;
use crate::state::View;
use crate::terminal::painter::Painter;

fn lines(range: std::ops::Range<usize>) -> Vec<Line<'static>> {
    range.map(|at| Line::from(format!("line {at} 日本語"))).collect()
}

fn view(height: usize) -> View {
    let lines = (0..height).map(|row| Line::from(format!("view {row}"))).collect();
    View { lines, caret: (height.saturating_sub(1), 2) }
}

fn page(scrollback: &mut Scrollback, height: usize) -> Vec<String> {
    scrollback.page(&view(height)).0.lines.iter().map(Line::to_string).collect()
}

#[test]
fn the_newest_rows_are_above_the_view_at_the_bottom() {
    let mut scrollback = Scrollback::new(40, 6);
    scrollback.push(lines(0..2));
    assert_eq!(page(&mut scrollback, 2), ["", "", "line 0 日本語", "line 1 日本語", "view 0", "view 1"]);
    scrollback.push(lines(2..20));
    let (shown, shift) = scrollback.page(&view(3));
    assert_eq!(shown.lines[0].to_string(), "line 17 日本語");
    assert_eq!((shown.lines.len(), shown.caret, shift), (6, (5, 2), 19));
    // A view that is higher than the screen loses its first rows.
    assert_eq!(page(&mut scrollback, 8), (2..8).map(|row| format!("view {row}")).collect::<Vec<_>>());
}

#[test]
fn earlier_rows_stay_while_new_lines_arrive() {
    let mut scrollback = Scrollback::new(60, 10);
    scrollback.push(lines(0..100));
    page(&mut scrollback, 2);
    scrollback.scroll(Scroll::PageUp);
    let first = page(&mut scrollback, 2);
    assert_eq!(first[0], "line 87 日本語");
    assert_eq!(first[7], " 6 rows below · PageDown · Ctrl-End: the newest");
    scrollback.push(lines(100..110));
    let second = page(&mut scrollback, 2);
    assert_eq!(
        (&first[..7], second[7].as_str()),
        (&second[..7], " 16 rows below · PageDown · Ctrl-End: the newest")
    );
    scrollback.scroll(Scroll::Up);
    assert_eq!(page(&mut scrollback, 2)[0], "line 84 日本語");
    scrollback.scroll(Scroll::Start);
    assert_eq!(page(&mut scrollback, 2)[0], "line 0 日本語");
    scrollback.scroll(Scroll::Up);
    assert_eq!(page(&mut scrollback, 2)[0], "line 0 日本語");
    scrollback.scroll(Scroll::End);
    assert_eq!(page(&mut scrollback, 2)[7], "line 109 日本語");
    // At the end nothing is below.
    scrollback.scroll(Scroll::PageDown);
    assert_eq!(page(&mut scrollback, 2)[7], "line 109 日本語");
}

#[test]
fn every_row_is_reached_page_by_page() {
    let mut scrollback = Scrollback::new(40, 12);
    scrollback.push(lines(0..200));
    let mut seen = page(&mut scrollback, 3);
    for _ in 0..200 {
        scrollback.scroll(Scroll::PageUp);
        seen.extend(page(&mut scrollback, 3));
    }
    for at in 0..200 {
        assert!(seen.contains(&format!("line {at} 日本語")), "{at}");
    }
}

#[test]
fn another_width_wraps_the_lines_again_and_keeps_the_uppermost_one() {
    let mut scrollback = Scrollback::new(100, 10);
    let long = |at: usize| Line::from(format!("start {at} {}stop {at}", "words and ".repeat(6)));
    scrollback.push((0..50).map(long).collect());
    page(&mut scrollback, 2);
    scrollback.scroll(Scroll::PageUp);
    scrollback.scroll(Scroll::PageUp);
    let before = page(&mut scrollback, 2)[0].clone();
    scrollback.resize(30, 10);
    let after = page(&mut scrollback, 2);
    assert!(before.starts_with(after[0].trim_end()), "{before:?} {after:?}");
    assert!(after.iter().all(|row| windlass_screen::text_width(row) < 30), "{after:?}");
    scrollback.resize(100, 10);
    assert_eq!(page(&mut scrollback, 2)[0], before);
}

#[test]
fn the_oldest_lines_of_a_long_conversation_are_dropped() {
    let mut scrollback = Scrollback::new(90, 10);
    for at in 0..MAX_LINES + 50 {
        scrollback.push(lines(at..at + 1));
    }
    assert_eq!((scrollback.lines.len(), scrollback.rows.len()), (MAX_LINES, MAX_LINES));
    page(&mut scrollback, 2);
    scrollback.scroll(Scroll::Start);
    let oldest = page(&mut scrollback, 2);
    assert_eq!(oldest[0], "line 50 日本語");
    assert!(oldest[7].contains("older lines: /export"), "{oldest:?}");
    // The page moves with the oldest line, once its line is dropped.
    scrollback.push(lines(0..5));
    assert_eq!(page(&mut scrollback, 2)[0], "line 55 日本語");
}

#[derive(Clone, Debug)]
enum Step {
    Push(usize),
    Height(usize),
    Scroll(Scroll),
    Resize(u16, u16),
}

fn step() -> impl Strategy<Value = Step> {
    let scrolls = [Scroll::Up, Scroll::Down, Scroll::PageUp, Scroll::PageDown, Scroll::Start, Scroll::End];
    prop_oneof![
        4 => (0_usize..40).prop_map(Step::Push),
        2 => (1_usize..14).prop_map(Step::Height),
        4 => prop::sample::select(scrolls.to_vec()).prop_map(Step::Scroll),
        1 => (20_u16..120, 4_u16..40).prop_map(|(columns, rows)| Step::Resize(columns, rows)),
    ]
}

proptest! {
    /// Moved rows and changed cells give the same screen as the page painted whole.
    #[test]
    fn the_screen_is_the_page(steps in proptest::collection::vec(step(), 1..60)) {
        let (mut columns, mut rows) = (60_u16, 20_u16);
        let size = |count| NonZeroU16::new(count).unwrap();
        let mut terminal = vt100::Parser::new(size(rows), size(columns), 100);
        terminal.process(b"\x1b[?1049h");
        let mut scrollback = Scrollback::new(usize::from(columns), usize::from(rows));
        let mut painter = Painter::for_pages(Vec::new(), usize::from(columns), usize::from(rows));
        let (mut count, mut height) = (0, 3);
        for step in steps {
            match step {
                Step::Push(more) => {
                    // Some lines are longer than the terminal, and some are equal to each other.
                    let line = |at: usize| Line::from(format!("line {} {}", at % 7, "日本語 é ".repeat(at % 11)));
                    scrollback.push((count..count + more).map(line).collect());
                    count += more;
                }
                Step::Height(rows) => height = rows,
                Step::Scroll(scroll) => scrollback.scroll(scroll),
                Step::Resize(new_columns, new_rows) => {
                    (columns, rows) = (new_columns, new_rows);
                    terminal.screen_mut().set_size(size(rows), size(columns));
                    scrollback.resize(usize::from(columns), usize::from(rows));
                    painter.resize(usize::from(columns), usize::from(rows));
                }
            }
            let (page, shift) = scrollback.page(&view(height));
            painter.paint_page(&page, shift).unwrap();
            terminal.process(&std::mem::take(painter.writer()));
            let screen: Vec<String> = terminal.screen().rows(0, columns).map(|row| row.trim_end().to_owned()).collect();
            let expected: Vec<String> =
                page.lines.iter().map(|line| line.to_string().trim_end().to_owned()).collect();
            prop_assert_eq!(&screen, &expected);
            let caret = terminal.screen().cursor_position();
            prop_assert_eq!((usize::from(caret.0), usize::from(caret.1)), page.caret);
            prop_assert_eq!(terminal.screen().scrollback(), 0);
        }
    }
}
