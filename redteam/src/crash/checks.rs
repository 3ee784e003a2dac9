//! The conditions that must hold for a run that was killed.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use windlass_agent::{Entry, Outcome};
use windlass_protocol::{ResultStatus, ToolResult};

use super::script::{TURNS, files, patches};
use super::storage::RunJournal;

/// Checks that no acknowledged record is lost and that all records can be read.
pub(super) fn records(journal: &RunJournal, acknowledged: u64) -> anyhow::Result<()> {
    let there = journal.records()?.len() as u64;
    anyhow::ensure!(there >= acknowledged, "{acknowledged} records were kept, {there} are there");
    Ok(())
}

/// Returns true if the run has completed.
pub(super) fn is_done(journal: &RunJournal) -> anyhow::Result<bool> {
    let Some(last) = journal.records()?.pop() else { return Ok(false) };
    Ok(matches!(last.read::<Entry>()?, Entry::Finished { outcome: Outcome::Completed { .. } }))
}

/// Returns true if the run whose journal is a file has completed.
pub(crate) fn is_file_done(journal: &Path) -> anyhow::Result<bool> {
    is_done(&RunJournal::File(journal.to_owned()))
}

/// Checks the effects of a run: each change of a file is made exactly once; every other effect at most once,
/// and exactly once if its result is `Ok`; each call has one result.
pub(super) fn whole(folder: &Path, journal: &RunJournal) -> anyhow::Result<()> {
    let results = results(journal)?;
    for (name, text) in files(TURNS, patches()) {
        let there = fs::read_to_string(folder.join("work").join(name))?;
        anyhow::ensure!(there == text, "{name} is {there:?} and should be {text:?}");
    }
    for turn in 0..TURNS {
        for what in ["read", "edit"] {
            let result = find_result(&results, &format!("t{turn}-{what}"))?;
            anyhow::ensure!(result.status == ResultStatus::Ok, "t{turn}-{what}: {}", result.wire_text());
        }
    }
    for (id, result) in results.iter().filter(|(id, _)| id.ends_with("-patch")) {
        let is_partly =
            result.status == ResultStatus::EffectsUnknown && result.wire_text().contains("not yet");
        anyhow::ensure!(result.status == ResultStatus::Ok || is_partly, "{id}: {}", result.wire_text());
    }
    marks(&folder.join("marks"), "mark", &results)?;
    marks(&folder.join("work/shell-marks"), "shell", &results)
}

fn find_result<'r>(results: &'r BTreeMap<String, ToolResult>, id: &str) -> anyhow::Result<&'r ToolResult> {
    results.get(id).ok_or_else(|| anyhow::anyhow!("{id} has no result"))
}

/// Returns the recorded results by call. Fails if a call has two.
fn results(journal: &RunJournal) -> anyhow::Result<BTreeMap<String, ToolResult>> {
    let mut results = BTreeMap::new();
    for record in journal.records()? {
        if let Entry::Result { result } = record.read::<Entry>()? {
            let id = result.call.to_string();
            anyhow::ensure!(results.insert(id.clone(), result).is_none(), "{id} has two results");
        }
    }
    Ok(results)
}

fn marks(file: &Path, what: &str, results: &BTreeMap<String, ToolResult>) -> anyhow::Result<()> {
    let text = fs::read_to_string(file).unwrap_or_default();
    for turn in 0..TURNS {
        let id = format!("t{turn}-{what}");
        let count = text.lines().filter(|line| *line == id).count();
        let result = find_result(results, &id)?;
        let fits = match result.status {
            ResultStatus::Ok => count == 1,
            ResultStatus::EffectsUnknown => count <= 1,
            _ => false,
        };
        anyhow::ensure!(fits, "{id} was made {count} times, and its result says: {}", result.wire_text());
    }
    Ok(())
}
