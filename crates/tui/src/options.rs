//! Options of the terminal.

use windlass_screen::{RenderOptions, Theme};

/// Options of a conversation in the terminal.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
#[expect(clippy::struct_excessive_bools, reason = "independent options")]
pub struct TuiOptions {
    /// The styles.
    pub theme: Theme,
    /// Session to open at the start: an id, the beginning of an id, or `last`.
    pub session: Option<String>,
    /// True if the session picker opens at the start.
    pub has_picker: bool,
    /// Command of the external editor, with its arguments.
    pub editor: Option<String>,
    /// True if the terminal is asked for its background at the start. Its answer replaces the background of `theme`.
    pub asks_background: bool,
    /// True if the terminal wraps its lines anew when it gets narrower.
    pub is_reflowing: bool,
    /// True if the conversation has the whole screen, with its own scrolling. Otherwise its lines enter the scrollback of
    /// the terminal.
    pub is_full_screen: bool,
    /// Name of the window in the records of answers.
    pub window: String,
    /// First line on the screen.
    pub greeting: String,
}

/// The size of the terminal and the styles.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Canvas {
    pub(crate) columns: usize,
    pub(crate) rows: usize,
    pub(crate) theme: Theme,
}

impl Canvas {
    /// Returns the options of the renderers. The last column stays empty, so a line never leaves the cursor behind
    /// the edge, where terminals differ.
    pub(crate) fn render_options(self) -> RenderOptions {
        RenderOptions::new(self.columns.saturating_sub(1), self.theme)
    }
}
