//! The last bytes of a forwarded stream, which show whether its provider ended it.

use memchr::memmem;
use windlass_wire::EndMarks;

/// Minimum number of bytes that are kept. The events that end a stream fit, except for those that repeat the whole answer.
const TAIL: usize = 4 << 10;

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

    /// Returns true if the stream has events of an answer, and neither its end nor an error. A stream whose events are
    /// unknown counts as ended, because the gateway cannot find its end.
    pub(super) fn is_truncated(&self, marks: &EndMarks) -> bool {
        let holds = |mark: &str| memmem::find(&self.0, mark.as_bytes()).is_some();
        let holds_one = |found: &[&str]| found.iter().any(|mark| holds(mark));
        holds("data:")
            && holds_one(marks.answers)
            && !holds_one(marks.ends)
            && !marks.end_fields.iter().any(|field| has_text_or_object(&self.0, field))
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
        let stream: Vec<u8> = (0..251).cycle().take(5 * TAIL).collect();
        for size in [1, 7, 1_000, TAIL - 1, TAIL, TAIL + 1, 2 * TAIL, 5 * TAIL] {
            let mut tail = StreamTail::default();
            stream.chunks(size).for_each(|piece| tail.push(piece));
            assert!(stream.ends_with(&tail.0), "{size}");
            assert!((TAIL..=2 * TAIL).contains(&tail.0.len()), "{size}: {}", tail.0.len());
        }
    }
}
