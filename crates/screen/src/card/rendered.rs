//! A card as lines.

use ratatui_core::text::Line;

use super::answers::Answer;

/// A card as lines.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct RenderedCard {
    /// The lines.
    pub lines: Vec<Line<'static>>,
    /// True if the lines contain everything. Otherwise the answer cannot be remembered, and [`Answer::Details`] is
    /// offered.
    pub shows_all: bool,
    /// The offered answers, in the order of the last lines.
    pub answers: Vec<Answer>,
}
