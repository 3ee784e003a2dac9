//! Folding of long texts: some lines are displayed and the others counted.

use ratatui_core::text::Line;
use windlass_text::count_noun;

use crate::options::RenderOptions;
use crate::theme::Role;

/// Returns the first `head` and the last `tail` lines of a text, and the number of lines between them.
pub(crate) fn ends(text: &str, head: usize, tail: usize) -> (Vec<&str>, usize, Vec<&str>) {
    let total = text.lines().count();
    // A fold that hides a single line takes as much space as the line.
    if total <= head.saturating_add(tail).saturating_add(1) {
        return (text.lines().collect(), 0, Vec::new());
    }
    let hidden = total.saturating_sub(head).saturating_sub(tail);
    let first = text.lines().take(head).collect();
    let last = text.lines().skip(head.saturating_add(hidden)).collect();
    (first, hidden, last)
}

/// Returns the line that counts hidden lines.
pub(crate) fn more_lines(hidden: usize, indent: usize, options: RenderOptions) -> Line<'static> {
    let margin = " ".repeat(indent);
    Line::from(options.span(Role::Faint, format!("{margin}… {}", count_noun(hidden, "more line"))))
}
