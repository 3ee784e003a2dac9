//! What a human says while the run works: to the model at the next turn, or when the task is done.

use std::collections::{BTreeSet, VecDeque};

use serde::{Deserialize, Serialize};
use windlass_protocol::Message;

use crate::machine::{Machine, Phase};
use crate::{Effect, Entry, Event, MessageSource};

/// When something is said to the model.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[expect(clippy::exhaustive_enums, reason = "while it works, or after that")]
pub enum Moment {
    /// Before the next request, after the results of the calls that run.
    #[default]
    NextTurn,
    /// When the task is done, as the next task.
    AfterTask,
}

/// The most messages that wait, so that whoever fills the queue learns that nobody reads it.
const MAX_WAITING: usize = 100;

/// What waits to be said, in order.
#[derive(Debug, Default)]
pub(crate) struct Steering {
    next_turn: VecDeque<String>,
    after_task: VecDeque<String>,
    /// The ids of all messages of the run, those that were said included.
    ids: BTreeSet<String>,
}

impl Steering {
    fn of(&mut self, when: Moment) -> &mut VecDeque<String> {
        match when {
            Moment::NextTurn => &mut self.next_turn,
            Moment::AfterTask => &mut self.after_task,
        }
    }

    /// Adds a message to those that wait, new or from a record.
    pub(crate) fn queue(&mut self, id: Option<String>, text: String, when: Moment) {
        self.ids.extend(id);
        self.of(when).push_back(text);
    }

    /// Removes what a record says was said. Returns whether it had been queued.
    pub(crate) fn said(&mut self, source: Option<MessageSource>, message: &Message) -> bool {
        let text = message.text();
        let queues: &mut [&mut VecDeque<String>] = match source {
            Some(MessageSource::Queue) => &mut [&mut self.next_turn],
            Some(MessageSource::NextTask) => &mut [&mut self.after_task],
            // Records before version 6 do not say where a message comes from.
            None => &mut [&mut self.next_turn, &mut self.after_task],
            Some(_) => return false,
        };
        for queue in queues {
            if queue.front() == Some(&text) {
                queue.pop_front();
                return true;
            }
        }
        false
    }
}

impl Machine {
    pub(crate) fn queue(&mut self, id: Option<String>, text: String, when: Moment) {
        if let Some(id) = id.as_ref().filter(|id| self.steering.ids.contains(*id)) {
            return self.show(Event::MessageRepeated { id: id.clone() });
        }
        let reason = if self.is_over() {
            "the run is over"
        } else if text.trim().is_empty() {
            "there are no words in it"
        } else if self.steering.of(when).len() >= MAX_WAITING {
            "too many messages wait already"
        } else {
            self.want(Effect::Record(Entry::Queued { id: id.clone(), text: text.clone(), when }));
            self.show(Event::MessageQueued { id: id.clone(), text: text.clone(), when });
            return self.steering.queue(id, text, when);
        };
        self.show(Event::MessageRefused { id, reason: reason.to_owned() });
    }

    /// Says what waits for the next turn.
    pub(crate) fn say_queued(&mut self) {
        for text in std::mem::take(&mut self.steering.next_turn) {
            self.say_aloud(MessageSource::Queue, text);
        }
    }

    /// Goes on with what was said meanwhile, now that the task is done; false if nothing was.
    pub(crate) fn follow_up(&mut self) -> bool {
        // What was said to the model while it finished is heard before the next task is.
        if self.steering.next_turn.is_empty() {
            let Some(text) = self.steering.after_task.pop_front() else { return false };
            self.say_aloud(MessageSource::NextTask, text);
        }
        self.progress.forgive();
        self.phase = Phase::Idle;
        self.next_turn();
        true
    }

    fn say_aloud(&mut self, source: MessageSource, text: String) {
        let message = Message::user(text.clone());
        self.want(Effect::Record(Entry::Said { source: Some(source), message: message.clone() }));
        self.say(message);
        self.show(Event::Said { text });
    }
}
