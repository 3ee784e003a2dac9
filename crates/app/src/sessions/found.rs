//! Runs without a session, which are shown as sessions with one run.

use std::time::UNIX_EPOCH;

use super::record::{SessionRecord, SessionState};
use super::transcript::{outcome, read_entries};
use crate::app::App;
use crate::error::Result;
use crate::feed::{FeedEvent, FeedKind, RunOutcome, now_ms};
use crate::runs::{OpenQuestions, RunFolder, read_run};

/// Returns the session of a run without one; `None` if the folder is not the run of an agent.
///
/// # Errors
///
/// Fails if the records of the run cannot be read.
pub(super) fn find_session(app: &App, run: &str) -> Result<Option<SessionRecord>> {
    let folder = app.find_run(run)?;
    if folder.is_workflow() || (folder.shared().is_none() && !folder.journal().is_file()) {
        return Ok(None);
    }
    let settings = folder.settings()?;
    let seconds = run.split('-').next().and_then(|seconds| seconds.parse::<u64>().ok());
    let created_ms = seconds.map_or_else(now_ms, |seconds| seconds.saturating_mul(1_000));
    let mut record = SessionRecord::new(run, &settings, created_ms);
    record.is_found = true;
    update(&folder, &mut record)?;
    Ok(Some(record))
}

/// Reads the state of a found session again if its run has changed. Returns true if the record changed.
pub(super) fn refresh(app: &App, record: &mut SessionRecord) -> bool {
    let Some(folder) = record.newest_run().and_then(|run| app.find_run(&run.id).ok()) else { return false };
    let is_final = record.state == SessionState::Ended;
    let changed = modification_ms(&folder);
    // Earlier versions did not note the time. The journal of a copied run is younger than the run's last event.
    let is_read = changed.zip(record.read_ms).is_some_and(|(changed, read)| changed <= read);
    if is_final || (!record.state.is_active() && is_read) {
        return false;
    }
    let before = record.clone();
    update(&folder, record).is_ok() && *record != before
}

/// Returns the time of the last change of a run's journal in milliseconds since 1970.
fn modification_ms(folder: &RunFolder) -> Option<u64> {
    let changed = folder.journal().metadata().and_then(|data| data.modified()).ok()?;
    u64::try_from(changed.duration_since(UNIX_EPOCH).ok()?.as_millis()).ok()
}

fn update(folder: &RunFolder, record: &mut SessionRecord) -> Result<()> {
    // Before the records are read, so a later record changes the time.
    record.read_ms = modification_ms(folder);
    let entries = read_entries(&folder.records()?)?;
    let has_ended = outcome(&entries).is_some();
    let is_active = !has_ended && folder.is_active();
    let open = OpenQuestions::load(folder)?;
    record.open_questions = open.questions.len().saturating_add(usize::from(open.guidance.is_some()));
    let Some(run) = record.runs.first_mut() else { return Ok(()) };
    let events = read_run(folder, &record.id, run)?;
    record.updated_ms = events.last().map_or(record.updated_ms, |event| event.at_ms);
    record.state = if is_active { SessionState::Working } else { SessionState::Interrupted };
    for FeedEvent { agent, kind, .. } in &events {
        match kind {
            FeedKind::TurnEnded { total, .. } | FeedKind::RunEnded { total, .. } if agent.is_none() => {
                run.total = *total;
            }
            FeedKind::TurnEnded { usage, .. } => run.total.add(usage),
            _ => {}
        }
    }
    // The diff of a run follows its end.
    if has_ended && let Some(outcome) = find_outcome(&events) {
        record.state = SessionState::from(outcome);
    }
    Ok(())
}

fn find_outcome(events: &[FeedEvent]) -> Option<&RunOutcome> {
    events.iter().rev().find_map(|event| match &event.kind {
        FeedKind::RunEnded { outcome, .. } if event.agent.is_none() => Some(outcome),
        _ => None,
    })
}
