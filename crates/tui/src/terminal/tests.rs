//! Tests of a conversation on an emulated terminal: the state, the painter and the times of the frames.

mod cards;
mod cost;
mod full_screen;
mod scripts;
mod sizes;
mod widths;

use std::num::NonZeroU16;
use std::time::Duration;

use ratatui_core::text::Line;
use serde_json::{Value, json};
use windlass_app::feed::FeedEvent;
use windlass_screen::{StatusLine, Theme, text_width};

use super::Display;
use crate::action::Action;
use crate::driver::{FEED_FRAME, FRAME};
use crate::input::{Input, Key, Reply};
use crate::options::Canvas;
use crate::state::State;

/// Line that entered the scrollback.
struct Finished {
    text: String,
    /// The styled bytes of the row when it was first displayed.
    bytes: Option<String>,
    /// The narrowest terminal while the line was on the screen. The emulator cuts the lines of its screen.
    columns: usize,
}

/// A conversation on an emulated terminal, with a clock that counts milliseconds.
struct Window {
    state: State,
    display: Display<Vec<u8>>,
    terminal: vt100::Parser,
    now: u64,
    columns: u16,
    rows: u16,
    seq: u64,
    /// Finished lines that the painter did not get yet.
    waiting: Vec<Line<'static>>,
    finished: Vec<Finished>,
    actions: Vec<Action>,
    painted_at: Option<u64>,
    is_urgent: bool,
    /// All bytes that were written.
    written: Vec<u8>,
    /// The rows of the newest frame up to the last one with a text.
    view_rows: usize,
}

fn size(count: u16) -> NonZeroU16 {
    NonZeroU16::new(count).unwrap()
}

impl Window {
    fn new(columns: u16, rows: u16) -> Self {
        Self::with_theme(columns, rows, Theme::default())
    }

    fn with_theme(columns: u16, rows: u16, theme: Theme) -> Self {
        let display = Display::inline(Vec::new(), usize::from(columns), usize::from(rows), false);
        Self::with_display(columns, rows, theme, display)
    }

    fn full_screen(columns: u16, rows: u16) -> Self {
        let display = Display::full_screen(Vec::new(), usize::from(columns), usize::from(rows));
        Self::with_display(columns, rows, Theme::default(), display)
    }

    fn with_display(columns: u16, rows: u16, theme: Theme, display: Display<Vec<u8>>) -> Self {
        let canvas = Canvas { columns: usize::from(columns), rows: usize::from(rows), theme };
        let mut status = StatusLine::default();
        (status.model, status.mode) = ("scripted-1".to_owned(), "code".to_owned());
        let mut window = Self {
            state: State::new(canvas, status, "terminal"),
            display,
            terminal: vt100::Parser::new(size(rows), size(columns), 100_000),
            now: 1_000,
            columns,
            rows,
            seq: 0,
            waiting: Vec::new(),
            finished: Vec::new(),
            actions: Vec::new(),
            painted_at: None,
            is_urgent: true,
            written: Vec::new(),
            view_rows: 0,
        };
        window.paint();
        window
    }

    fn apply(&mut self, input: Input) {
        self.is_urgent |= !matches!(input, Input::Feed(_));
        self.update(input);
    }

    fn update(&mut self, input: Input) {
        for action in self.state.update(Duration::from_millis(self.now), input) {
            match action {
                Action::Print(lines) => self.waiting.extend(lines),
                Action::Scroll(scroll) => self.display.scroll(scroll),
                action => self.actions.push(action),
            }
        }
    }

    /// Paints a frame and compares the terminal with the expected cells.
    fn paint(&mut self) {
        self.update(Input::Tick { is_idle: true });
        let view = self.state.view(Duration::from_millis(self.now));
        let lines = std::mem::take(&mut self.waiting);
        self.display.paint(lines.clone(), &view).unwrap();
        let is_empty = |line: &Line<'_>| line.to_string().trim_end().is_empty();
        self.view_rows = view.lines.iter().rposition(|line| !is_empty(line)).map_or(0, |at| at + 1);
        let bytes = std::mem::take(self.display.writer());
        self.terminal.process(&bytes);
        self.written.extend(bytes);
        self.is_urgent = self.state.has_question();
        self.painted_at = Some(self.now);
        self.update(Input::Drawn);
        let columns = usize::from(self.columns);
        self.finished.extend(lines.iter().map(|line| Finished {
            text: line.to_string(),
            bytes: None,
            columns,
        }));
    }

    /// Lets time pass, with the frames of the driver.
    fn advance(&mut self, ms: u64) {
        for _ in 0..ms {
            self.now += 1;
            let since = self.painted_at.map_or(u64::MAX, |at| self.now - at);
            let frame = if self.is_urgent { FRAME } else { FEED_FRAME };
            let has_changed = !self.waiting.is_empty() || self.state.has_changed();
            let tick = self.state.next_tick().map(|tick| tick.max(FRAME));
            let wait = if has_changed { Some(frame) } else { tick.map(|tick| tick.max(frame)) };
            if wait.is_some_and(|wait| u128::from(since) >= wait.as_millis()) {
                self.paint();
            }
        }
    }

    fn resize(&mut self, columns: u16, rows: u16) {
        // A lower terminal moves the lines above its cursor into the scrollback, as xterm does. The emulator cuts
        // the screen at its bottom.
        let (row, column) = self.terminal.screen().cursor_position();
        let lost = (row + 1).saturating_sub(rows);
        if lost > 0 {
            let feeds = "\n".repeat(usize::from(lost));
            let bytes = format!("\x1b[{};1H{feeds}\x1b[{};{}H", self.rows, row + 1 - lost, column + 1);
            self.terminal.process(bytes.as_bytes());
        }
        self.terminal.screen_mut().set_size(size(rows), size(columns));
        let first = self.finished.len().saturating_sub(usize::from(self.rows));
        for line in &mut self.finished[first..] {
            line.columns = line.columns.min(usize::from(columns));
            line.bytes = None;
        }
        (self.columns, self.rows) = (columns, rows);
        let (columns, rows) = (usize::from(columns), usize::from(rows));
        self.display.resize(columns, rows);
        self.apply(Input::Resize { columns, rows });
    }

