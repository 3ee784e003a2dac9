//! Searches in the events of a feed.

use std::collections::BTreeMap;

use super::card::Question;
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

/// Returns the questions that the events of a run open and do not close, in the order in which they were asked.
pub(crate) fn find_open(events: Vec<FeedEvent>, of_run: &str) -> Vec<(String, Question)> {
    let mut open = BTreeMap::new();
    for FeedEvent { seq, run, kind, .. } in events {
        if run != of_run {
            continue;
        }
        match kind {
            FeedKind::QuestionOpened { question, card } => {
                open.insert(question, (seq, card));
            }
            FeedKind::QuestionClosed { question, .. } => drop(open.remove(&question)),
            _ => {}
        }
    }
    let mut open: Vec<_> = open.into_iter().collect();
    open.sort_by_key(|(_, (seq, _))| *seq);
    open.into_iter().map(|(question, (_, card))| (question, card)).collect()
}
