//! Messages of a human to a working run, for the next turn or as the next task.

use std::collections::{BTreeSet, VecDeque};

use serde::{Deserialize, Serialize};
use windlass_protocol::Message;

use crate::machine::{Machine, Phase};
use crate::{Effect, Entry, Event, MessageSource};

/// The moment at which the model receives a message.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[expect(clippy::exhaustive_enums, reason = "while it works, or after that")]
pub enum Moment {
    /// Before the next request, after the results of the running calls.
    #[default]
    NextTurn,
    /// After the end of the task, as the next task.
    AfterTask,
}

/// The largest number of waiting messages in one queue. Further messages are refused, so that the sender
/// notices a run that does not read them.
const MAX_WAITING: usize = 100;

/// The messages that the model has not received yet, in their order.
#[derive(Debug, Default)]
pub(crate) struct Steering {
    next_turn: VecDeque<String>,
    after_task: VecDeque<String>,
    /// The ids of all messages of the run, including those that the model has received.
    ids: BTreeSet<String>,
}

impl Steering {
    fn of(&mut self, when: Moment) -> &mut VecDeque<String> {
        match when {
            Moment::NextTurn => &mut self.next_turn,
            Moment::AfterTask => &mut self.after_task,
        }
    }

    /// Appends a message, new or from a record, to its queue.
    pub(crate) fn queue(&mut self, id: Option<String>, text: String, when: Moment) {
        self.ids.extend(id);
        self.of(when).push_back(text);
    }

    /// Removes the first message of a queue if it is the recorded one. Returns true if it was queued.
    pub(crate) fn said(&mut self, source: Option<MessageSource>, message: &Message) -> bool {
        let text = message.text();
        let queues: &mut [&mut VecDeque<String>] = match source {
            Some(MessageSource::Queue) => &mut [&mut self.next_turn],
            Some(MessageSource::NextTask) => &mut [&mut self.after_task],
            // Records before version 6 do not contain the source of a message.
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

    /// Adds the messages for the next turn to the conversation.
    pub(crate) fn say_queued(&mut self) {
        for text in std::mem::take(&mut self.steering.next_turn) {
            self.say_aloud(MessageSource::Queue, text);
        }
    }

    /// Continues the run with queued messages after the end of a task. Returns false if the queues are empty.
    pub(crate) fn follow_up(&mut self) -> bool {
        // Messages that arrived before the task ended come before the next task.
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
