//! The pictures of a conversation, and their replacement by words.

use windlass_protocol::{Content, Message, Part};

use super::Transcript;
use crate::words;

impl Transcript {
    /// Returns the positions of messages with pictures, the newest first: all from the newest answer on, and
    /// at least `least` if the conversation has that many.
    pub(crate) fn newest_with_images(&self, least: usize) -> Vec<usize> {
        let newest_answer = self.answers_from(1);
        let messages = (0..self.closed.len()).rev();
        let with_images: Vec<usize> = messages.filter(|at| self.count_images(*at) > 0).collect();
        let fresh = with_images.iter().take_while(|at| **at >= newest_answer).count();
        with_images.into_iter().take(fresh.max(least)).collect()
    }

    /// Replaces every picture of these messages by a text, and returns the number of pictures.
    pub(crate) fn replace_images(&mut self, messages: &[usize], reason: &str) -> usize {
        let text = words::image_refused(reason);
        let mut images = 0_usize;
        for at in messages {
            if let Some(message) = self.closed.get_mut(*at) {
                images = images.saturating_add(replace_in(message, &text));
            }
        }
        self.count_again();
        images
    }

    fn count_images(&self, at: usize) -> usize {
        let parts = self.closed.get(at).into_iter().flat_map(|message| &message.parts);
        parts.map(images_of).fold(0, usize::saturating_add)
    }
}

fn images_of(part: &Part) -> usize {
    match part {
        Part::Image(_) => 1,
        Part::Result(result) => result.images().count(),
        _ => 0,
    }
}

/// Replaces the pictures of a message, and returns their number.
fn replace_in(message: &mut Message, text: &str) -> usize {
    let images = message.parts.iter().map(images_of).fold(0, usize::saturating_add);
    for part in &mut message.parts {
        match part {
            Part::Image(_) => *part = Part::text(text),
            Part::Result(result) => {
                for piece in &mut result.content {
                    if matches!(piece, Content::Image(_)) {
                        *piece = Content::text(text);
                    }
                }
            }
            _ => {}
        }
    }
    images
}
