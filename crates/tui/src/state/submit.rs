//! The text of the composer: a task, a message, an answer or a command.

use super::{Phase, State};
use crate::action::{Action, ForkTurn};

impl State {
    pub(super) fn submit(&mut self) {
        if self.answer_in_words() || self.composer.text().trim().is_empty() {
            return;
        }
        if self.composer.text().starts_with('/') && self.run_command() {
            return;
        }
        if let Some(command) = self.composer.text().strip_prefix('!').map(|command| command.trim().to_owned())
            && !command.is_empty()
        {
            self.take_text();
            self.actions.push(Action::Run(command));
            return;
        }
        if self.has_call_question() {
            self.hint = Some("Tab: answer the question first, the text stays".to_owned());
            return;
        }
        match self.phase {
            Phase::Starting => self.hint = Some("the run starts: press Enter again in a moment".to_owned()),
            Phase::Working => self.send(false),
            Phase::Suspended => {
                self.send(false);
                self.actions.push(Action::ListQuestions);
            }
            Phase::Idle if self.checked_mode.is_some() => {
                self.hint = Some("the mode is being checked: press Enter again in a moment".to_owned());
            }
            Phase::Idle => self.start(),
        }
    }

    fn has_call_question(&self) -> bool {
        self.cards.first().is_some_and(|card| card.card.is_some())
    }

    fn take_text(&mut self) -> String {
        let text = self.composer.take();
        self.remember(&text);
        (self.offer, self.closed_offers) = (0, None);
        text
    }

    /// Adds a text to the history of this and later processes.
    pub(super) fn remember(&mut self, text: &str) {
        self.history.push(text);
        self.actions.push(Action::Remember(text.to_owned()));
    }

    pub(super) fn send(&mut self, after_task: bool) {
        let text = self.take_text();
        let files = super::files::find_files(&text);
        let can_start = self.changes.is_empty() && self.checked_mode.is_none();
        self.actions.push(Action::Send { text, files, after_task, can_start });
    }

    fn start(&mut self) {
        let task = self.take_text();
        let files = super::files::find_files(&task);
        let changes = std::mem::take(&mut self.changes);
        changes.show_in(&mut self.status);
        self.phase = Phase::Starting;
        self.working_since = self.now;
        let fork = self.fork.take().filter(|_| self.has_session);
        if fork.is_some() {
            self.transcript.reset();
        }
        self.transcript.await_task();
        match fork {
            Some(ForkTurn(turn)) => {
                self.actions.push(Action::Fork { turn, task, files, changes });
            }
            None => self.actions.push(Action::Submit { task, files, changes }),
        }
    }
}
