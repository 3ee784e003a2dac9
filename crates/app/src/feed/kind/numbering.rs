//! The difference between numbered events and deltas.

use super::FeedKind;

impl FeedKind {
    /// Returns true if an event of this kind has a number of its own and is read again. The other kinds are deltas.
    pub fn is_numbered(&self) -> bool {
        !matches!(
            self,
            Self::TurnStarted { .. }
                | Self::ReasoningDelta { .. }
                | Self::ReasoningEnded { .. }
                | Self::TextDelta { .. }
                | Self::TextEnded { .. }
                | Self::CallStarted { .. }
                | Self::ArgumentsDelta { .. }
                | Self::ArgumentsEnded { .. }
                | Self::CallNote { .. }
                | Self::CallOutput { .. }
        )
    }
}
