//! The commands of one step, in the order in which the driver executes them.

use crate::{Effect, Entry, Event};

/// The commands that the present step has emitted.
#[derive(Debug, Default)]
pub(crate) struct Commands {
    list: Vec<Effect>,
}

impl Commands {
    /// Appends a command.
    pub(crate) fn emit(&mut self, command: Effect) {
        self.list.push(command);
    }

    /// Appends an entry to the record.
    pub(crate) fn record(&mut self, entry: Entry) {
        self.emit(Effect::Record(entry));
    }

    /// Emits an event to observers.
    pub(crate) fn show(&mut self, event: Event) {
        self.emit(Effect::Show(event));
    }

    /// Exchanges the commands with the driver's buffer: at the start of a step to append to the buffer, and
    /// at the end to hand it back.
    pub(crate) fn swap(&mut self, buffer: &mut Vec<Effect>) {
        std::mem::swap(&mut self.list, buffer);
    }
}
