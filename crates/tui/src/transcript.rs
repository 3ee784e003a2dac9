//! The conversation as lines: finished ones for the scrollback, and the live ones below them.

mod calls;
mod texts;

use std::time::Duration;

use ratatui_core::text::Line;
use windlass_app::feed::{FeedEvent, FeedKind, MessageSource, RunOutcome};
use windlass_screen::{
    RenderOptions, Role, format_count, render_error, render_markdown, render_notice, render_text,
    render_user_message,
};
use windlass_text::count_noun;

use self::calls::LiveCalls;
use self::texts::LiveTexts;

/// Tools whose calls the conversation shows in another form.
const HIDDEN_TOOLS: [&str; 2] = ["attempt_completion", "ask_followup_question"];
/// Maximum number of queued messages that are stored for display.
const QUEUE: usize = 100;

/// Lines of the output of a person's command.
const OUTPUT_ROWS: usize = 200;

/// Kind of the newest finished block. Blocks of different kinds are separated by an empty line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Block {
    User,
    Words,
    Calls,
    Note,
}

/// The conversation as lines.
#[derive(Debug)]
pub(crate) struct Transcript {
    options: RenderOptions,
    finished: Vec<Line<'static>>,
    last: Option<Block>,
    /// True from the start of a run until its task is printed.
    awaits_task: bool,
    /// The notes that arrived before the task, which caused them.
    held: Vec<Vec<Line<'static>>>,
    texts: LiveTexts,
    calls: LiveCalls,
    /// The newest whole answer in words.
    answer: String,
    queued: Vec<String>,
    /// The changes of the newest run.
    diff: String,
}

impl Transcript {
    pub(crate) fn new(options: RenderOptions) -> Self {
        Self {
            options,
            finished: Vec::new(),
            last: None,
            awaits_task: false,
            held: Vec::new(),
            texts: LiveTexts::new(options),
            calls: LiveCalls::default(),
            answer: String::new(),
            queued: Vec::new(),
            diff: String::new(),
        }
    }

    /// Changes the width of the lines that are not finished.
    pub(crate) fn set_options(&mut self, options: RenderOptions) {
        self.options = options;
        self.texts.set_options(options);
    }

