//! The session picker.

use super::State;
use crate::action::Action;
use crate::input::{Key, SessionChoice};

/// Sessions of which one can be opened.
#[derive(Debug)]
pub(super) struct Picker {
    pub(super) choices: Vec<SessionChoice>,
    pub(super) chosen: usize,
}

impl State {
    pub(super) fn open_picker(&mut self, choices: Vec<SessionChoice>) {
        if choices.is_empty() {
            self.transcript.add_notice("there are no sessions yet");
            return;
        }
        self.picker = Some(Picker { choices, chosen: 0 });
    }

    /// Applies a key to the open picker. Returns false if none is open.
    pub(super) fn press_in_picker(&mut self, key: Key) -> bool {
        let Some(picker) = &mut self.picker else { return false };
        let last = picker.choices.len().saturating_sub(1);
        match key {
            Key::Up => picker.chosen = picker.chosen.saturating_sub(1),
            Key::Down => picker.chosen = picker.chosen.saturating_add(1).min(last),
            Key::Enter => {
                let id = picker.choices.get(picker.chosen).map(|choice| choice.id.clone());
                self.picker = None;
                if let Some(id) = id {
                    self.open_session(id);
                }
            }
            Key::Escape | Key::Interrupt | Key::EndOfInput => self.picker = None,
            _ => {}
        }
        true
    }

    fn open_session(&mut self, id: String) {
        if self.is_working() {
            self.hint = Some("stop the run before you open another session".to_owned());
            return;
        }
        self.transcript.reset();
        self.actions.push(Action::Open(id));
    }
}
