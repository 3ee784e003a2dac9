//! Options of every renderer.

use ratatui_core::style::Style;
use ratatui_core::text::Span;

use crate::theme::{Role, Theme};

/// The width and the theme with which text is rendered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct RenderOptions {
    /// Columns of the terminal. Rendered lines are at most this wide; see [`RenderOptions::new`].
    pub columns: usize,
    /// The styles.
    pub theme: Theme,
}

impl RenderOptions {
    /// The widest and the narrowest supported terminal, in columns.
    const COLUMNS: (usize, usize) = (20, 400);

    /// Creates options. The width is limited to 20 to 400 columns.
    pub fn new(columns: usize, theme: Theme) -> Self {
        let (least, most) = Self::COLUMNS;
        Self { columns: columns.clamp(least, most), theme }
    }

    /// Returns options for lines that are indented by some columns.
    pub(crate) fn indent(self, by: usize) -> Self {
        Self { columns: self.columns.saturating_sub(by).max(8), ..self }
    }

    pub(crate) fn style(self, role: Role) -> Style {
        self.theme.style(role)
    }

    /// Creates a span of a role. The text must be escaped already.
    pub(crate) fn span(self, role: Role, text: impl Into<String>) -> Span<'static> {
        Span::styled(text.into(), self.style(role))
    }
}
