//! Searches in the events of a feed.

use super::event::FeedEvent;
use super::kind::FeedKind;

/// Returns the end of a question, if the events contain it.
pub(crate) fn find_closing<'a>(events: &'a [FeedEvent], id: &str) -> Option<&'a FeedKind> {
    events
        .iter()
        .rev()
        .map(|event| &event.kind)
        .find(|kind| matches!(kind, FeedKind::QuestionClosed { question, .. } if question == id))
}
