//! Events of the feed.

use std::time::Duration;

use windlass_app::feed::{FeedEvent, FeedKind, MessageSource, Question, QuestionEnd, RunOutcome};

use super::{Phase, State, StopRequest};
use crate::action::Action;

impl State {
    pub(super) fn apply_event(&mut self, event: &FeedEvent) {
        self.newest_event = self.now;
        self.observe_questions(event);
        self.agents.apply(event);
        self.working_calls.apply(event);
        let unsent = self.list_unsent(event);
        self.transcript.apply(event, self.now);
        if event.agent.is_none() {
            self.observe_run(&event.kind);
        }
        self.return_unsent(&unsent);
    }

    /// Returns the queued messages of a run that a person stopped. The model did not receive them.
    fn list_unsent(&self, event: &FeedEvent) -> Vec<String> {
        let is_end = event.agent.is_none() && matches!(event.kind, FeedKind::RunEnded { .. });
        if is_end && self.stop == StopRequest::Now { self.transcript.queue().to_vec() } else { Vec::new() }
    }

    /// Puts messages back into the composer, or into the history if the composer has a text.
    fn return_unsent(&mut self, unsent: &[String]) {
        if unsent.is_empty() {
            return;
        }
        if self.composer.is_empty() {
            self.composer.set(&unsent.join("\n\n"));
            self.hint = Some("the queued messages were not sent; Enter sends them".to_owned());
        } else {
            for text in unsent {
                self.history.push(text);
            }
            self.hint = Some("the queued messages were not sent; Up finds them".to_owned());
        }
    }

    /// Applies an event to everything but the printed text.
    pub(super) fn apply_earlier(&mut self, event: &FeedEvent) {
        match &event.kind {
            FeedKind::QuestionOpened { question, card } => self.open_card(question, card.clone()),
            FeedKind::QuestionPostponed { question } | FeedKind::QuestionClosed { question, .. } => {
                self.close_card(question);
            }
            _ => {}
        }
        self.agents.apply(event);
        if event.agent.is_none() {
            self.transcript.apply_unprinted(&event.kind);
            self.observe_run(&event.kind);
        }
    }

    fn observe_questions(&mut self, event: &FeedEvent) {
        match &event.kind {
            FeedKind::QuestionOpened { question, card } => {
                self.open_card(question, card.clone());
                let words = match card {
                    Question::Call { card } => format!("{} wants to run", card.tool),
                    _ => "a question is open".to_owned(),
                };
                self.notify(words);
            }
            FeedKind::QuestionPostponed { question } => {
                self.close_card(question);
            }
            FeedKind::QuestionClosed { question, closing, by } => {
                let Some(closed) = self.close_card(question) else { return };
                if let (QuestionEnd::Denied { comment }, Some(call)) = (closing, closed.call()) {
                    self.transcript.deny(&call, comment.as_deref());
                }
                let answered = !matches!(
                    closing,
                    QuestionEnd::Withdrawn | QuestionEnd::TimedOut | QuestionEnd::NoApprover
                );
                let is_edited = matches!(closing, QuestionEnd::Approved { arguments: Some(_), .. });
                match by {
                    Some(by) if answered && *by != self.window => {
                        let with = if is_edited { " with changed arguments" } else { "" };
                        self.transcript.add_notice(&format!("the question was answered in {by}{with}"));
                    }
                    _ if *closing == QuestionEnd::TimedOut => {
                        self.transcript.add_notice("the question was not answered in time");
                    }
                    _ => {}
                }
            }
            _ => {}
        }
    }

    fn observe_run(&mut self, kind: &FeedKind) {
        // The program reports a wait beside the feed, so events of the time before it can arrive later.
        let is_earlier = matches!(
            kind,
            FeedKind::Context { .. }
                | FeedKind::RunStarted { .. }
                | FeedKind::RunResumed { .. }
                | FeedKind::Message { .. }
                | FeedKind::TurnStarted { .. }
                | FeedKind::Notice { .. }
        );
        if !is_earlier {
            self.retry = None;
        }
        match kind {
            FeedKind::RunStarted { task, .. } => {
                self.history.push(task);
                let earlier = std::mem::take(&mut self.tokens.1);
                self.tokens.0.add(&earlier);
                self.turn = 0;
                self.begin_work();
            }
            FeedKind::RunResumed { .. } => self.begin_work(),
            FeedKind::Message { text, source: MessageSource::Person | MessageSource::NextTask, .. } => {
                self.history.push(text);
            }
            FeedKind::Mode { mode } => self.status.mode.clone_from(mode),
            FeedKind::TurnStarted { turn } => self.turn = *turn,
            FeedKind::Retry { delay_ms, reason } => {
                let end = self.now.saturating_add(Duration::from_millis(*delay_ms));
                self.retry = Some((end, reason.clone()));
            }
            FeedKind::TurnEnded { total, turn, usage, .. } => {
                self.turn = *turn;
                self.tokens.1 = *total;
                self.show_tokens();
                self.show_context(usage.input.saturating_add(usage.output));
            }
            FeedKind::Context { used, window, .. } => {
                self.context_window = Some(*window);
                self.show_context(*used);
            }
            FeedKind::Result { .. } => self.stop_after_call(),
            FeedKind::RunEnded { outcome, total } => {
                self.tokens.1 = *total;
                self.show_tokens();
                self.end_work(matches!(outcome, RunOutcome::Suspended { .. }));
            }
            FeedKind::Error { .. } => self.end_work(false),
            _ => {}
        }
    }

    fn end_work(&mut self, is_suspended: bool) {
        self.phase = if is_suspended { Phase::Suspended } else { Phase::Idle };
        self.stop = StopRequest::None;
        self.cards.clear();
        self.leave_comment();
        self.restore_stash();
        self.notify(if is_suspended { "the run waits for answers" } else { "the run has ended" }.to_owned());
    }

    /// Stops the run if a person requested it and the last running call has ended.
    fn stop_after_call(&mut self) {
        if self.stop == StopRequest::AfterCall && !self.transcript.has_running_call() {
            self.stop = StopRequest::Now;
            self.actions.push(Action::Stop);
        }
    }

    /// Sets the context window of the model. The tokens of the newest request stay.
    pub(super) fn set_context_window(&mut self, window: Option<u64>) {
        self.context_window = window;
        self.show_context(self.status.context.map_or(0, |(used, _)| used));
    }

    /// Shows the tokens of the conversation, if the window is known. Providers that report no tokens leave it as it is.
    fn show_context(&mut self, used: u64) {
        let earlier = self.status.context.map_or(0, |(used, _)| used);
        let used = if used == 0 { earlier } else { used };
        self.status.context = self.context_window.map(|window| (used, window));
    }

    fn show_tokens(&mut self) {
        let mut total = self.tokens.0;
        total.add(&self.tokens.1);
        self.status.tokens = total.are_reported().then_some((total.input, total.output));
        self.status.cached = total.are_reported().then_some(total.cache_read);
        self.status.cost = (total.cost > 0).then_some(total.cost);
    }

    fn notify(&mut self, words: String) {
        if self.is_unfocused {
            self.actions.push(Action::Notify(words));
        }
    }
}
