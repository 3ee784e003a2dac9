//! The search for the open question of a record.

use crate::{ConsultationId, Entry, Matter, Outcome, Wait};

impl ConsultationId {
    /// Returns the open question of a record: a question without an answer that no later answer of the model
    /// made obsolete.
    pub fn open_in<'a>(entries: impl IntoIterator<Item = &'a Entry>) -> Option<Self> {
        entries.into_iter().fold(None, |open, entry| match entry {
            Entry::Consulted { id, .. } => Some(*id),
            Entry::Finished { outcome: Outcome::Suspended { waits } } => {
                let asked = waits.iter().find_map(|wait| match wait {
                    Wait::Guidance { id, .. } => Some(*id),
                    _ => None,
                });
                asked.or(open)
            }
            // Before version 6 no answer has an id; since then such an answer is the approval that another
            // run got.
            Entry::Guided { id: None, .. } => open.filter(|id| id.matter != Matter::Unspecified),
            Entry::Guided { .. } | Entry::Answered { .. } => None,
            _ => open,
        })
    }
}
