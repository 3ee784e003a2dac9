//! Keys and pastes.

use std::time::Duration;

use super::{Phase, State, StopRequest};
use crate::action::Action;
use crate::complete::{Offer, Word, complete_command, complete_file, find_word};
use crate::input::Key;

/// Time within which a second Ctrl-C ends the program.
const TWICE: Duration = Duration::from_secs(2);

impl State {
    pub(super) fn press(&mut self, key: Key) {
        if let Key::Scroll(scroll) = key {
            self.disturb_question();
            self.actions.push(Action::Scroll(scroll));
            return;
        }
        self.hint = None;
        self.resolve_waiting_enter(key);
        if self.press_in_picker(key) {
            self.disturb_question();
            return;
        }
        if let Key::Char(character) = key
            && self.has_key_question()
            && self.press_answer(character)
        {
            return;
        }
        self.disturb_question();
        if key != Key::Interrupt {
            self.interrupted = None;
        }
        match key {
            Key::Interrupt => self.interrupt(),
            Key::EndOfInput if self.composer.is_empty() => self.actions.push(Action::Quit),
            Key::EndOfInput => {
                self.composer.apply(Key::Delete, self.now);
            }
            Key::Redraw => self.actions.push(Action::Redraw),
            Key::Suspend => self.actions.push(Action::Suspend),
            Key::PastePicture => self.actions.push(Action::PastePicture),
            Key::Editor => self.actions.push(Action::Edit(self.composer.whole_text())),
            Key::Escape => self.escape(),
            Key::Tab => self.press_tab(),
            Key::Enter => self.press_enter(),
            Key::Up | Key::Down => self.press_vertical(key == Key::Up),
            _ => {
                if self.composer.apply(key, self.now) {
                    self.update_after_edit();
                }
            }
        }
    }

    /// Decides about an Enter at the end of a burst when the next key arrives: text makes it a line feed, and before
    /// another key it counts.
    fn resolve_waiting_enter(&mut self, key: Key) {
        if matches!(key, Key::Char(_) | Key::Enter | Key::NewLine | Key::Tab) {
            self.composer.continue_burst(self.now);
        } else if self.composer.end_waiting_enter() {
            self.submit_line();
        }
    }

    /// Submits the text if its Enter ended a burst and no more input followed.
    pub(super) fn settle_enter(&mut self, is_idle: bool) {
        if self.composer.settle_enter(self.now, is_idle) {
            self.submit_line();
        }
    }

    pub(super) fn paste(&mut self, text: &str) {
        self.hint = None;
        self.composer.continue_burst(self.now);
        self.disturb_question();
        if self.picker.is_none() {
            match self.mention_path(text) {
                Some(mention) => self.composer.paste(&mention),
                None => self.composer.paste(text),
            }
            self.update_after_edit();
        }
    }

    fn update_after_edit(&mut self) {
        self.history.leave();
        (self.offer, self.closed_offers) = (0, None);
        if self.files.is_none() && matches!(find_word(self.composer.text_before_caret()), Some(Word::File(_)))
        {
            self.files = Some(Vec::new());
            self.actions.push(Action::ListFiles);
        }
    }

    /// Returns the completions of the word before the caret.
    pub(super) fn offers(&self) -> Vec<Offer> {
        let before = self.composer.text_before_caret();
        if self.closed_offers.as_deref() == Some(before) {
            return Vec::new();
        }
        match find_word(before) {
            Some(Word::Command(name)) if self.comment_for.is_none() => complete_command(name),
            Some(Word::File(part)) => complete_file(part, self.files.as_deref().unwrap_or_default()),
            _ => Vec::new(),
        }
    }

    /// Inserts the chosen completion. Returns false if none exists.
    fn complete(&mut self) -> bool {
        let offers = self.offers();
        let Some(offer) = offers.get(self.offer.min(offers.len().saturating_sub(1))) else { return false };
        let length = match find_word(self.composer.text_before_caret()) {
            Some(Word::Command(part) | Word::File(part)) => part.len().saturating_add(1),
            None => return false,
        };
        self.composer.replace_before(length, &offer.text);
        self.update_after_edit();
        true
    }

    fn press_tab(&mut self) {
        if self.complete() {
            return;
        }
        if self.cards.first().is_some_and(|card| card.card.is_some()) && self.comment_for.is_none() {
            self.focus_question();
        } else if self.phase == Phase::Working && !self.composer.is_empty() {
            self.send(true);
        }
    }

    fn press_enter(&mut self) {
        if !self.composer.take_burst_enter(self.now) {
            self.submit_line();
        }
    }

    /// Completes the word before the caret, or submits the text.
    fn submit_line(&mut self) {
        // A whole name of a command, or a whole path, needs no completion.
        let word = self
            .composer
            .text_before_caret()
            .rsplit(char::is_whitespace)
            .next()
            .unwrap_or_default()
            .to_owned();
        let is_whole = self.offers().iter().any(|offer| offer.text.trim_end() == word);
        if !is_whole && self.complete() {
            return;
        }
        self.submit();
    }

    fn press_vertical(&mut self, is_up: bool) {
        let offers = self.offers().len();
        if offers > 0 {
            let last = offers.saturating_sub(1);
            self.offer =
                if is_up { self.offer.saturating_sub(1) } else { self.offer.saturating_add(1).min(last) };
            return;
        }
        let has_moved = if is_up { self.composer.move_up() } else { self.composer.move_down() };
        if has_moved {
            return;
        }
        let draft = self.composer.whole_text();
        let found = if is_up { self.history.older(&draft) } else { self.history.newer() };
        if let Some(text) = found {
            self.composer.set(&text);
            self.closed_offers = Some(self.composer.text_before_caret().to_owned());
        }
    }

    /// Escape closes an open list; otherwise it stops the run: once after the running call, twice now.
    fn escape(&mut self) {
        if !self.offers().is_empty() {
            self.closed_offers = Some(self.composer.text_before_caret().to_owned());
        } else if self.comment_for.is_some() {
            self.leave_comment();
            self.composer.clear();
        } else if self.phase == Phase::Working {
            self.request_stop();
        }
    }

    fn request_stop(&mut self) {
        let is_waiting = self.transcript.has_running_call() && self.stop == StopRequest::None;
        if is_waiting {
            self.stop = StopRequest::AfterCall;
        } else {
            self.stop = StopRequest::Now;
            self.actions.push(Action::Stop);
        }
    }

    /// Ctrl-C empties the composer, or stops the run; twice it ends the program.
    fn interrupt(&mut self) {
        let is_twice = self.interrupted.is_some_and(|at| self.now.saturating_sub(at) <= TWICE);
        if is_twice {
            self.actions.push(Action::Quit);
            return;
        }
        self.interrupted = Some(self.now);
        if self.composer.is_empty() && self.comment_for.is_none() {
            if self.is_working() && self.stop != StopRequest::Now {
                self.stop = StopRequest::Now;
                self.actions.push(Action::Stop);
            }
        } else {
            self.leave_comment();
            self.composer.clear();
            self.update_after_edit();
        }
        self.hint = Some("press Ctrl-C again to quit".to_owned());
    }
}
