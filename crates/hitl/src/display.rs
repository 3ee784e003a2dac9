//! Escaping of texts for display.

mod joiner;
#[cfg(test)]
mod tests;

use std::borrow::Cow;

/// Escapes control, bidirectional and invisible characters, so that a human reads the real content (RULES
/// H14). Line breaks, tabs and joiners of ordinary text are kept. No character is dropped, and a backslash
/// that would read like an escape is doubled.
///
/// ```
/// use windlass_hitl::display_safe;
/// assert_eq!(display_safe("rm \u{202e}txt.a"), "rm \\u{202e}txt.a");
/// assert_eq!(display_safe("\u{1b}[2Jhello\r"), "\\u{1b}[2Jhello\\r");
/// assert_eq!(display_safe("größe\n"), "größe\n");
/// // Joiners are part of emoji and of several scripts.
/// assert_eq!(display_safe("👨\u{200d}👩 می\u{200c}خواهم"), "👨\u{200d}👩 می\u{200c}خواهم");
/// assert_eq!(display_safe("a\u{200d}b"), "a\\u{200d}b");
/// // A backslash that would begin an escape is doubled.
/// assert_eq!(display_safe(r"\u{1b} \d"), r"\\u{1b} \d");
/// ```
pub fn display_safe(text: &str) -> String {
    escape(text, Breaks::Keep)
}

/// Escapes a text like [`display_safe`], and its line breaks and tabs as `\n` and `\t`, so that it stays on one
/// line. Backslashes that would read like these escapes are doubled, too, so different texts are displayed
/// differently: a shell runs what follows a line break, and not what follows a backslash and an `n` in a comment.
///
/// ```
/// use windlass_hitl::display_line;
/// assert_eq!(display_line("echo # \ntouch x"), r"echo # \ntouch x");
/// assert_eq!(display_line(r"echo # \ntouch x"), r"echo # \\ntouch x");
/// ```
pub fn display_line(text: &str) -> String {
    escape(text, Breaks::Escape)
}

/// Treatment of line breaks and tabs.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Breaks {
    Keep,
    Escape,
}

fn escape(text: &str, breaks: Breaks) -> String {
    let mut safe = String::with_capacity(text.len());
    let mut before = None;
    let mut characters = text.chars();
    while let Some(character) = characters.next() {
        match character {
            '\\' if begins_escape(characters.as_str(), breaks) => safe.push_str(r"\\"),
            '\n' if breaks == Breaks::Escape => safe.push_str(r"\n"),
            '\t' if breaks == Breaks::Escape => safe.push_str(r"\t"),
            _ => push_visible(&mut safe, (before, character, characters.clone().next())),
        }
        before = Some(character);
    }
    safe
}

/// Like [`display_safe`], but keeps backslashes, so a text that either function escaped is returned
/// unchanged. It is meant for code that writes to a terminal: text that was escaped before stays, and other
/// text is escaped there.
///
/// ```
/// use windlass_hitl::{display_safe, escape_unsafe};
/// let forgotten = "a\u{1b}[31m";
/// assert_eq!(escape_unsafe(forgotten), "a\\u{1b}[31m");
/// assert_eq!(escape_unsafe(&display_safe(forgotten)), display_safe(forgotten));
/// ```
pub fn escape_unsafe(text: &str) -> Cow<'_, str> {
    let is_plain = |character: char| matches!(character, ' '..='~' | '\n' | '\t');
    if text.chars().all(is_plain) {
        return Cow::Borrowed(text);
    }
    let mut safe = String::with_capacity(text.len());
    let mut before = None;
    let mut characters = text.chars();
    while let Some(character) = characters.next() {
        push_visible(&mut safe, (before, character, characters.clone().next()));
        before = Some(character);
    }
    Cow::Owned(safe)
}

/// Appends a character or its escape. Its neighbours decide whether a joiner is ordinary.
fn push_visible(safe: &mut String, (before, character, after): (Option<char>, char, Option<char>)) {
    if character == '\r' {
        safe.push_str(r"\r");
    } else if character != '\n'
        && character != '\t'
        && is_unsafe(character)
        && !joiner::is_ordinary(before, character, after)
    {
        safe.extend(character.escape_unicode());
    } else {
        safe.push(character);
    }
}

/// Returns whether a text has characters that a human cannot see and a model can read: zero-width and
/// bidirectional characters, and tags. Control characters, which a terminal interprets, are not counted.
///
/// ```
/// use windlass_hitl::has_invisible;
/// assert!(has_invisible("hi\u{e0049}") && has_invisible("a\u{200b}b"));
/// assert!(!has_invisible("größe\r\n\u{1b}[0m"));
/// ```
pub fn has_invisible(text: &str) -> bool {
    // Most text is ASCII, which has no such characters.
    !text.is_ascii() && text.chars().any(|character| !character.is_control() && is_unsafe(character))
}

/// Returns whether a backslash before this text would read like an escape, or like the escaped backslash of an
/// escape that follows it.
fn begins_escape(rest: &str, breaks: Breaks) -> bool {
    if rest.starts_with("u{") || rest.starts_with(['r', '\\']) {
        return true;
    }
    if breaks == Breaks::Escape && rest.starts_with(['n', 't', '\n', '\t']) {
        return true;
    }
    let mut characters = rest.chars();
    let Some(next) = characters.next() else { return false };
    let mut shown = String::new();
    push_visible(&mut shown, (Some('\\'), next, characters.next()));
    shown.starts_with('\\')
}

/// Returns whether a character has an effect other than its own glyph: C0 and C1 controls except the tab,
/// bidirectional marks, spaces other than the ASCII one, line and paragraph separators, and characters
/// without a visible mark. A line feed counts; callers that allow it check for it first.
pub(crate) fn is_unsafe(character: char) -> bool {
    (character.is_control() && character != '\t')
        || (character != ' ' && character.is_whitespace() && character != '\t' && character != '\n')
        || is_default_ignorable(character)
        || is_blank(character)
}

/// Returns whether a character is a `Default_Ignorable_Code_Point` (DerivedCoreProperties.txt, Unicode 16).
/// Renderers omit these characters: zero-width characters, bidirectional controls, variation selectors and
/// tags.
fn is_default_ignorable(character: char) -> bool {
    matches!(
        character,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}'
            | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}'
            | '\u{fff0}'..='\u{fff8}' | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}'
            | '\u{e0000}'..='\u{e0fff}'
    )
}

/// Returns whether a character has a glyph without ink, or only arranges its neighbours.
fn is_blank(character: char) -> bool {
    matches!(
        character,
        // The blank Braille pattern, a blank note head, a filler, and the controls of hieroglyphs and
        // annotations.
        '\u{2800}' | '\u{1d159}' | '\u{16fe4}' | '\u{13430}'..='\u{1343f}' | '\u{fff9}'..='\u{fffc}'
    )
}
