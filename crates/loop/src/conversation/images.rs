//! Replacement of pictures that a provider refuses. The replacement is permanent, because a remaining picture
//! would be refused in every later request, including those of a resumed run.

use super::Conversation;
use crate::commands::Commands;
use crate::{Entry, Event, words};

impl Conversation {
    /// Replaces the pictures of at least `least` of the newest messages by words, and records the
    /// replacement. Returns false if the conversation has no picture.
    pub(crate) fn replace_refused_images(
        &mut self,
        least: usize,
        reason: &str,
        commands: &mut Commands,
    ) -> bool {
        let messages = self.transcript.newest_with_images(least);
        if messages.is_empty() {
            return false;
        }
        let reason = words::short_reason(reason);
        let images = self.transcript.replace_images(&messages, &reason);
        commands.record(Entry::ImagesRemoved { messages, reason: reason.clone() });
        commands.show(Event::ImagesRemoved { images, reason });
        true
    }
}
