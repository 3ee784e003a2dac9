//! Meeting a recorded text again, from which secrets were taken out.

use windlass_redact::Redactor;

/// Whether a text is the one that was recorded. What was taken out of it may have been anything: the one who plays a
/// cassette has other secrets than the one who recorded it.
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
