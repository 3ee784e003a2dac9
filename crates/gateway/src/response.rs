//! Values of a response: ids, times and headers.

use std::time::{SystemTime, UNIX_EPOCH};

/// Converts a text to a valid header value: printable ASCII, at most 1,024 characters.
pub(crate) fn header(text: &str) -> String {
    text.chars()
        .map(|letter| if letter.is_ascii_graphic() || letter == ' ' { letter } else { '?' })
        .take(1024)
        .collect()
}

pub(crate) fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs()
}

/// Returns a unique id from the time and 64 random bits; only the time if no randomness is available.
pub(crate) fn new_id() -> String {
    let random = getrandom::u64().unwrap_or_default();
    format!("{:x}{random:016x}", now())
}

/// Separates the media type from the other headers of a forwarded answer.
pub(crate) fn forwarded_headers(
    headers: Vec<(String, String)>,
    default: &'static str,
) -> (String, Vec<(String, String)>) {
    let (types, others): (Vec<_>, Vec<_>) = headers.into_iter().partition(|(name, _)| name == "content-type");
    let content_type = types.into_iter().next().map_or_else(|| default.to_owned(), |(_, value)| value);
    (content_type, others)
}
