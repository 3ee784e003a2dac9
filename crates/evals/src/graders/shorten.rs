//! Beginnings of long texts, for reasons.

/// Returns the beginning of a text for a reason.
pub(super) fn shorten(text: &str) -> String {
    const LONGEST: usize = 200;
    let count = text.chars().count();
    if count <= LONGEST {
        return text.to_owned();
    }
    let beginning: String = text.chars().take(LONGEST).collect();
    format!("{beginning}… ({count} characters)")
}
