//! Unified diffs as lines with line numbers.

mod parse;
mod words;

use ratatui_core::text::{Line, Span};

use self::parse::{Row, RowKind, rows};
use self::words::find_changed_parts;
use crate::fold::more_lines;
use crate::options::RenderOptions;
use crate::safe::escape_line;
use crate::theme::Role;
use crate::width::{cut, wrap_hard};

/// Maximum size of a rendered diff.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct DiffLimits {
    /// Maximum number of lines of the diff; the others are counted.
    pub lines: usize,
    /// Longest line in bytes whose changed words are emphasized.
    pub emphasis_bytes: usize,
}

impl Default for DiffLimits {
    /// Returns the limits for a diff beside other text: 40 lines.
    fn default() -> Self {
        Self { lines: 40, emphasis_bytes: 500 }
    }
}

impl DiffLimits {
    /// Sets the maximum number of lines.
    pub fn with_lines(mut self, lines: usize) -> Self {
        self.lines = lines;
        self
    }
}

/// Renders a unified diff: a header for each file with the number of added and removed lines, then the lines of its
/// hunks with their numbers. Of more than [`DiffLimits::lines`] lines the first ones are rendered and the others
/// counted.
///
/// ```
/// use windlass_screen::{DiffLimits, RenderOptions, Theme, render_diff};
///
/// let diff = "--- a/x.rs\n+++ b/x.rs\n@@ -1,2 +1,2 @@\n fn main() {\n-    one();\n+    two();\n";
/// let lines = render_diff(diff, DiffLimits::default(), &RenderOptions::new(60, Theme::default()));
/// let text: Vec<String> = lines.iter().map(ToString::to_string).collect();
/// assert_eq!(text, ["x.rs (+1 -1)", "1   fn main() {", "2 -     one();", "2 +     two();"]);
/// ```
pub fn render_diff(diff: &str, limits: DiffLimits, options: &RenderOptions) -> Vec<Line<'static>> {
    render_counted(diff, limits, *options).0
}

/// Returns the lines of a diff, and the number of hidden ones.
pub(crate) fn render_counted(
    diff: &str,
    limits: DiffLimits,
    options: RenderOptions,
) -> (Vec<Line<'static>>, usize) {
    let rows = rows(diff);
    let shown = if rows.len() <= limits.lines.saturating_add(1) { rows.len() } else { limits.lines };
    let hidden = rows.len().saturating_sub(shown);
    let visible = rows.get(..shown).unwrap_or_default();
    let digits = visible.iter().filter_map(|row| row.number).max().unwrap_or_default().to_string().len();
    let mut lines = Vec::new();
    let mut at = 0;
    while let Some(row) = visible.get(at) {
        let rest = visible.get(at..).unwrap_or_default();
        let (removed, added) = count_changed_lines(rest);
        let (old, both) = (rest.get(..removed).unwrap_or_default(), removed.saturating_add(added));
        let new = rest.get(removed..both).unwrap_or_default();
        if both == 0 {
            lines.extend(render_row(row, None, digits, options));
        } else if removed == added {
            let pairs = old.iter().zip(new);
            let parts: Vec<_> = pairs
                .map(|(old, new)| find_changed_parts(old.text, new.text, limits.emphasis_bytes))
                .collect();
            for (row, (part, _)) in old.iter().zip(&parts) {
                lines.extend(render_row(row, *part, digits, options));
            }
            for (row, (_, part)) in new.iter().zip(&parts) {
                lines.extend(render_row(row, *part, digits, options));
            }
        } else {
            lines.extend(old.iter().chain(new).flat_map(|row| render_row(row, None, digits, options)));
        }
        at = at.saturating_add(both.max(1));
    }
    if hidden > 0 {
        lines.push(more_lines(hidden, 0, options));
    }
    (lines, hidden)
}

/// Returns the number of removed lines at the beginning of `rows`, and of the added lines that follow them.
fn count_changed_lines(rows: &[Row<'_>]) -> (usize, usize) {
    let removed = rows.iter().take_while(|row| row.kind == RowKind::Removed).count();
    let added = rows.iter().skip(removed).take_while(|row| row.kind == RowKind::Added).count();
    (removed, added)
}

/// Renders a line of a diff. `part` is the range of bytes that differs from the other version of the line.
fn render_row(
    row: &Row<'_>,
    part: Option<(usize, usize)>,
    digits: usize,
    options: RenderOptions,
) -> Vec<Line<'static>> {
    let (sign, role, word) = match row.kind {
        RowKind::File => {
            let counts = format!(" (+{} -{})", row.added, row.removed);
            let path = cut(&escape_line(row.text), options.columns.saturating_sub(counts.len()));
            return vec![Line::from(vec![options.span(Role::Path, path), options.span(Role::Faint, counts)])];
        }
        RowKind::Gap => return vec![Line::from(options.span(Role::Hunk, "⋮"))],
        RowKind::Note => {
            return crate::line::wrap_verbatim(row.text, Role::Faint, 0, options);
        }
        RowKind::Context => (' ', Role::Words, Role::Words),
        RowKind::Removed => ('-', Role::Removed, Role::RemovedWord),
        RowKind::Added => ('+', Role::Added, Role::AddedWord),
    };
    let number = row.number.map(|number| number.to_string()).unwrap_or_default();
    let mut spans = vec![
        options.span(Role::Faint, format!("{number:>digits$} ")),
        options.span(role, format!("{sign} ")),
    ];
    spans.extend(row_spans(row.text, part, role, word, options));
    let indent = Line::from(Span::raw(" ".repeat(digits.saturating_add(3))));
    wrap_hard(&Line::from(spans), options.columns, &indent)
}

fn row_spans(
    text: &str,
    part: Option<(usize, usize)>,
    role: Role,
    word: Role,
    options: RenderOptions,
) -> Vec<Span<'static>> {
    let pieces = part.and_then(|(from, to)| Some((text.get(..from)?, text.get(from..to)?, text.get(to..)?)));
    let Some((before, changed, after)) = pieces else { return vec![options.span(role, escape_line(text))] };
    [(before, role), (changed, word), (after, role)]
        .into_iter()
        .filter(|(piece, _)| !piece.is_empty())
        .map(|(piece, role)| options.span(role, escape_line(piece)))
        .collect()
}
