//! Warnings about characters of a card.

use ratatui_core::text::Line;
use windlass_hitl::{display_line, has_invisible};

use super::sections::Sections;
use crate::options::RenderOptions;
use crate::safe::find_mixed_scripts;
use crate::theme::Role;

/// Escapes a text of a card without ambiguity: also a backslash that would read like an escape.
pub(super) fn line_of(text: &str) -> String {
    display_line(text)
}

/// Warns about characters that look like others, in names, or that cannot be seen, in all texts.
pub(super) fn push_warnings(
    names: &[&str],
    contents: &[&str],
    options: RenderOptions,
    sections: &mut Sections,
) {
    if names.iter().chain(contents).any(|text| has_invisible(text)) {
        let text = "  ! It has invisible characters, which are displayed as escapes.";
        sections.push_line(&Line::from(options.span(Role::Warning, text)));
    }
    if let Some(word) = names.iter().find_map(|text| find_mixed_scripts(text)) {
        let text = format!("  ! {} mixes letters of several scripts: {}", line_of(word), code_points(word));
        sections.push_line(&Line::from(options.span(Role::Warning, text)));
    }
}

/// Returns a word with its letters outside of ASCII as escapes.
fn code_points(word: &str) -> String {
    word.chars().fold(String::new(), |mut text, letter| {
        if letter.is_ascii() {
            text.push(letter);
        } else {
            text.extend(letter.escape_unicode());
        }
        text
    })
}
