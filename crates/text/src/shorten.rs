//! Shortens long text by leaving out its middle.

use std::borrow::Cow;

/// Returns `text`, or its head and tail if it is longer than `limit` bytes. The first line then has the total
/// length and the exact number of bytes left out (RULES R9).
///
/// ```
/// use windlass_text::shorten_middle;
/// assert_eq!(shorten_middle("short", 10), "short");
/// let cut = shorten_middle("a long text with an end", 10);
/// assert_eq!(cut, "[23 bytes; 13 in the middle are left out]\na lon\n[...]\nn end");
/// ```
pub fn shorten_middle(text: &str, limit: usize) -> Cow<'_, str> {
    if text.len() <= limit {
        return Cow::Borrowed(text);
    }
    let half = limit / 2;
    let head = text.get(..text.floor_char_boundary(half)).unwrap_or_default();
    let tail = text.get(text.ceil_char_boundary(text.len().saturating_sub(half))..).unwrap_or_default();
    let left_out = text.len().saturating_sub(head.len()).saturating_sub(tail.len());
    let all = text.len();
    Cow::Owned(format!("[{all} bytes; {left_out} in the middle are left out]\n{head}\n[...]\n{tail}"))
}
