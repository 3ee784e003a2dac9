//! The messages of a conversation, with cheap clones.

use std::fmt;
use std::iter::FusedIterator;
use std::ops::{Index, IndexMut, Range};
use std::sync::Arc;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::Message;

/// The number of messages in a closed block. A clone increments one reference count per block and one per
/// message after the last block.
const BLOCK: usize = 64;

/// A conversation, oldest message first. serde represents it as a list of messages.
///
/// A conversation is sent again in every turn and only grows at its end. Clones therefore share all messages,
/// and code that processed an earlier turn finds the known messages with
/// [`shared_prefix`](Self::shared_prefix). A shared message is copied before it is changed (copy on write).
///
/// ```
/// use windlass_protocol::{History, Message};
/// let mut history = History::from(vec![Message::user("hello")]);
/// let sent = history.clone();
/// history.push(Message::user("are you there?"));
/// assert_eq!((sent.len(), history.len()), (1, 2));
/// assert_eq!(history.shared_prefix(&sent), 1);
/// assert_eq!(history[1].text(), "are you there?");
/// ```
#[derive(Clone, Default)]
pub struct History {
    /// Full blocks of `BLOCK` messages each.
    closed: Vec<Arc<Vec<Arc<Message>>>>,
    /// The last messages, fewer than `BLOCK`.
    open: Vec<Arc<Message>>,
}

impl History {
    /// Creates an empty conversation.
    pub fn new() -> Self {
        Self::default()
    }

    /// Returns the number of messages.
    pub fn len(&self) -> usize {
        self.closed.len().saturating_mul(BLOCK).saturating_add(self.open.len())
    }

    /// Returns whether the conversation has no messages.
    pub fn is_empty(&self) -> bool {
        self.closed.is_empty() && self.open.is_empty()
    }

    /// Appends a message.
    pub fn push(&mut self, message: impl Into<Arc<Message>>) {
        self.open.push(message.into());
        if self.open.len() == BLOCK {
            self.closed.push(Arc::new(std::mem::take(&mut self.open)));
        }
    }

    /// Returns the message at an index.
    pub fn get(&self, index: usize) -> Option<&Message> {
        self.get_shared(index).map(|message| &**message)
    }

    /// Returns the shared message at an index, which can be kept without a copy.
    pub fn get_shared(&self, index: usize) -> Option<&Arc<Message>> {
        match self.closed.get(index / BLOCK) {
            Some(block) => block.get(index % BLOCK),
            None => self.open.get(index.checked_sub(self.closed.len().checked_mul(BLOCK)?)?),
        }
    }

    /// Returns a mutable reference to the message at an index. A shared message is copied first.
    pub fn get_mut(&mut self, index: usize) -> Option<&mut Message> {
        let before = self.closed.len().checked_mul(BLOCK)?;
        let message = match self.closed.get_mut(index / BLOCK) {
            Some(block) => Arc::make_mut(block).get_mut(index % BLOCK)?,
            None => self.open.get_mut(index.checked_sub(before)?)?,
        };
        Some(Arc::make_mut(message))
    }

    /// Returns the oldest message.
    pub fn first(&self) -> Option<&Message> {
        self.get(0)
    }

    /// Returns the newest message.
    pub fn last(&self) -> Option<&Message> {
        self.get(self.len().checked_sub(1)?)
    }

