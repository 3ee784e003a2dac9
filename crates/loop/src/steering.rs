//! Messages of a human to a working run, for the next turn or as the next task.

use std::collections::{BTreeSet, VecDeque};

use windlass_protocol::Message;

use crate::{DeliverAt, MessageSource};

/// The largest number of waiting messages in one queue. Further messages are refused, so that the sender
/// notices a run that does not read them.
const MAX_WAITING: usize = 100;

/// The messages that the model has not received yet, in their order.
#[derive(Debug, Default)]
pub(crate) struct Steering {
    next_turn: VecDeque<Message>,
    after_task: VecDeque<Message>,
    /// The ids of all messages of the run, including those that the model has received.
    ids: BTreeSet<String>,
}

impl Steering {
    fn queue(&mut self, when: DeliverAt) -> &mut VecDeque<Message> {
        match when {
            DeliverAt::NextTurn => &mut self.next_turn,
            DeliverAt::AfterTask => &mut self.after_task,
        }
    }

    /// Returns true if the run has received a message with this id.
    pub(crate) fn contains(&self, id: &str) -> bool {
        self.ids.contains(id)
    }

    /// Returns true if the queue accepts no further message.
    pub(crate) fn is_full(&mut self, when: DeliverAt) -> bool {
        self.queue(when).len() >= MAX_WAITING
    }

    /// Appends a message, new or from a record, to its queue.
    pub(crate) fn push(&mut self, id: Option<String>, message: Message, when: DeliverAt) {
        self.ids.extend(id);
        self.queue(when).push_back(message);
    }

    /// Takes the messages for the next turn.
    pub(crate) fn take_next_turn(&mut self) -> VecDeque<Message> {
        std::mem::take(&mut self.next_turn)
    }

    /// Returns true if messages wait for the next turn.
    pub(crate) fn has_next_turn(&self) -> bool {
        !self.next_turn.is_empty()
    }

    /// Takes the first message that is a task of its own.
    pub(crate) fn take_next_task(&mut self) -> Option<Message> {
        self.after_task.pop_front()
    }

    /// Removes the first message of a queue if it is the recorded one. Returns true if it was queued.
    pub(crate) fn remove_sent(&mut self, source: Option<MessageSource>, message: &Message) -> bool {
        let text = message.text();
        let queues: &mut [&mut VecDeque<Message>] = match source {
            Some(MessageSource::Queue) => &mut [&mut self.next_turn],
            Some(MessageSource::NextTask) => &mut [&mut self.after_task],
            // Records before version 6 do not contain the source of a message.
            None => &mut [&mut self.next_turn, &mut self.after_task],
            Some(_) => return false,
        };
        for queue in queues {
            if queue.front().is_some_and(|queued| queued.text() == text) {
                queue.pop_front();
                return true;
            }
        }
        false
    }
}
