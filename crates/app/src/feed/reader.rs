//! Reading of a feed from its records, in any process.

use super::log::{self, FeedIdentity, NumberedEvents};
use super::{FeedEvent, FeedKind};
use crate::error::Result;
use crate::runs::RunFolder;
use crate::sessions::RunEntry;

/// Reads the numbered events of a run.
///
/// While another process works on the run, its newest records may not have numbers yet; they are not returned.
///
/// # Errors
///
/// Fails if the records or the log of the feed cannot be read.
pub(crate) fn read_run(folder: &RunFolder, session: &str, run: &RunEntry) -> Result<Vec<FeedEvent>> {
    let identity = FeedIdentity {
        session: session.to_owned(),
        run: run.id.clone(),
        first: run.first_seq,
        parent: run.parent.clone(),
        prices: folder.settings()?.budget.prices,
    };
    // The log first: a record is written before its item.
    let items = log::read(folder)?;
    let records = folder.records()?;
    let mut numbered = NumberedEvents::read(identity, &items, &records)?;
    if !folder.is_active() {
        numbered.add_rest(&records)?;
    }
    Ok(numbered.events)
}

/// Returns the window that gave the answer to a question, if the events contain the end of the question.
pub(crate) fn find_answer(events: &[FeedEvent], id: &str) -> Option<Option<String>> {
    events.iter().rev().find_map(|event| match &event.kind {
        FeedKind::QuestionClosed { question, by, .. } if question == id => Some(by.clone()),
        _ => None,
    })
}
