//! Tests of the painter on an emulated terminal.

use proptest::prelude::*;
use ratatui_core::text::Line;

use super::Painter;
use crate::state::View;

/// A painter on an emulated terminal.
struct Screen {
    painter: Painter<Vec<u8>>,
    terminal: vt100::Parser,
}

impl Screen {
    fn new(columns: u16, rows: u16) -> Self {
        let painter = Painter::new(Vec::new(), usize::from(columns), usize::from(rows), false);
        Self { painter, terminal: vt100::Parser::new(size(rows), size(columns), 100_000) }
    }

    fn paint(&mut self, finished: &[String], view: &View) {
        let lines: Vec<Line<'static>> = finished.iter().cloned().map(Line::from).collect();
        self.painter.paint(&lines, view).unwrap();
        let bytes = std::mem::take(self.painter.writer());
        self.terminal.process(&bytes);
    }

    fn resize(&mut self, columns: u16, rows: u16) {
        self.terminal.screen_mut().set_size(size(rows), size(columns));
        self.painter.resize(usize::from(columns), usize::from(rows));
    }

    /// Returns all lines of the scrollback and of the screen.
    fn lines(&mut self) -> Vec<String> {
        let columns = self.terminal.screen().size().1.get();
        self.terminal.screen_mut().set_scrollback(usize::MAX);
        let depth = self.terminal.screen().scrollback();
        let mut lines = Vec::new();
        for offset in (1..=depth).rev() {
            self.terminal.screen_mut().set_scrollback(offset);
            lines.extend(self.terminal.screen().rows(0, columns).next());
        }
        self.terminal.screen_mut().set_scrollback(0);
        lines.extend(self.terminal.screen().rows(0, columns));
        while lines.last().is_some_and(String::is_empty) {
            lines.pop();
        }
        lines
    }
}

fn size(count: u16) -> std::num::NonZeroU16 {
    std::num::NonZeroU16::new(count).unwrap()
}

fn view(height: usize, frame: usize) -> View {
    let lines = (0..height).map(|row| Line::from(format!("view {row} of frame {}", frame % 3))).collect();
    View { lines, caret: (height.saturating_sub(2), 3) }
}

proptest! {
    #[test]
    fn finished_lines_are_above_the_view_in_order_and_written_once(
        frames in proptest::collection::vec((0_usize..12, 1_usize..7, any::<bool>()), 1..30),
        columns in 40_u16..200,
        rows in 8_u16..30,
    ) {
        let mut screen = Screen::new(columns, rows);
        let mut expected: Vec<String> = Vec::new();
        for (number, (count, height, is_invalid)) in frames.into_iter().enumerate() {
            // A cluster that terminals display in different widths takes another way to the scrollback.
            let wide = if number % 3 == 0 { "日本語 👨\u{200d}👩 é" } else { "日本語 é" };
            let finished: Vec<String> = (0..count).map(|at| format!("line {number}.{at} {wide}")).collect();
            if is_invalid {
                screen.painter.invalidate();
            }
            screen.paint(&finished, &view(height, number));
            expected.extend(finished);
            let mut all = expected.clone();
            all.extend(view(height, number).lines.iter().map(ToString::to_string));
            prop_assert_eq!(screen.lines(), all, "after frame {}", number);
            let (row, column) = screen.terminal.screen().cursor_position();
            let mut standing = screen.terminal.screen().rows(0, columns);
            let top = standing.position(|line| line.starts_with("view 0")).unwrap();
            let caret = height.saturating_sub(2);
            prop_assert_eq!((usize::from(row), usize::from(column)), (top + caret, 3));
        }
    }

    #[test]
    fn a_storm_of_sizes_keeps_the_finished_lines(
        sizes in proptest::collection::vec((60_u16..200, 12_u16..40), 1..40),
    ) {
        let mut screen = Screen::new(100, 24);
        let mut expected: Vec<String> = Vec::new();
        for (number, (columns, _)) in sizes.into_iter().enumerate() {
            // The emulator drops lines of the screen when it gets lower, so only the width changes.
            screen.resize(columns, 24);
            let finished = vec![format!("line {number}")];
            screen.paint(&finished, &view(3, number));
            expected.extend(finished);
            let lines = screen.lines();
            let found: Vec<String> = lines.iter().filter(|line| line.starts_with("line")).cloned().collect();
            prop_assert_eq!(&found, &expected);
            prop_assert_eq!(lines.iter().filter(|line| line.starts_with("view")).count(), 3, "{:?}", lines);
        }
    }
}

#[test]
fn an_equal_frame_writes_nothing() {
    let mut screen = Screen::new(80, 24);
    screen.paint(&["one".to_owned()], &view(4, 0));
    let before = screen.painter.count_bytes();
    screen.paint(&[], &view(4, 0));
    assert_eq!(screen.painter.count_bytes(), before);
}

#[test]
fn three_bytes_are_written_for_a_byte_of_text() {
    let mut screen = Screen::new(120, 24);
    let (mut text, mut total) = (String::new(), 0_usize);
    let status = "claude-sonnet-4-5 · ask · context 21 % · 12.3k in, 1.2k out";
    for number in 0..1_000 {
        // 40 bytes in a frame: 400 bytes a second, which is about 100 tokens.
        let piece = format!("word {number:>5} and some more of the answers ");
        assert_eq!(piece.len(), 40);
        total += piece.len();
        text.push_str(&piece);
        let mut finished = Vec::new();
        if text.len() >= 100 {
            finished.push(std::mem::take(&mut text));
        }
        let lines = ["", text.as_str(), "› ", status].map(|line| Line::from(line.to_owned()));
        screen.paint(&finished, &View { lines: lines.to_vec(), caret: (2, 2) });
    }
    let bytes = screen.painter.count_bytes();
    assert!(bytes <= 3 * total as u64, "{bytes} bytes for {total} bytes of text");
}

#[test]
fn a_reflowing_terminal_moves_the_top_of_the_view() {
    let mut painter = Painter::new(Vec::new(), 100, 24, true);
    let lines = vec![Line::from("x".repeat(90)), Line::from("short"), Line::from("› ")];
    painter.paint(&[], &View { lines, caret: (2, 2) }).unwrap();
    painter.resize(40, 24);
    // 90 columns take three rows of 40.
    assert_eq!(painter.rows_above(), 4);
    painter.resize(100, 24);
    assert_eq!(painter.rows_above(), 2);
}
