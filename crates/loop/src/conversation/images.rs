//! Replacement of pictures that a provider refuses. The replacement is permanent, because a remaining picture
//! would be refused in every later request, including those of a resumed run.

use crate::machine::Machine;
use crate::{Effect, Entry, Event, FailureSubject, StreamFailure, words};

impl Machine {
    /// Replaces the newest pictures by words if the provider refused a picture, and records the replacement.
    /// The provider does not identify the picture, so each further refusal of the same request doubles the
    /// number of messages, until no picture is left. Returns true if a picture was replaced.
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
