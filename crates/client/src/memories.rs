//! What was encoded of the conversations that go through a client.

use std::sync::{Mutex, PoisonError};

use windlass_protocol::History;
use windlass_wire::EncodedHistory;

/// How many conversations are remembered, and how many bytes of them.
const MOST: usize = 256;
const MOST_BYTES: usize = 32 * 1024 * 1024;

/// The last body of each conversation, the newest last, so that its next turn costs only what is new.
#[derive(Debug, Default)]
pub(crate) struct Memories {
    kept: Mutex<Vec<EncodedHistory>>,
}

impl Memories {
    /// Does something with what is remembered of a conversation, and keeps what it leaves.
    pub(crate) fn with<T>(&self, messages: &History, act: impl FnOnce(&mut EncodedHistory) -> T) -> T {
        let mut memory = self.take(messages);
        let done = act(&mut memory);
        if !memory.history().is_empty() {
            self.keep(memory);
        }
        done
    }

    fn take(&self, messages: &History) -> EncodedHistory {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let shared = |memory: &EncodedHistory| messages.shared_prefix(memory.history());
        let whole = |memory: &EncodedHistory, known: usize| known == memory.history().len();
        if let Some(at) = kept.iter().rposition(|memory| whole(memory, shared(memory))) {
            return kept.remove(at);
        }
        // Another branch of the same conversation may go on too, and keeps what it has.
        let nearest = kept.iter().map(|memory| (shared(memory), memory)).max_by_key(|(shared, _)| *shared);
        if let Some((1.., memory)) = nearest {
            return memory.clone();
        }
        // Somebody who reads the conversation anew for each turn shares nothing.
        match kept.iter().rposition(|memory| whole(memory, memory.known(messages))) {
            Some(at) => kept.remove(at),
            None => EncodedHistory::new(),
        }
    }

    fn keep(&self, memory: EncodedHistory) {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.push(memory);
        let mut bytes = 0_usize;
        let fits = kept.iter().rev().take(MOST).take_while(|memory| {
            bytes = bytes.saturating_add(memory.body().len());
            bytes <= MOST_BYTES
        });
        // The newest stays however long it is: its next turn would cost the most.
        let fits = fits.count().max(1);
        let over = kept.len().saturating_sub(fits);
        kept.drain(..over);
    }
}
