//! The expected size of an encoded conversation.

use windlass_protocol::{Content, FileSource, History, Image, ImageSource, Message, Part};

/// Bytes for the fields of a part or a message.
const AROUND: usize = 64;
/// A text grows by this part of its length by the escapes of JSON.
const ESCAPES: usize = 32;

/// Estimates the bytes of the messages from this index on. A larger conversation is encoded correctly too, but its buffer
/// grows.
pub(crate) fn expected_bytes(messages: &History, start: usize) -> usize {
    // Skipping with an iterator would visit the messages of all earlier turns.
    let new = (start..messages.len()).filter_map(|index| messages.get(index));
    new.fold(TAIL_BYTES, |sum, message| sum.saturating_add(message_bytes(message)))
}

/// Bytes of the end of a body.
const TAIL_BYTES: usize = 16;

fn message_bytes(message: &Message) -> usize {
    message.parts.iter().fold(AROUND, |sum, part| sum.saturating_add(AROUND).saturating_add(part_bytes(part)))
}

fn part_bytes(part: &Part) -> usize {
    match part {
        Part::Text(text) => text_bytes(&text.text),
        Part::Reasoning(reasoning) => text_bytes(&reasoning.text),
        Part::Image(image) => image_bytes(image),
        Part::File(file) => match &file.source {
            FileSource::Base64(data) => data.len(),
            _ => 0,
        },
        Part::Result(result) => result.content.iter().map(content_bytes).fold(0, usize::saturating_add),
        _ => 0,
    }
}

fn content_bytes(content: &Content) -> usize {
    match content {
        Content::Text { text } => text_bytes(text).saturating_add(AROUND),
        Content::Image(image) => image_bytes(image).saturating_add(AROUND),
        _ => AROUND,
    }
}

fn image_bytes(image: &Image) -> usize {
    match &image.source {
        ImageSource::Base64(data) => data.len(),
        _ => 0,
    }
}

fn text_bytes(text: &str) -> usize {
    text.len().saturating_add(text.len() / ESCAPES)
}
