//! Escaping of outside text: control, bidirectional and invisible characters.

use windlass_hitl::escape_unsafe;

/// Columns between tab stops.
const TAB: usize = 4;

/// Escapes a text, and replaces tabs by spaces. Line feeds stay.
///
/// Joiners inside of emoji and of Persian or Indic words stay too, as in [`windlass_hitl::escape_unsafe`]. A carriage
/// return before a line feed is removed.
///
/// ```
/// use windlass_screen::escape_text;
/// assert_eq!(escape_text("a\u{1b}[31m\u{202e}b\r\nc"), "a\\u{1b}[31m\\u{202e}b\nc");
/// assert_eq!(escape_text("👨\u{200d}👩"), "👨\u{200d}👩");
/// assert_eq!(escape_text("ab\tc"), "ab  c");
/// ```
pub fn escape_text(text: &str) -> String {
    let text = if text.contains("\r\n") { text.replace("\r\n", "\n") } else { text.to_owned() };
    expand_tabs(&escape_unsafe(&text))
}

/// Escapes a text like [`escape_text`], and its line feeds as `\n`, so that it stays on one line.
///
/// ```
/// use windlass_screen::escape_line;
/// assert_eq!(escape_line("one\ntwo"), "one\\ntwo");
/// ```
pub fn escape_line(text: &str) -> String {
    expand_tabs(&escape_unsafe(text).replace('\n', "\\n"))
}

fn expand_tabs(text: &str) -> String {
    if !text.contains('\t') {
        return text.to_owned();
    }
    let (mut expanded, mut column) = (String::with_capacity(text.len().saturating_add(TAB)), 0_usize);
    for character in text.chars() {
        match character {
            '\t' => {
                let fill = TAB.saturating_sub(column % TAB);
                expanded.extend(std::iter::repeat_n(' ', fill));
                column = column.saturating_add(fill);
            }
            '\n' => {
                expanded.push(character);
                column = 0;
            }
            _ => {
                expanded.push(character);
                column = column.saturating_add(1);
            }
        }
    }
    expanded
}

/// Returns the first word of a text that has Latin letters and letters that look like them: Greek, Cyrillic,
/// Armenian or Cherokee ones, or full-width forms.
pub(crate) fn find_mixed_scripts(text: &str) -> Option<&str> {
    if text.is_ascii() {
        return None;
    }
    text.split(|character: char| !character.is_alphanumeric()).find(|word| {
        let is_similar = |letter: char| {
            matches!(letter, '\u{370}'..='\u{58f}' | '\u{13a0}'..='\u{13ff}' | '\u{1f00}'..='\u{1fff}'
                | '\u{ab70}'..='\u{abbf}' | '\u{ff21}'..='\u{ff5a}')
        };
        word.chars().any(|letter| letter.is_ascii_alphabetic()) && word.chars().any(is_similar)
    })
}
