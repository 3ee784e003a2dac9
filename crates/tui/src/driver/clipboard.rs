//! Control sequences for the clipboard and for notifications.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

/// Maximum size of a copied text in bytes; terminals drop larger ones.
const MAX_COPY: usize = 100_000;

/// Returns the sequence that copies a text to the clipboard of the terminal (OSC 52).
pub(super) fn copy(text: &str) -> String {
    let text = text.get(..text.floor_char_boundary(MAX_COPY)).unwrap_or_default();
    format!("\x1b]52;c;{}\x07", STANDARD.encode(text))
}

/// Returns the sequence that notifies a person whose window has no focus (OSC 9), with the bell.
pub(super) fn notify(text: &str) -> String {
    let text: String = windlass_screen::escape_line(text).chars().take(200).collect();
    format!("\x1b]9;windlass: {text}\x07\x07")
}
