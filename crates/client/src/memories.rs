//! Cache of encoded conversations, so that a turn encodes only its new messages.

use std::sync::{Mutex, PoisonError};

use windlass_protocol::History;
use windlass_wire::EncodedHistory;

/// Limits of the cache: number of conversations, and bytes of their bodies.
const MOST: usize = 256;
const MOST_BYTES: usize = 32 * 1024 * 1024;

/// The last encoded body of each conversation, the newest last. The next turn then encodes only its new
/// messages.
#[derive(Debug, Default)]
pub(crate) struct Memories {
    kept: Mutex<Vec<EncodedHistory>>,
}

impl Memories {
    /// Calls `act` with the cached encoding of a conversation, or a new one, and stores the result.
    pub(crate) fn with_memory<T>(&self, messages: &History, act: impl FnOnce(&mut EncodedHistory) -> T) -> T {
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
        // The encoding of another branch of the conversation is copied, because that branch may continue too.
        let nearest = kept.iter().map(|memory| (shared(memory), memory)).max_by_key(|(shared, _)| *shared);
        if let Some((1.., memory)) = nearest {
            return memory.clone();
        }
        // A caller that deserializes the conversation for each turn shares no messages by pointer: compare by
        // content.
        match kept.iter().rposition(|memory| whole(memory, memory.count_known(messages))) {
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
        // Keeps the newest entry at any size: encoding it again would cost the most.
        let fits = fits.count().max(1);
        let over = kept.len().saturating_sub(fits);
        kept.drain(..over);
    }
}
