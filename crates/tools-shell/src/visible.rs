//! Makes output visible: the result has no characters that control a terminal or hide text (SECURITY "Secrets
//! and output").

use std::borrow::Cow;
use std::fmt::Write as _;

/// Returns the text with control, invisible and direction-changing characters as escapes. Line feeds and tabs
/// stay, and a carriage return directly before a line feed is removed.
pub(crate) fn visible(text: &str) -> Cow<'_, str> {
    if !text.chars().any(is_hidden) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len());
    let mut rest = text.chars().peekable();
    while let Some(char) = rest.next() {
        match char {
            '\r' if rest.peek() == Some(&'\n') => {}
            '\r' => shown.push_str("\\r"),
            _ if is_hidden(char) => {
                let _ = write!(shown, "\\u{{{:x}}}", u32::from(char));
            }
            _ => shown.push(char),
        }
    }
    Cow::Owned(shown)
}

fn is_hidden(char: char) -> bool {
    match char {
        '\n' | '\t' => false,
        '\u{ad}'
        | '\u{61c}'
        | '\u{180e}'
        | '\u{200b}'..='\u{200f}'
        | '\u{2028}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}'
        | '\u{feff}'
        | '\u{fff9}'..='\u{fffb}'
        | '\u{e0000}'..='\u{e0fff}' => true,
        _ => char.is_control(),
    }
}

#[cfg(test)]
mod tests;
