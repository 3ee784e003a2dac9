//! Styled text as bytes for a terminal, for programs that append lines and never move the cursor.

use std::fmt::Write as _;

use ratatui_core::style::{Color, Modifier, Style};
use ratatui_core::text::Line;
use windlass_hitl::escape_unsafe;

use crate::theme::{Role, Theme};

/// The parameters of SGR (ECMA-48) that switch modifiers on.
const MODIFIERS: [(Modifier, u8); 6] = [
    (Modifier::BOLD, 1),
    (Modifier::DIM, 2),
    (Modifier::ITALIC, 3),
    (Modifier::UNDERLINED, 4),
    (Modifier::REVERSED, 7),
    (Modifier::CROSSED_OUT, 9),
];

/// The 16 colors in the order of their numbers in SGR.
const COLORS: [Color; 16] = [
    Color::Black,
    Color::Red,
    Color::Green,
    Color::Yellow,
    Color::Blue,
    Color::Magenta,
    Color::Cyan,
    Color::Gray,
    Color::DarkGray,
    Color::LightRed,
    Color::LightGreen,
    Color::LightYellow,
    Color::LightBlue,
    Color::LightMagenta,
    Color::LightCyan,
    Color::White,
];

/// Escapes a text and adds the sequences of a role around each of its lines. Line feeds stay.
///
/// ```
/// use windlass_screen::{Background, ColorDepth, Role, Theme, paint_text};
///
/// let theme = Theme::new(ColorDepth::Ansi16, Background::Dark);
/// assert_eq!(paint_text("no\u{1b}[2J\n", Role::Error, theme), "\u{1b}[1;31mno\\u{1b}[2J\u{1b}[m\n");
/// assert_eq!(paint_text("words", Role::Words, theme), "words");
/// ```
pub fn paint_text(text: &str, role: Role, theme: Theme) -> String {
    let mut painted = String::with_capacity(text.len());
    for (number, row) in text.split('\n').enumerate() {
        if number > 0 {
            painted.push('\n');
        }
        push_span(&mut painted, row, theme.style(role));
    }
    painted
}

/// Returns rendered lines with the sequences of their styles. Each one ends with a line feed.
///
/// ```
/// use windlass_screen::{RenderOptions, Theme, paint_lines, render_markdown};
///
/// let lines = render_markdown("a **b**", &RenderOptions::new(40, Theme::default()));
/// assert_eq!(paint_lines(&lines), "a \u{1b}[1mb\u{1b}[m\n");
/// ```
pub fn paint_lines(lines: &[Line<'_>]) -> String {
    let mut painted = String::new();
    for line in lines {
        for span in &line.spans {
            push_span(&mut painted, &span.content, line.style.patch(span.style));
        }
        painted.push('\n');
    }
    painted
}

fn push_span(painted: &mut String, text: &str, style: Style) {
    // The renderers escape their input, which a second time does not change.
    let text = escape_unsafe(text);
    let codes = encode_style(style);
    if text.is_empty() || codes.is_empty() {
        painted.push_str(&text);
    } else {
        let _ = write!(painted, "\u{1b}[{codes}m{text}\u{1b}[m");
    }
}

/// Returns the parameters of SGR for a style, separated by semicolons; an empty text for a style without any.
///
/// ```
/// use ratatui_core::style::{Color, Style};
/// use windlass_screen::encode_style;
///
/// assert_eq!(encode_style(Style::new().fg(Color::LightBlue)), "94");
/// assert_eq!(encode_style(Style::new()), "");
/// ```
pub fn encode_style(style: Style) -> String {
    let modifiers = MODIFIERS.into_iter().filter(|(modifier, _)| style.add_modifier.contains(*modifier));
    let mut codes: Vec<String> = modifiers.map(|(_, code)| code.to_string()).collect();
    codes.extend(style.fg.and_then(|color| encode_color(color, 30)));
    codes.extend(style.bg.and_then(|color| encode_color(color, 40)));
    codes.join(";")
}

/// Returns the parameters of a color; `base` is 30 for the text and 40 for its background.
fn encode_color(color: Color, base: u8) -> Option<String> {
    let extended = base.saturating_add(8);
    match color {
        Color::Reset => None,
        Color::Indexed(index) => Some(format!("{extended};5;{index}")),
        Color::Rgb(red, green, blue) => Some(format!("{extended};2;{red};{green};{blue}")),
        named => {
            let number = COLORS.iter().position(|color| *color == named)?;
            let number = u8::try_from(number).ok()?;
            // The bright colors have numbers of their own.
            let offset = if number < 8 { number } else { number.saturating_add(52) };
            Some(base.saturating_add(offset).to_string())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colors_have_the_numbers_of_the_standard() {
        let code = |color, base| encode_color(color, base).unwrap_or_default();
        assert_eq!((code(Color::Red, 30), code(Color::Gray, 40)), ("31".to_owned(), "47".to_owned()));
        assert_eq!((code(Color::DarkGray, 30), code(Color::White, 40)), ("90".to_owned(), "107".to_owned()));
        assert_eq!(code(Color::Indexed(208), 30), "38;5;208");
        assert_eq!(code(Color::Rgb(1, 2, 3), 40), "48;2;1;2;3");
        assert_eq!(code(Color::Reset, 30), "");
    }

    // security 5: an escape sequence of a model could hide or forge text on the screen.
    #[test]
    fn only_sequences_of_styles_are_written() {
        let line = Line::from("a\u{1b}[2Jb\u{202e}");
        assert_eq!(paint_lines(&[line]), "a\\u{1b}[2Jb\\u{202e}\n");
        let theme = Theme::default();
        let painted = paint_text("\u{1b}[m\n\nnext\r", Role::Warning, theme);
        assert_eq!(painted, "\u{1b}[1;33m\\u{1b}[m\u{1b}[m\n\n\u{1b}[1;33mnext\\r\u{1b}[m");
    }
}
