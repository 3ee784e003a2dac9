//! The memory of ended requests.

use std::collections::{BTreeSet, VecDeque};

/// Ids of ended requests that are kept, to distinguish a late answer from an answer to a request that never
/// existed.
const ENDED: usize = 10_000;

/// The ids of ended requests, of which the newest `ENDED` are kept.
#[derive(Default)]
pub(super) struct EndedRequests {
    ids: BTreeSet<String>,
    /// The ids in order of age, the oldest first.
    order: VecDeque<String>,
}

impl EndedRequests {
    pub(super) fn contains(&self, id: &str) -> bool {
        self.ids.contains(id)
    }

    /// Adds an id. Evicts the oldest one if too many are stored.
    pub(super) fn insert(&mut self, id: &str) {
        if !self.ids.insert(id.to_owned()) {
            return;
        }
        self.order.push_back(id.to_owned());
        if self.order.len() > ENDED
            && let Some(oldest) = self.order.pop_front()
        {
            self.ids.remove(&oldest);
        }
    }
}

#[cfg(test)]
mod tests {
    //! The bound of the memory.

    use super::{ENDED, EndedRequests};

    #[test]
    fn the_oldest_ended_request_is_forgotten_first() {
        let mut ended = EndedRequests::default();
        for number in 0..ENDED {
            ended.insert(&format!("b{number}"));
        }
        // This id comes before all others in the alphabet.
        ended.insert("a");
        assert!(ended.contains("a") && !ended.contains("b0") && ended.contains("b1"));
        ended.insert("b1");
        ended.insert("c");
        assert!(ended.contains("a") && !ended.contains("b1") && ended.contains("c"));
        assert_eq!((ended.ids.len(), ended.order.len()), (ENDED, ENDED));
    }
}
