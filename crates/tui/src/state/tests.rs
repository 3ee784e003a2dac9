//! Tests of conversations without a terminal.

mod bursts;
mod conversation;
mod notices;
mod questions;
mod reports;
mod settings;

use std::time::Duration;

use serde_json::{Value, json};
use windlass_app::feed::FeedEvent;
use windlass_screen::{StatusLine, Theme};

use super::State;
use crate::action::Action;
use crate::input::{Input, Key, Reply};
use crate::options::Canvas;

/// A conversation with a clock and a list of printed lines.
pub(super) struct Talk {
    pub(super) state: State,
    pub(super) now: u64,
    pub(super) printed: Vec<String>,
    /// The texts for the history of later processes.
    pub(super) remembered: Vec<String>,
    seq: u64,
}

impl Talk {
    pub(super) fn new() -> Self {
        let canvas = Canvas { columns: 80, rows: 24, theme: Theme::default() };
        let mut status = StatusLine::default();
        status.model = "scripted-1".to_owned();
        Self {
            state: State::new(canvas, status, "terminal"),
            now: 1_000,
            printed: Vec::new(),
            remembered: Vec::new(),
            seq: 0,
        }
    }

    /// Applies an input, and returns the actions without the printed lines.
    pub(super) fn apply(&mut self, input: Input) -> Vec<Action> {
        let actions = self.state.update(Duration::from_millis(self.now), input);
        let mut rest = Vec::new();
        for action in actions {
            match action {
                Action::Print(lines) => self.printed.extend(lines.iter().map(ToString::to_string)),
                Action::Remember(text) => self.remembered.push(text),
                action => rest.push(action),
            }
        }
        rest
    }

    pub(super) fn key(&mut self, key: Key) -> Vec<Action> {
        self.now += 100;
        self.apply(Input::Key(key))
    }

    /// Types a text as a person does.
    pub(super) fn type_text(&mut self, text: &str) {
        for character in text.chars() {
            assert_eq!(self.key(Key::Char(character)), []);
        }
    }

    pub(super) fn send(&mut self, text: &str) -> Vec<Action> {
        self.type_text(text);
        self.key(Key::Enter)
    }

    /// Draws a frame and lets time pass without input.
    pub(super) fn wait(&mut self, ms: u64) -> Vec<Action> {
        let mut actions = self.apply(Input::Drawn);
        for _ in 0..ms.div_ceil(20) {
            self.now += 20;
            actions.extend(self.apply(Input::Tick { is_idle: true }));
            actions.extend(self.apply(Input::Drawn));
        }
        actions
    }

    #[expect(clippy::needless_pass_by_value, reason = "a test passes `json!` in place")]
    pub(super) fn feed(&mut self, kind: Value) -> Vec<Action> {
        self.seq += 1;
        let mut event = json!({"seq": self.seq, "session": "s", "run": "s", "at_ms": 0});
        event.as_object_mut().unwrap().extend(kind.as_object().unwrap().clone());
        let event: FeedEvent = serde_json::from_value(event).unwrap();
        self.apply(Input::Feed(Box::new(event)))
    }

    /// Starts a run with a task.
    pub(super) fn start(&mut self, task: &str) {
        let actions = self.send(task);
        assert!(matches!(&actions[..], [Action::Submit { task: sent, .. }] if sent == task), "{actions:?}");
        self.apply(Input::Reply(Reply::Started { session: "s".to_owned() }));
        self.feed(json!({"kind": "run_started", "task": task}));
    }

    pub(super) fn text(&mut self, text: &str) {
        self.feed(json!({"kind": "text_delta", "turn": 1, "index": 0, "offset": 0, "text": text}));
    }

    pub(super) fn end(&mut self, text: &str) -> Vec<Action> {
        let outcome = json!({"state": "completed", "text": text});
        self.feed(json!({"kind": "run_ended", "outcome": outcome, "total": {"input": 1_200, "output": 34}}))
    }

    pub(super) fn view(&self) -> String {
        let view = self.state.view(Duration::from_millis(self.now));
        let lines: Vec<String> = view.lines.iter().map(ToString::to_string).collect();
        lines.join("\n")
    }
}
