//! Decodes a response that came as one body.

use windlass_stream::Chunk;
use windlass_wire::{DecodeError, WireLimits, read_whole_body, replace_lone_surrogates};

use crate::array::ArrayStream;
use crate::event::Event;
use crate::names::NAME;
use crate::reader::Reader;

/// Decodes a body into the chunks that the same answer would have had as a stream.
pub(crate) fn decode_whole(
    body: &[u8],
    limits: WireLimits,
    chunks: &mut Vec<Chunk>,
) -> Result<(), DecodeError> {
    read_whole_body(NAME, body, limits, &['{', '['], |text| {
        if text.starts_with('[') { read_array(text, limits, chunks) } else { read(text, chunks) }
    })
}

/// Returns the error for an empty body, or a list that ends before its first element.
pub(crate) fn empty() -> DecodeError {
    DecodeError::NotJson { wire: NAME, what: "an empty body".to_owned() }
}

/// Decodes an array of events, which is a whole stream in one body.
fn read_array(text: &str, limits: WireLimits, chunks: &mut Vec<Chunk>) -> Result<(), DecodeError> {
    let mut reader = Reader::default();
    let mut array = ArrayStream::new(limits);
    array.push(text.as_bytes(), |number, element| reader.read(element, number, chunks))?;
    if array.elements() == 0 {
        return Err(empty());
    }
    reader.end(chunks);
    Ok(())
}

fn read(text: &str, chunks: &mut Vec<Chunk>) -> Result<(), DecodeError> {
    let event: Event<'_> = match serde_json::from_str(text) {
        Ok(event) => event,
        Err(error) if error.is_data() => {
            return Err(DecodeError::Shape { wire: NAME, what: error.to_string() });
        }
        Err(source) => {
            return match replace_lone_surrogates(text) {
                Some(repaired) => read(&repaired, chunks),
                None => Err(DecodeError::Json { event: 1, source }),
            };
        }
    };
    let Event { candidates, prompt_feedback, usage_metadata, error } = &event;
    if candidates.is_none() && prompt_feedback.is_none() && usage_metadata.is_none() && error.is_none() {
        let what = "a JSON object that is neither an answer nor an error".to_owned();
        return Err(DecodeError::Shape { wire: NAME, what });
    }
    Reader::default().whole(text, &event, chunks);
    Ok(())
}
