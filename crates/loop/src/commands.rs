//! The commands of one step, in the order in which the driver executes them.

use crate::{Command, Entry, Event};

/// The commands that the present step has emitted.
#[derive(Debug, Default)]
pub(crate) struct Commands {
    list: Vec<Command>,
}

impl Commands {
    /// Appends a command.
    pub(crate) fn emit(&mut self, command: Command) {
        self.list.push(command);
    }

    /// Appends an entry to the record.
    pub(crate) fn record(&mut self, entry: Entry) {
        self.emit(Command::Record(entry));
    }

    /// Emits an event to observers.
    pub(crate) fn show(&mut self, event: Event) {
        self.emit(Command::Show(event));
    }

    /// Exchanges the commands with the driver's buffer: at the start of a step to append to the buffer, and
    /// at the end to hand it back.
    pub(crate) fn swap(&mut self, buffer: &mut Vec<Command>) {
        std::mem::swap(&mut self.list, buffer);
    }
}
