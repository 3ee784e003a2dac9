//! Text made fit for a human's eyes.

/// Makes control, bidirectional and invisible characters visible, so that what a human reads is what is there
/// (RULES H14). Line breaks and tabs stay; nothing is dropped, and nothing that is there reads like an escape.
///
/// ```
/// use windlass_hitl::display_safe;
/// assert_eq!(display_safe("rm \u{202e}txt.a"), "rm \\u{202e}txt.a");
/// assert_eq!(display_safe("\u{1b}[2Jhello\r"), "\\u{1b}[2Jhello\\r");
/// assert_eq!(display_safe("größe\n"), "größe\n");
/// // A backslash that would begin an escape is doubled.
/// assert_eq!(display_safe(r"\u{1b} \d"), r"\\u{1b} \d");
/// ```
pub fn display_safe(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    let mut characters = text.chars();
    while let Some(character) = characters.next() {
        if character == '\\' && begins_escape(characters.as_str()) {
            safe.push_str(r"\\");
        } else if character == '\r' {
            safe.push_str(r"\r");
        } else if character != '\n' && character != '\t' && is_unsafe(character) {
            safe.extend(character.escape_unicode());
        } else {
            safe.push(character);
        }
    }
    safe
}

/// Whether a text has characters that cannot be seen and may still be read by a model: of no width, of the other
/// direction, tags. Controls, which a terminal acts on, are not counted.
///
/// ```
/// use windlass_hitl::has_invisible;
/// assert!(has_invisible("hi\u{e0049}") && has_invisible("a\u{200b}b"));
/// assert!(!has_invisible("größe\r\n\u{1b}[0m"));
/// ```
pub fn has_invisible(text: &str) -> bool {
    // Most text is ASCII, where there are none.
    !text.is_ascii() && text.chars().any(|character| !character.is_control() && is_unsafe(character))
}

/// Whether a backslash before this would read like one that stands for something else.
fn begins_escape(rest: &str) -> bool {
    rest.starts_with("u{") || rest.starts_with(['r', '\\'])
}

/// Whether a character does something else than show itself: C0 and C1 controls, bidirectional marks,
/// zero-width and tag characters, spaces other than the ASCII one, line and paragraph separators.
pub(crate) fn is_unsafe(character: char) -> bool {
    (character.is_control() && character != '\t')
        || (character != ' ' && character.is_whitespace() && character != '\t' && character != '\n')
        || matches!(
            character,
            '\u{ad}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{180e}'
                | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
                | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}' | '\u{fff9}'..='\u{fffb}'
                | '\u{e0000}'..='\u{e0fff}'
        )
}
