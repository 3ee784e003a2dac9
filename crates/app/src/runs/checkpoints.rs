//! Checkpoints of a run, made while it works, stored beside its journal and found by turn.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;

use windlass_agent::{
    CheckpointFailed, CheckpointFuture, Checkpointer, Entry, RunOptions, WithoutCheckpoint,
};
use windlass_checkpoint::{Checkpoint, CheckpointError, CheckpointId, Checkpoints, Diff, DiffEnd};
use windlass_journal::Record;

use super::RunFolder;
use crate::app::App;
use crate::config::RunSettings;
use crate::error::{Result, ensure};
use crate::notices::Notices;

const BEFORE: &str = "before turn ";
const AFTER: &str = "after turn ";

/// Time after which a person is told what the run waits for.
const SLOW: Duration = Duration::from_secs(2);

/// Adds checkpoints to the options of a run, unless its settings disable them.
pub(crate) fn add_checkpoints(
    options: RunOptions,
    app: &App,
    folder: &RunFolder,
    settings: &RunSettings,
) -> RunOptions {
    if settings.no_checkpoints {
        return options;
    }
    let keeper = Keeper(Arc::new(RunCheckpoints {
        folder: folder.clone(),
        root: settings.root.clone(),
        open: Mutex::default(),
        before: Mutex::default(),
        running: Arc::default(),
        given_up: OnceLock::new(),
        notices: app.notices().clone(),
        reported: OnceLock::new(),
    }));
    options.with_checkpoints(keeper, WithoutCheckpoint::Run)
}

/// Makes the checkpoint that a killed process could not make, if a call started and has no result. Without
/// it, a later restore would treat the call's changes as foreign. Makes none if no call was running, because
/// then the changes may be the user's.
pub(crate) fn make_missing_checkpoint(
    folder: &RunFolder,
    settings: &RunSettings,
    records: &[Record],
) -> Result<()> {
    if settings.no_checkpoints || !folder.checkpoints().is_dir() || !has_unknown_call(records)? {
        return Ok(());
    }
    let checkpoints = open_checkpoints(folder, settings)?;
    let turn = checkpoints.list()?.last().and_then(|last| parse_turn(last, BEFORE));
    if let Some(turn) = turn {
        checkpoints.take(&format!("{AFTER}{turn}"))?;
    }
    Ok(())
}

/// Returns true if a call started whose result is not in the journal.
fn has_unknown_call(records: &[Record]) -> Result<bool> {
    let mut begun = BTreeSet::new();
    for record in records {
        match record.read::<Entry>()? {
            Entry::Intent { call } => drop(begun.insert(call)),
            Entry::Deferred { call } => drop(begun.remove(&call)),
            Entry::Result { result } => drop(begun.remove(&result.call)),
            _ => {}
        }
    }
    Ok(!begun.is_empty())
}

/// Opens the checkpoints of a run that has any.
///
/// # Errors
///
/// Fails if the run has no checkpoints, or if git or the folder cannot be used.
pub fn open_checkpoints(folder: &RunFolder, settings: &RunSettings) -> Result<Checkpoints> {
    ensure!(
        folder.checkpoints().is_dir(),
        NotFound,
        "run {} has no checkpoints: it changed nothing",
        folder.id
    );
    Ok(Checkpoints::open(&settings.root, folder.checkpoints())?)
}

/// Returns the first checkpoint before a turn with at least this number: the state before the turn, because
/// turns without a checkpoint changed nothing.
pub fn find_before_turn(all: &[Checkpoint], turn: u32) -> Option<&Checkpoint> {
    let number =
        |checkpoint: &&Checkpoint| parse_turn(checkpoint, BEFORE).is_some_and(|number| number >= turn);
    all.iter().find(number)
}

/// Returns the checkpoint after a turn, or `None` if the turn changed nothing or did not end.
pub fn find_after_turn(all: &[Checkpoint], turn: u32) -> Option<&Checkpoint> {
    all.iter().rev().find(|checkpoint| parse_turn(checkpoint, AFTER) == Some(turn))
}

fn parse_turn(checkpoint: &Checkpoint, kind: &str) -> Option<u32> {
    checkpoint.label.strip_prefix(kind)?.parse().ok()
}

/// Returns the text of a diff, with a final line that states whether it was truncated.
pub fn format_diff(diff: Diff) -> String {
    let end = if diff.is_cut { "[the diff is cut here]\n" } else { "" };
    diff.text + end
}

/// Checkpointer that works on blocking threads, because it reads files and starts git.
struct Keeper(Arc<RunCheckpoints>);

