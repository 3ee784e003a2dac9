//! The journal of a run: created, opened, or opened after damage.

use windlass_journal::{FileJournal, Journal, Tail};
use windlass_text::count_noun;
use windlass_tool::CancellationToken;

use super::inbox::store_message;
use super::{MessageTime, RunFolder};
use crate::app::App;
use crate::error::Result;

/// Message to a model that continues after the end of its journal was dropped.
const RECORD_WAS_DAMAGED: &str = "The record of this run was damaged, and its last steps are lost. Check \
                                  the current state of your work before you continue; calls that you made \
                                  in the lost steps may have run.";

type RunJournal = Box<dyn Journal + Send>;

pub(super) fn create_journal(folder: &RunFolder, cancellation: &CancellationToken) -> Result<RunJournal> {
    match folder.shared() {
        Some(shared) => Ok(Box::new(shared.open_journal(folder.outputs(), cancellation)?)),
        None => Ok(Box::new(FileJournal::create(folder.journal())?)),
    }
}

pub(super) fn open_journal(
    app: &App,
    folder: &RunFolder,
    cancellation: &CancellationToken,
    salvage: bool,
) -> Result<RunJournal> {
    match folder.shared() {
        Some(shared) => Ok(Box::new(shared.open_journal(folder.outputs(), cancellation)?)),
        None if salvage => Ok(Box::new(salvage_journal(app, folder)?)),
        None => Ok(Box::new(open_file(app, folder)?)),
    }
}

fn open_file(app: &App, folder: &RunFolder) -> Result<FileJournal> {
    let (journal, tail) = FileJournal::open(folder.journal())?;
    if let Tail::Torn { bytes } = tail {
        let dropped = count_noun(bytes, "byte");
        app.inform(format!("the last record had been cut by a crash; it was dropped ({dropped})"));
    }
    Ok(journal)
}

fn salvage_journal(app: &App, folder: &RunFolder) -> Result<FileJournal> {
    let (journal, salvaged) = FileJournal::salvage(folder.journal())?;
    if let Some(salvaged) = salvaged {
        app.inform(format!(
            "the record was damaged at line {}; {} bytes from there on are left out, and kept in {}",
            salvaged.line,
            salvaged.bytes,
            salvaged.copy.display()
        ));
        store_message(folder, RECORD_WAS_DAMAGED, MessageTime::AfterTurn)?;
    }
    Ok(journal)
}