    /// Returns the texts and the styled bytes of the scrollback and of the screen, without empty rows at the end.
    fn history(&mut self) -> Vec<(String, String)> {
        let columns = u16::MAX;
        let rows = |screen: &vt100::Screen, count: usize| -> Vec<(String, String)> {
            let texts = screen.rows(0, columns).map(|text| text.trim_end().to_owned());
            texts.zip(screen.rows_formatted(0, columns)).take(count).collect()
        };
        self.terminal.screen_mut().set_scrollback(usize::MAX);
        let depth = self.terminal.screen().scrollback();
        let mut lines = Vec::new();
        for offset in (1..=depth).rev() {
            self.terminal.screen_mut().set_scrollback(offset);
            lines.extend(rows(self.terminal.screen(), 1));
        }
        self.terminal.screen_mut().set_scrollback(0);
        lines.extend(rows(self.terminal.screen(), usize::from(self.rows)));
        while lines.last().is_some_and(|(text, _)| text.is_empty()) {
            lines.pop();
        }
        lines
    }

    fn text(&mut self) -> String {
        let lines: Vec<String> = self.history().into_iter().map(|(text, _)| text).collect();
        lines.join("\n")
    }

    /// Returns the rows of the screen up to the last one with a text.
    fn screen(&self) -> String {
        let rows: Vec<String> = self.terminal.screen().rows(0, u16::MAX).collect();
        rows.join("\n").trim_end().to_owned()
    }

    /// Checks that each finished line is displayed once, in order, with the bytes that it always had, and that the
    /// view follows it.
    #[track_caller]
    fn check(&mut self) {
        let history = self.history();
        let all = || history.iter().map(|(text, _)| text.as_str()).collect::<Vec<_>>().join("\n");
        assert!(history.len() >= self.finished.len(), "{} finished lines in\n{}", self.finished.len(), all());
        for (line, (text, bytes)) in self.finished.iter_mut().zip(&history) {
            let expected = line.text.trim_end();
            let room = line.columns.saturating_sub(1);
            let is_whole = text == expected;
            let is_cut =
                expected.starts_with(text.as_str()) && text_width(text) + 2 >= room.min(text_width(expected));
            assert!(
                is_whole || (is_cut && text_width(expected) >= room),
                "{expected:?} is {text:?} in\n{}",
                all()
            );
            let first = line.bytes.get_or_insert_with(|| bytes.clone());
            assert_eq!(first, bytes, "the finished line {text:?} was written again");
        }
        assert_eq!(history.len() - self.finished.len(), self.view_rows, "{}", all());
    }

    fn key(&mut self, key: Key) {
        self.apply(Input::Key(key));
    }

    /// Types a text as a person does, and sends it.
    fn send(&mut self, text: &str) {
        for character in text.chars() {
            self.advance(30);
            self.key(Key::Char(character));
        }
        self.advance(30);
        self.key(Key::Enter);
        self.advance(30);
    }

    #[expect(clippy::needless_pass_by_value, reason = "a test passes `json!` in place")]
    fn feed(&mut self, kind: Value) {
        self.seq += 1;
        let mut event = json!({"seq": self.seq, "session": "s", "run": "s", "at_ms": 0});
        event.as_object_mut().unwrap().extend(kind.as_object().unwrap().clone());
        let event: FeedEvent = serde_json::from_value(event).unwrap();
        self.apply(Input::Feed(Box::new(event)));
    }

    fn start(&mut self, task: &str) {
        self.send(task);
        self.apply(Input::Reply(Reply::Started { session: "s".to_owned() }));
        self.feed(json!({"kind": "run_started", "task": task}));
        self.feed(json!({"kind": "turn_started", "turn": 1}));
    }

    /// Streams a text in pieces of some characters, with a pause after each.
    fn stream(&mut self, text: &str, characters: usize, pause: u64) {
        let letters: Vec<char> = text.chars().collect();
        let mut offset = 0;
        for piece in letters.chunks(characters) {
            let piece: String = piece.iter().collect();
            self.feed(json!({"kind": "text_delta", "turn": 1, "index": 0, "offset": offset, "text": piece}));
            offset += piece.len();
            self.advance(pause);
        }
    }

    fn end_text(&mut self, text: &str) {
        self.feed(json!({"kind": "text_ended", "turn": 1, "index": 0}));
        self.feed(json!({"kind": "text", "turn": 1, "text": text}));
        self.advance(150);
    }

    fn ask(&mut self, id: &str, command: &str) {
        self.feed(json!({
            "kind": "question_opened", "question": id, "about": "call",
            "card": {
                "call": id, "tool": "run_command", "arguments": {"command": command}, "rule": "d.ask",
                "source": "builtin", "reason": "running a command needs a yes", "risk": "high",
                "effects": [{"kind": "execute", "target": command}], "commands": [["touch", "c"]],
                "digest": "d", "can_remember": true, "scope": "run_command exactly `touch c`", "text": "t",
            }
        }));
    }

    fn end_run(&mut self, text: &str) {
        let outcome = json!({"state": "completed", "text": text});
        self.feed(json!({"kind": "run_ended", "outcome": outcome, "total": {"input": 1_200, "output": 34}}));
        self.advance(300);
    }

    fn has_answer(&self) -> bool {
        self.actions.iter().any(|action| matches!(action, Action::Answer { .. }))
    }
}