    /// Returns the finished lines and forgets them.
    pub(crate) fn take_finished(&mut self) -> Vec<Line<'static>> {
        std::mem::take(&mut self.finished)
    }

    /// Returns true if nothing was printed yet.
    pub(crate) fn is_empty(&self) -> bool {
        self.last.is_none()
    }

    /// Returns the newest whole answer in words.
    pub(crate) fn answer(&self) -> &str {
        &self.answer
    }

    /// Returns the changes of the newest run, as far as the feed reported them.
    pub(crate) fn diff(&self) -> &str {
        &self.diff
    }

    /// Returns the messages that wait for their moment.
    pub(crate) fn queue(&self) -> &[String] {
        &self.queued
    }

    /// Returns true if a call runs.
    pub(crate) fn has_running_call(&self) -> bool {
        self.calls.has_running()
    }

    /// Returns the lines that are not finished, at most `rows`.
    pub(crate) fn live(&self, rows: usize, now: Duration) -> Vec<Line<'static>> {
        let mut lines = self.texts.live(rows);
        let rest = rows.saturating_sub(lines.len());
        lines.extend(self.calls.live(rest, now, &self.options));
        lines
    }

    /// Begins a new conversation.
    pub(crate) fn reset(&mut self) {
        let finished = std::mem::take(&mut self.finished);
        *self = Self { finished, last: self.last, ..Self::new(self.options) };
    }

    /// Forgets the unfinished items of a run.
    pub(crate) fn clear_live(&mut self) {
        self.release();
        self.calls.clear();
        self.queued.clear();
        self.texts = LiveTexts::new(self.options);
    }

    /// Holds notes back until the task of the run that starts is printed: notices of the program overtake the feed.
    pub(crate) fn await_task(&mut self) {
        self.awaits_task = true;
    }

    /// Prints the notes that wait for a task.
    fn release(&mut self) {
        self.awaits_task = false;
        for lines in std::mem::take(&mut self.held) {
            self.append(Block::Note, lines);
        }
    }

    fn push(&mut self, block: Block, lines: Vec<Line<'static>>) {
        if lines.is_empty() {
            return;
        }
        if self.awaits_task && block == Block::Note {
            self.held.push(lines);
            return;
        }
        self.append(block, lines);
        self.release();
    }

    fn append(&mut self, block: Block, lines: Vec<Line<'static>>) {
        let is_new = self.last != Some(block) || block == Block::User;
        if is_new && self.last.is_some() {
            self.finished.push(Line::default());
        }
        self.last = Some(block);
        self.finished.extend(lines);
    }

    /// Adds a remark of the program.
    pub(crate) fn add_notice(&mut self, text: &str) {
        self.push(Block::Note, render_notice(text, &self.options));
    }

    /// Adds an error.
    pub(crate) fn add_error(&mut self, text: &str) {
        // The run may have failed before its task was printed.
        self.release();
        self.push(Block::Note, render_error(text, &self.options));
    }

    /// Adds the output of a command of the person. Of a long one the last lines are printed.
    pub(crate) fn add_output(&mut self, command: &str, text: &str) {
        let mut lines = render_user_message(&format!("!{command}"), &self.options);
        let rows = text.lines().count();
        if rows > OUTPUT_ROWS {
            let hidden = rows.saturating_sub(OUTPUT_ROWS);
            lines.extend(render_notice(&format!("{hidden} more lines"), &self.options));
        }
        let end: Vec<&str> = text.lines().skip(rows.saturating_sub(OUTPUT_ROWS)).collect();
        lines.extend(render_text(&end.join("\n"), Role::Result, &self.options));
        self.push(Block::User, lines);
    }

    /// Adds lines that are rendered already.
    pub(crate) fn add_lines(&mut self, lines: Vec<Line<'static>>) {
        self.push(Block::Note, lines);
    }

    /// Records the answer of a person to a question about a call.
    pub(crate) fn deny(&mut self, call: &str, comment: Option<&str>) {
        self.calls.deny(call, comment.unwrap_or("you said no"));
    }

    /// Applies an event of the run itself or of a sub-agent.
    pub(crate) fn apply(&mut self, event: &FeedEvent, now: Duration) {
        if let Some(agent) = &event.agent {
            if let Some(lines) = self.calls.apply_child(agent, &event.kind, now, &self.options) {
                self.push(Block::Calls, lines);
            }
            return;
        }
        if let Some(lines) = self.texts.apply(&event.kind) {
            self.push(Block::Words, lines);
        }
        if let Some(lines) = self.calls.apply(&event.kind, now, &self.options) {
            self.push(Block::Calls, lines);
        }
        self.apply_rest(&event.kind);
    }

    /// Applies an event of the run itself that is not printed.
    pub(crate) fn apply_unprinted(&mut self, kind: &FeedKind) {
        match kind {
            FeedKind::RunStarted { .. } => self.diff.clear(),
            FeedKind::Text { text, .. } => self.answer.clone_from(text),
            FeedKind::TurnDiff { diff, .. } => self.diff.push_str(diff),
            FeedKind::RunDiff { diff } => self.diff.clone_from(diff),
            _ => {}
        }
    }

    fn apply_rest(&mut self, kind: &FeedKind) {
        match kind {
            FeedKind::RunStarted { task, files, .. } => {
                self.diff.clear();
                let mut lines = render_user_message(task, &self.options);
                if !files.is_empty() {
                    let words = format!("  with {}", files.join(", "));
                    lines.extend(render_text(&words, Role::Faint, &self.options));
                }
                self.push(Block::User, lines);
            }
            FeedKind::Message { text, source, .. } => {
                if let Some(at) = self.queued.iter().position(|queued| queued == text) {
                    self.queued.remove(at);
                }
                if *source != MessageSource::Program {
                    self.push(Block::User, render_user_message(text, &self.options));
                }
            }
            FeedKind::MessageQueued { text, .. } if self.queued.len() < QUEUE => {
                self.queued.push(text.clone());
            }
            FeedKind::Text { text, .. } => self.answer.clone_from(text),
            FeedKind::TurnDiff { diff, .. } => self.diff.push_str(diff),
            FeedKind::RunDiff { diff } => self.diff.clone_from(diff),
            FeedKind::Retry { reason, .. } => {
                self.add_notice(&format!("{reason}; the request is sent again"));
            }
            FeedKind::ProtocolChanged { protocol } => {
                self.add_notice(&format!("calls are now exchanged in the form {protocol}"));
            }
            FeedKind::Compacted { results, has_removed_turns, note, before, after } => {
                let words = describe_compaction(*results, *has_removed_turns, note.is_some());
                let saved = match *before {
                    0 => String::new(),
                    before => {
                        format!(" ({} tokens instead of {})", format_count(*after), format_count(before))
                    }
                };
                self.add_notice(&format!("{words}{saved}"));
            }
            FeedKind::ImagesRemoved { reason } => {
                self.add_notice(&format!("a picture was refused: {reason}"));
            }
            FeedKind::Notice { text } => self.add_notice(text),
            FeedKind::RunResumed { .. } => {
                self.release();
                self.add_notice("the run was resumed");
            }
            FeedKind::Error { message } => {
                self.add_error(&format!("{message}\nSend a message to continue, or /quit."));
            }
            FeedKind::RunEnded { outcome, .. } => self.end(outcome),
            _ => {}
        }
    }

    fn end(&mut self, outcome: &RunOutcome) {
        // The calls of a suspended run get their results when it is resumed.
        if !matches!(outcome, RunOutcome::Suspended { .. }) {
            self.calls.clear();
        }
        self.queued.clear();
        match outcome {
            // An answer in words was displayed before; the text of the completion tool does not.
            RunOutcome::Completed { text }
                if !text.trim().is_empty() && text.trim() != self.answer.trim() =>
            {
                self.push(Block::Words, render_markdown(text, &self.options));
                self.answer.clone_from(text);
            }
            RunOutcome::Stopped { cause } => {
                let words = match cause.as_str() {
                    "cancelled" => "stopped; send a message to continue".to_owned(),
                    "turn_limit" => "stopped at the limit of turns; send a message to continue".to_owned(),
                    "budget" => "stopped by the budget; send a message to continue".to_owned(),
                    other => format!("stopped: {}; send a message to continue", other.replace('_', " ")),
                };
                self.push(Block::Note, render_text(&format!("■ {words}"), Role::Warning, &self.options));
            }
            RunOutcome::Suspended { questions, results } => {
                let count = questions.len().saturating_add(results.len());
                let words = format!("⏸ the run waits for {}: see /questions", count_noun(count, "answer"));
                self.push(Block::Note, render_text(&words, Role::Warning, &self.options));
            }
            RunOutcome::Failed { message } => {
                self.add_error(&format!("{message}\nSend a message to try again."));
            }
            _ => {}
        }
    }
}

fn describe_compaction(results: usize, has_removed_turns: bool, has_note: bool) -> String {
    let turns = match (has_removed_turns, has_note) {
        (true, true) => "a note about them replaces earlier turns",
        (true, false) => "earlier turns were removed",
        (false, _) => "",
    };
    let results = match results {
        0 => String::new(),
        1 => "an old result was removed".to_owned(),
        results => format!("{results} old results were removed"),
    };
    match (turns, results.as_str()) {
        ("", "") => "the conversation is short already: nothing was removed".to_owned(),
        (turns, "") => format!("the conversation was shortened: {turns}"),
        ("", results) => format!("the conversation was shortened: {results}"),
        (turns, results) => format!("the conversation was shortened: {turns}, {results}"),
    }
}
