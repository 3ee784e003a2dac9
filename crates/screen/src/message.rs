//! Messages, reasoning, remarks and errors as lines.

use ratatui_core::text::Line;

use crate::fold::{ends, more_lines};
use crate::line::wrap_prefixed;
use crate::options::RenderOptions;
use crate::status::format_count;
use crate::theme::Role;

/// Renders a text in one style, wrapped between words. Line feeds stay.
pub fn render_text(text: &str, role: Role, options: &RenderOptions) -> Vec<Line<'static>> {
    wrap_prefixed(options.span(role, ""), text, role, *options)
}

/// Renders a message of the user, with a bar at its left that is also visible without colors.
pub fn render_user_message(text: &str, options: &RenderOptions) -> Vec<Line<'static>> {
    wrap_prefixed(options.span(Role::User, "> "), text, Role::User, *options)
}

/// Renders reasoning of the model. If it has more than `rows` lines, the last ones are displayed and the others
/// counted. With zero rows it is a single line with the number of its words.
pub fn render_thoughts(text: &str, rows: usize, options: &RenderOptions) -> Vec<Line<'static>> {
    if rows == 0 {
        let words = format_count(text.split_whitespace().count() as u64);
        return vec![Line::from(options.span(Role::Thought, format!("✻ thought for {words} words")))];
    }
    let mut lines = wrap_prefixed(options.span(Role::Thought, "✻ "), text.trim(), Role::Thought, *options);
    let hidden = lines.len().saturating_sub(rows);
    if hidden > 1 {
        lines.drain(..hidden);
        lines.insert(0, more_lines(hidden, 2, *options));
    }
    lines
}

/// Renders a remark of the program to the user.
pub fn render_notice(text: &str, options: &RenderOptions) -> Vec<Line<'static>> {
    wrap_prefixed(options.span(Role::Faint, "· "), text, Role::Faint, *options)
}

/// Renders an error. Of a long one the first and the last lines are displayed.
pub fn render_error(text: &str, options: &RenderOptions) -> Vec<Line<'static>> {
    let (head, hidden, tail) = ends(text, 12, 4);
    let mut lines = wrap_prefixed(options.span(Role::Error, "✗ "), &head.join("\n"), Role::Error, *options);
    if hidden > 0 {
        lines.push(more_lines(hidden, 2, *options));
        lines.extend(wrap_prefixed(options.span(Role::Error, "  "), &tail.join("\n"), Role::Error, *options));
    }
    lines
}