    /// Iterates over the messages, oldest first.
    pub fn iter(&self) -> HistoryIter<'_> {
        HistoryIter { history: self, range: 0..self.len() }
    }

    /// Iterates over mutable references to the messages. Every shared message is copied first, so check first
    /// whether a change is needed.
    pub fn iter_mut(&mut self) -> impl DoubleEndedIterator<Item = &mut Message> {
        let closed = self.closed.iter_mut().flat_map(|block| Arc::make_mut(block).iter_mut());
        closed.chain(&mut self.open).map(Arc::make_mut)
    }

    /// Keeps the first `len` messages.
    pub fn truncate(&mut self, len: usize) {
        if len < self.len() {
            *self = (0..len).filter_map(|index| self.get_shared(index)).cloned().collect();
        }
    }

    /// Keeps the messages for which `keep` returns `true`.
    pub fn retain(&mut self, mut keep: impl FnMut(&Message) -> bool) {
        let shared = (0..self.len()).filter_map(|index| self.get_shared(index));
        *self = shared.filter(|message| keep(message)).cloned().collect();
    }

    /// Removes all messages.
    pub fn clear(&mut self) {
        *self = Self::new();
    }

    /// Returns whether the conversation begins with all messages of another conversation. Compares by
    /// content.
    pub fn starts_with(&self, other: &Self) -> bool {
        let shared = self.shared_prefix(other);
        other.len() <= self.len()
            && self.iter().skip(shared).zip(other.iter().skip(shared)).all(|(a, b)| a == b)
    }

    /// Returns the number of leading messages that both conversations share, by identity instead of equality.
    /// Shared blocks are compared as a whole.
    pub fn shared_prefix(&self, other: &Self) -> usize {
        let blocks = self.closed.iter().zip(&other.closed).take_while(|(a, b)| Arc::ptr_eq(a, b)).count();
        let start = blocks.saturating_mul(BLOCK);
        let pairs = (start..).map_while(|index| Some((self.get_shared(index)?, other.get_shared(index)?)));
        start.saturating_add(pairs.take_while(|(a, b)| Arc::ptr_eq(a, b)).count())
    }
}

/// Iterator over the messages of a [`History`], oldest first.
#[derive(Clone, Debug)]
pub struct HistoryIter<'a> {
    history: &'a History,
    range: Range<usize>,
}

impl<'a> Iterator for HistoryIter<'a> {
    type Item = &'a Message;

    fn next(&mut self) -> Option<&'a Message> {
        self.history.get(self.range.next()?)
    }

    fn nth(&mut self, count: usize) -> Option<&'a Message> {
        self.history.get(self.range.nth(count)?)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.range.size_hint()
    }
}

impl<'a> DoubleEndedIterator for HistoryIter<'a> {
    fn next_back(&mut self) -> Option<&'a Message> {
        self.history.get(self.range.next_back()?)
    }
}

impl ExactSizeIterator for HistoryIter<'_> {}
impl FusedIterator for HistoryIter<'_> {}

impl<'a> IntoIterator for &'a History {
    type Item = &'a Message;
    type IntoIter = HistoryIter<'a>;

    fn into_iter(self) -> HistoryIter<'a> {
        self.iter()
    }
}

impl<M: Into<Arc<Message>>> Extend<M> for History {
    fn extend<I: IntoIterator<Item = M>>(&mut self, messages: I) {
        messages.into_iter().for_each(|message| self.push(message));
    }
}

impl<M: Into<Arc<Message>>> FromIterator<M> for History {
    fn from_iter<I: IntoIterator<Item = M>>(messages: I) -> Self {
        let mut history = Self::new();
        history.extend(messages);
        history
    }
}

impl From<Vec<Message>> for History {
    fn from(messages: Vec<Message>) -> Self {
        messages.into_iter().collect()
    }
}

impl<const N: usize> From<[Message; N]> for History {
    fn from(messages: [Message; N]) -> Self {
        messages.into_iter().collect()
    }
}

impl Index<usize> for History {
    type Output = Message;

    /// # Panics
    /// Panics if the index is out of bounds.
    fn index(&self, index: usize) -> &Message {
        self.get(index).expect("the caller requests an existing message")
    }
}

impl IndexMut<usize> for History {
    /// # Panics
    /// Panics if the index is out of bounds.
    fn index_mut(&mut self, index: usize) -> &mut Message {
        self.get_mut(index).expect("the caller requests an existing message")
    }
}

impl PartialEq for History {
    fn eq(&self, other: &Self) -> bool {
        self.len() == other.len() && self.starts_with(other)
    }
}

impl fmt::Debug for History {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self).finish()
    }
}

impl Serialize for History {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self)
    }
}

impl<'de> Deserialize<'de> for History {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Vec::<Message>::deserialize(deserializer).map(Self::from)
    }
}
