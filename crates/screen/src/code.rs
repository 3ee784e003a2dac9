//! Code with its syntax highlighted.

#[cfg(feature = "highlight")]
mod grammar;
mod language;
#[cfg(feature = "highlight")]
mod paint;
mod stream;

use ratatui_core::text::{Line, Span};

pub use self::language::Language;
pub(crate) use self::stream::CodeStream;
use crate::options::RenderOptions;
use crate::safe::escape_text;
use crate::theme::Role;
use crate::width::wrap_hard;

/// Largest code that is highlighted, and its longest line, in bytes.
#[cfg(feature = "highlight")]
const MAX_CODE: (usize, usize) = (256 * 1024, 4 * 1024);

/// Renders code, wrapped at the width. Code in a language with a grammar is highlighted if it has at most 256 KiB, in
/// lines of at most 4 KiB; without the feature `highlight` all code has one style.
///
/// ```
/// use windlass_screen::{Language, RenderOptions, Theme, highlight};
///
/// let lines = highlight("fn main() {\n\tok();\n}", Some(Language::Rust), &RenderOptions::new(40, Theme::default()));
/// let text: Vec<String> = lines.iter().map(ToString::to_string).collect();
/// assert_eq!(text, ["fn main() {", "    ok();", "}"]);
/// ```
pub fn highlight(code: &str, language: Option<Language>, options: &RenderOptions) -> Vec<Line<'static>> {
    highlight_from(&escape_text(code), 0, language, *options)
}

/// Renders the lines of escaped code from the byte `from` on, which begins a line. The code before it is context.
fn highlight_from(
    code: &str,
    from: usize,
    language: Option<Language>,
    options: RenderOptions,
) -> Vec<Line<'static>> {
    let roles = roles(code, from, language);
    let mut lines = Vec::new();
    let mut at = from;
    for row in code.get(from..).unwrap_or_default().split_inclusive('\n') {
        let text = row.trim_end_matches('\n');
        let line = match roles.get(at..at.saturating_add(text.len())) {
            Some(roles) if !text.is_empty() => style_line(text, roles, options),
            _ => Line::from(options.span(Role::Code, text)),
        };
        lines.extend(wrap_hard(&line, options.columns, &Line::default()));
        at = at.saturating_add(row.len());
    }
    lines
}

/// Returns a line whose bytes have these roles.
fn style_line(text: &str, roles: &[Role], options: RenderOptions) -> Line<'static> {
    let mut spans: Vec<Span<'static>> = Vec::new();
    let mut from = 0_usize;
    for run in roles.chunk_by(|one, other| one == other) {
        let to = from.saturating_add(run.len());
        if let (Some(piece), Some(role)) = (text.get(from..to), run.first()) {
            spans.push(options.span(*role, piece));
        }
        from = to;
    }
    Line::from(spans)
}

/// Returns the role of each byte, or an empty list for code that is not highlighted.
#[cfg(feature = "highlight")]
fn roles(code: &str, from: usize, language: Option<Language>) -> Vec<Role> {
    let (most, longest) = MAX_CODE;
    let is_small = code.len() <= most && code.split('\n').all(|line| line.len() <= longest);
    language.filter(|_| is_small).and_then(|language| paint::paint(code, from, language)).unwrap_or_default()
}

#[cfg(not(feature = "highlight"))]
fn roles(_code: &str, _from: usize, _language: Option<Language>) -> Vec<Role> {
    Vec::new()
}
