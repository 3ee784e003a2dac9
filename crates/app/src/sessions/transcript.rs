//! The conversation of a run, restored from its records.

use windlass_agent::{Entry, Outcome, Transcript};
use windlass_journal::Record;
use windlass_loop::{Config, Machine};
use windlass_protocol::CallId;

use super::link::ForkPoint;
use crate::error::{Context as _, Result, ensure};

/// Reads the entries of a run.
pub(super) fn read_entries(records: &[Record]) -> Result<Vec<Entry>> {
    Ok(records.iter().map(Record::read::<Entry>).collect::<std::result::Result<_, _>>()?)
}

/// Returns the outcome of a run, if it has ended.
pub(super) fn outcome(entries: &[Entry]) -> Option<&Outcome> {
    match entries.last() {
        Some(Entry::Finished { outcome }) => Some(outcome),
        _ => None,
    }
}

/// Returns the conversation of a run after these entries. An answer whose calls lack results is not part of it.
pub(super) fn restore(mut entries: Vec<Entry>) -> Result<Transcript> {
    // The machine refuses to resume a completed run. Only its conversation is needed here.
    entries.retain(|entry| !matches!(entry, Entry::Finished { outcome: Outcome::Completed { .. } }));
    let config = Config::new("", Vec::new());
    let (machine, _) =
        Machine::resume(config, entries, 0).context("the conversation of the run cannot be restored")?;
    Ok(machine.transcript().clone())
}

/// Returns the entries before a point.
pub(super) fn cut(mut entries: Vec<Entry>, point: &ForkPoint) -> Result<Vec<Entry>> {
    let answers: Vec<usize> = entries
        .iter()
        .enumerate()
        .filter(|(_, entry)| matches!(entry, Entry::Answered { .. }))
        .map(|(position, _)| position)
        .collect();
    let end = match point {
        ForkPoint::End => entries.len(),
        ForkPoint::AfterTurn(turn) => {
            let count = u32::try_from(answers.len()).unwrap_or(u32::MAX);
            ensure!(
                *turn <= count,
                NotFound,
                "the run has {count} turns, so it cannot be forked after turn {turn}"
            );
            answers.get(*turn as usize).copied().unwrap_or(entries.len())
        }
        ForkPoint::BeforeCall(call) => {
            let id = CallId::new(call.as_str()).context("the name of the call is invalid")?;
            let has_call = |position: &&usize| match entries.get(**position) {
                Some(Entry::Answered { message, .. }) => message.calls().any(|made| made.id == id),
                _ => false,
            };
            let found = answers.iter().find(has_call).copied();
            found.with_context(|| format!("the run has no call {call}"))?
        }
    };
    entries.truncate(end);
    Ok(entries)
}
