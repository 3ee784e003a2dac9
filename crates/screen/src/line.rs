//! Helpers for lines: prefixes, and text that is wrapped in one style.

use ratatui_core::text::{Line, Span};

use crate::options::RenderOptions;
use crate::safe::escape_text;
use crate::theme::Role;
use crate::width::{wrap_hard, wrap_line};

/// Escapes a text and wraps it between words. The first line begins with `first`, the others with as many spaces.
pub(crate) fn wrap_prefixed(
    first: Span<'static>,
    text: &str,
    role: Role,
    options: RenderOptions,
) -> Vec<Line<'static>> {
    let indent = Line::from(" ".repeat(crate::text_width(&first.content)));
    let mut lines = Vec::new();
    for (number, row) in escape_text(text).lines().enumerate() {
        let begin = if number == 0 { first.clone() } else { Span::raw(indent_text(&indent)) };
        let line = Line::from(vec![begin, options.span(role, row)]);
        lines.extend(wrap_line(&line, options.columns, &indent));
    }
    if lines.is_empty() {
        lines.push(Line::from(first));
    }
    lines
}

fn indent_text(indent: &Line<'static>) -> String {
    indent.spans.iter().map(|span| &*span.content).collect()
}

/// Puts a prefix before each line. The lines must have been rendered narrower by its width.
pub(crate) fn add_prefix(prefix: &Span<'static>, lines: Vec<Line<'static>>) -> Vec<Line<'static>> {
    let add = |mut line: Line<'static>| {
        line.spans.insert(0, prefix.clone());
        line
    };
    lines.into_iter().map(add).collect()
}

/// Escapes lines of code or output and wraps them at exactly the width, each after `indent` spaces.
pub(crate) fn wrap_verbatim(
    text: &str,
    role: Role,
    indent: usize,
    options: RenderOptions,
) -> Vec<Line<'static>> {
    let margin = " ".repeat(indent);
    let wrap_indent = Line::from(margin.clone());
    let mut lines = Vec::new();
    for row in escape_text(text).lines() {
        let line = Line::from(vec![Span::raw(margin.clone()), options.span(role, row)]);
        lines.extend(wrap_hard(&line, options.columns, &wrap_indent));
    }
    lines
}
