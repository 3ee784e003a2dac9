//! Pictures that a provider refuses. Words take their place for good: a picture that stayed would be refused in every later
//! request, also of a resumed run.

use crate::machine::Machine;
use crate::{Effect, Entry, Event, FailureSubject, StreamFailure, words};

impl Machine {
    /// Replaces the newest pictures by words if the provider refused one, and records that. Which picture it was is not
    /// known, so each further refusal of the same request takes twice as many messages, until none has a picture. Returns
    /// whether anything was replaced.
    pub(crate) fn remove_refused_images(&mut self, failure: &StreamFailure) -> bool {
        if failure.subject != FailureSubject::Image {
            return false;
        }
        let least = 1_usize.checked_shl(self.image_refusals).unwrap_or(usize::MAX);
        let messages = self.transcript.newest_with_images(least);
        if messages.is_empty() {
            return false;
        }
        self.image_refusals = self.image_refusals.saturating_add(1);
        let reason = words::short_reason(&failure.message);
        let images = self.transcript.replace_images(&messages, &reason);
        self.want(Effect::Record(Entry::ImagesRemoved { messages, reason: reason.clone() }));
        self.show(Event::ImagesRemoved { images, reason });
        true
    }
}
