//! Comparison with recorded texts, from which secrets were removed.

use windlass_redact::Redactor;

/// Returns true if a text equals a recorded one. A redaction mark in the recorded text matches any text,
/// because the secrets of the replaying user differ from those of the recording user.
pub(crate) fn is_recorded(recorded: &str, met: &str) -> bool {
    let mut pieces = recorded.split(Redactor::MARK);
    let Some(mut rest) = pieces.next().and_then(|first| met.strip_prefix(first)) else { return false };
    let mut pieces = pieces.peekable();
    while let Some(piece) = pieces.next() {
        if pieces.peek().is_none() {
            return rest.ends_with(piece);
        }
        let Some(at) = rest.find(piece) else { return false };
        rest = rest.get(at.saturating_add(piece.len())..).unwrap_or_default();
    }
    rest.is_empty()
}

#[cfg(test)]
mod tests;
