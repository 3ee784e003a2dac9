//! The settings that change with the next task.

use windlass_app::Autonomy;
use windlass_protocol::Effort;

use super::State;
use crate::action::Action;

impl State {
    /// Changes a setting of the next run, or shows its value. An unknown word changes nothing.
    pub(super) fn change_setting(&mut self, name: &str, value: Option<String>) {
        let Some(value) = value else { return self.show_setting(name) };
        match name {
            "model" => self.changes.model = Some(value.clone()),
            "mode" => {
                self.checked_mode = Some(value.clone());
                self.actions.push(Action::CheckMode(value));
                return;
            }
            "autonomy" if Autonomy::NAMES.contains(&value.as_str()) => {
                self.changes.autonomy = Some(value.clone());
            }
            "autonomy" => {
                let levels = Autonomy::NAMES.join(", ");
                self.transcript.add_error(&format!("unknown autonomy {value}; the levels are: {levels}"));
                return;
            }
            _ => {
                if let Err(error) = value.parse::<Effort>() {
                    self.transcript.add_error(&error.to_string());
                    return;
                }
                self.changes.effort = Some(value.clone());
            }
        }
        self.announce_change(name, &value);
    }

    /// Applies the result of a check that a mode exists. A newer check replaces an older one.
    pub(super) fn end_mode_check(&mut self, mode: String, problem: Option<String>) {
        if self.checked_mode.as_ref() != Some(&mode) {
            return;
        }
        self.checked_mode = None;
        self.hint = None;
        if let Some(problem) = problem {
            self.transcript.add_error(&problem);
        } else {
            self.announce_change("mode", &mode);
            self.changes.mode = Some(mode);
        }
    }

    fn announce_change(&mut self, name: &str, value: &str) {
        self.transcript.add_notice(&format!("{name} from the next task on: {value}"));
    }

    fn show_setting(&mut self, name: &str) {
        let mut status = self.status.clone();
        self.changes.show_in(&mut status);
        let value = match name {
            "model" => status.model,
            "mode" => status.mode,
            "autonomy" => status.autonomy,
            _ => {
                self.transcript.add_notice("/effort needs a level: off, minimal, low, medium, high, max");
                return;
            }
        };
        let value = if value.is_empty() { "default" } else { value.as_str() };
        self.transcript.add_notice(&format!("{name}: {value}"));
    }
}
