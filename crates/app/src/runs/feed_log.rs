//! The log of a run's feed, beside the run's journal.

use std::path::PathBuf;

use windlass_journal::{FileJournal, Journal, Record};

use super::folder::RunFolder;
use crate::error::Result;
use crate::feed::{FeedEvent, FeedIdentity, NumberedEvents};
use crate::sessions::record::RunEntry;

/// Key of the log among the journals of a run in a database.
const KEY: &str = "feed";

fn path(folder: &RunFolder) -> PathBuf {
    folder.path.join("feed")
}

/// Opens the log of a run's feed for appends. Needs the lease of a run in a database.
pub(super) fn open_log(folder: &RunFolder) -> Result<Box<dyn Journal + Send>> {
    if let Some(shared) = folder.shared() {
        // The last events are written after the run's journal is dropped.
        return shared.open_with_lease(KEY);
    }
    let path = path(folder);
    let journal = if path.exists() { FileJournal::open(&path)?.0 } else { FileJournal::create(&path)? };
    Ok(Box::new(journal))
}

/// Reads the items of a log; none if the run has no log.
fn read_log(folder: &RunFolder) -> Result<Vec<Record>> {
    if let Some(shared) = folder.shared() {
        return Ok(shared.store.read_journal(&shared.id, KEY)?);
    }
    let path = path(folder);
    if path.exists() { Ok(FileJournal::read(path)?) } else { Ok(Vec::new()) }
}

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
    let items = read_log(folder)?;
    let records = folder.records()?;
    let mut numbered = NumberedEvents::read(identity, &items, &records)?;
    if !folder.is_active() {
        numbered.add_rest(&records)?;
    }
    Ok(numbered.events)
}
