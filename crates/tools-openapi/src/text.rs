//! Texts of documents and servers, made safe for a model and a terminal.

use windlass_hitl::display_safe;

/// Joins a text into one line without invisible characters, and cuts it.
pub(crate) fn one_line(text: &str, max_chars: usize) -> String {
    // Take a bounded number of words first: a hostile text may be very long.
    let words = text.split_whitespace().take(max_chars).collect::<Vec<_>>().join(" ");
    let head = cut(&words, max_chars.saturating_mul(4));
    let safe = display_safe(head);
    match safe.char_indices().nth(max_chars) {
        None if head.len() == words.len() => safe,
        None => format!("{safe}…"),
        Some((end, _)) => format!("{}…", safe.get(..end).unwrap_or_default()),
    }
}

/// Returns the start of a text, at most this number of bytes.
pub(crate) fn cut(text: &str, max_bytes: usize) -> &str {
    text.get(..text.floor_char_boundary(max_bytes)).unwrap_or_default()
}