struct RunCheckpoints {
    folder: RunFolder,
    root: std::path::PathBuf,
    /// Opened at the first checkpoint, because a run that only reads needs no repository.
    open: Mutex<Option<Arc<Checkpoints>>>,
    before: Mutex<Option<CheckpointId>>,
    /// Lock of the running operation. A dropped future leaves its operation running: without the lock it could
    /// save a state after a later operation, and a turn would be compared with its own end.
    running: Arc<tokio::sync::Mutex<()>>,
    /// Permanent reason why this run has no checkpoints. Avoids another walk through a folder that is too
    /// large at each turn.
    given_up: OnceLock<String>,
    notices: Notices,
    /// Set when a wait was reported, so that a run reports one.
    reported: OnceLock<()>,
}

type Kind = fn(&RunCheckpoints, u32) -> Result<String, CheckpointError>;

impl Keeper {
    fn on_a_thread(&self, turn: u32, work: Kind) -> CheckpointFuture<'_> {
        let kept = Arc::clone(&self.0);
        Box::pin(async move {
            let running = Arc::clone(&kept.running).lock_owned().await;
            let worker = Arc::clone(&kept);
            let mut done = tokio::task::spawn_blocking(move || {
                let _running = running;
                worker.try_checkpoint(turn, work)
            });
            let done = if let Ok(done) = tokio::time::timeout(SLOW, &mut done).await {
                done
            } else {
                kept.report_wait();
                done.await
            };
            done.map_err(|error| CheckpointFailed::new(chain(&error)))?
        })
    }
}

impl Checkpointer for Keeper {
    fn save_before_change(&self, turn: u32) -> CheckpointFuture<'_> {
        self.on_a_thread(turn, |kept, turn| {
            let id = kept.open()?.take(&format!("{BEFORE}{turn}"))?.checkpoint.id;
            *kept.before.lock().unwrap_or_else(PoisonError::into_inner) = Some(id);
            Ok(id.to_string())
        })
    }

    fn diff_of_turn(&self, turn: u32) -> CheckpointFuture<'_> {
        self.on_a_thread(turn, |kept, turn| {
            let checkpoints = kept.open()?;
            let after = checkpoints.take(&format!("{AFTER}{turn}"))?.checkpoint.id;
            let before = *kept.before.lock().unwrap_or_else(PoisonError::into_inner);
            before.map_or_else(
                || Ok(String::new()),
                |before| checkpoints.diff(&before, DiffEnd::Checkpoint(&after)).map(format_diff),
            )
        })
    }

    fn diff_of_run(&self) -> CheckpointFuture<'_> {
        self.on_a_thread(0, |kept, _| {
            let checkpoints = kept.open()?;
            let all = checkpoints.list()?;
            match (all.first(), all.last()) {
                (Some(first), Some(last)) => {
                    checkpoints.diff(&first.id, DiffEnd::Checkpoint(&last.id)).map(format_diff)
                }
                _ => Ok(String::new()),
            }
        })
    }
}

impl RunCheckpoints {
    fn try_checkpoint(&self, turn: u32, work: Kind) -> Result<String, CheckpointFailed> {
        if let Some(why) = self.given_up.get() {
            return Err(CheckpointFailed::new(why));
        }
        work(self, turn).map_err(|error| {
            let text = chain(&error);
            if is_lasting(&error) {
                // `set` fails only if another thread has stored an equal reason.
                let _ = self.given_up.set(text.clone());
            }
            CheckpointFailed::new(text)
        })
    }

    fn report_wait(&self) {
        if self.reported.set(()).is_ok() {
            let place = self.root.display();
            self.notices.inform(format!("the run waits for a checkpoint: the files of {place} are stored"));
        }
    }

    fn open(&self) -> Result<Arc<Checkpoints>, CheckpointError> {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(checkpoints) = &*open {
            return Ok(Arc::clone(checkpoints));
        }
        let checkpoints = Arc::new(Checkpoints::open(&self.root, self.folder.checkpoints())?);
        *open = Some(Arc::clone(&checkpoints));
        Ok(checkpoints)
    }
}

fn is_lasting(error: &CheckpointError) -> bool {
    matches!(
        error,
        CheckpointError::NoGit(_) | CheckpointError::InWorkspace { .. } | CheckpointError::TooMuch { .. }
    )
}

fn chain(error: &dyn std::error::Error) -> String {
    error.source().map_or_else(|| error.to_string(), |source| format!("{error}: {}", chain(source)))
}

#[cfg(test)]
mod tests;
