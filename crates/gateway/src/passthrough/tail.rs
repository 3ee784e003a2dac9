//! The last bytes of a forwarded stream, which show whether its provider ended it.

use memchr::memmem;

/// Minimum number of bytes that are kept. The events that end a stream fit, except for those that repeat the whole answer.
const TAIL: usize = 4 << 10;

/// The types of the events that end a stream of the Responses format. The first three repeat the whole answer: the tail
/// of a long one has neither the type nor earlier events, so the stream counts as ended.
const RESPONSE_ENDS: [&str; 4] =
    ["\"response.completed\"", "\"response.incomplete\"", "\"response.failed\"", "\"type\":\"error\""];

/// The end of a stream.
#[derive(Debug, Default)]
pub(super) struct StreamTail(Vec<u8>);

impl StreamTail {
    pub(super) fn push(&mut self, piece: &[u8]) {
        if let Some((_, end)) = piece.len().checked_sub(TAIL).and_then(|start| piece.split_at_checked(start))
        {
            self.0.clear();
            self.0.extend_from_slice(end);
            return;
        }
        // The buffer grows to twice the size of the tail, so that few pieces move bytes.
        if self.0.len().saturating_add(piece.len()) > 2 * TAIL {
            let excess = self.0.len().saturating_sub(TAIL);
            self.0.drain(..excess);
        }
        self.0.extend_from_slice(piece);
    }

    /// Returns true if the stream has events of an answer in this format, and neither its end nor an error. A stream
    /// whose events are unknown counts as ended, because the gateway cannot judge it.
    pub(super) fn is_truncated(&self, format: &str) -> bool {
        let has = |field: &str| has_text_or_object(&self.0, field);
        let holds = |mark: &str| memmem::find(&self.0, mark.as_bytes()).is_some();
        if !holds("data:") {
            return false;
        }
        match format {
            "openai-chat" => {
                let is_ended =
                    has("finish_reason") || has("error") || holds("data: [DONE]") || holds("data:[DONE]");
                holds("\"choices\"") && !is_ended
            }
            "openai-responses" => {
                let is_ended = RESPONSE_ENDS.iter().any(|end| holds(end)) || has("error");
                (holds("\"response.created\"") || holds("\"response.output_")) && !is_ended
            }
            "anthropic" => {
                let has_answer = holds("\"message_start\"") || holds("\"content_block_");
                has_answer && !holds("\"message_stop\"") && !has("error")
            }
            // Gemini ends some whole answers without a reason.
            _ => false,
        }
    }
}

/// Returns true if a field has a text or an object as its value, and not `null`.
fn has_text_or_object(json: &[u8], field: &str) -> bool {
    let name = format!("\"{field}\"");
    memmem::find_iter(json, name.as_bytes()).any(|at| {
        let rest = json.get(at.saturating_add(name.len())..).unwrap_or_default();
        let mut rest = rest.iter().filter(|byte| !byte.is_ascii_whitespace());
        rest.next() == Some(&b':') && matches!(rest.next(), Some(b'"' | b'{'))
    })
}

#[cfg(test)]
mod tests {
    use super::{StreamTail, TAIL};

    #[test]
    fn the_tail_is_the_end_of_the_stream_for_any_size_of_the_pieces() {
        let stream: Vec<u8> = (0..5 * TAIL).map(|at| (at % 251) as u8).collect();
        for size in [1, 7, 1_000, TAIL - 1, TAIL, TAIL + 1, 2 * TAIL, 5 * TAIL] {
            let mut tail = StreamTail::default();
            stream.chunks(size).for_each(|piece| tail.push(piece));
            assert!(stream.ends_with(&tail.0), "{size}");
            assert!((TAIL..=2 * TAIL).contains(&tail.0.len()), "{size}: {}", tail.0.len());
        }
    }
}
