//! The search for the open question of a record.

use crate::{Entry, InterruptId, InterruptReason, Outcome, Wait};

impl InterruptId {
    /// Returns the open question of a record: a question without an answer that no later answer of the model
    /// made obsolete.
    pub fn open_in<'a>(entries: impl IntoIterator<Item = &'a Entry>) -> Option<Self> {
        entries.into_iter().fold(None, |open, entry| match entry {
            Entry::Interrupt { id, .. } => Some(*id),
            Entry::Finished { outcome: Outcome::Suspended { waits } } => {
                let asked = waits.iter().find_map(|wait| match wait {
                    Wait::InterruptReply { id, .. } => Some(*id),
                    _ => None,
                });
                asked.or(open)
            }
            // Before version 6 no answer has an id; since then such an answer is the approval that another
            // run got.
            Entry::InterruptReply { id: None, .. } => {
                open.filter(|id| id.reason != InterruptReason::Unspecified)
            }
            Entry::InterruptReply { .. } | Entry::Answered { .. } => None,
            _ => open,
        })
    }
}
