//! `windlass diff` and `windlass restore`: shows the changes of a run, and reverts them.

use std::fmt::Write as _;
use std::process::ExitCode;

use anyhow::Context as _;
use serde_json::json;
use windlass_app::runs::{RunFolder, find_after_turn, find_before_turn, format_diff, open_checkpoints};
use windlass_app::{App, secrets};
use windlass_checkpoint::{Checkpoint, Checkpoints, DiffEnd, ForeignChanges, RestoreResult, SkipReason};
use windlass_hitl::display_safe;
use windlass_journal::FileJournal;
use windlass_text::count_noun;

use crate::arguments::{Diff, Restore};
use crate::named_run::find_named_run;
use crate::output;

pub(crate) fn diff(arguments: &Diff, app: &App) -> anyhow::Result<ExitCode> {
    let app = arguments.store.open(app)?;
    let (folder, checkpoints, all) = open_run(&app, &arguments.run)?;
    let (first, last) = ends(&all, &folder)?;
    let (from, until) = match arguments.turn {
        None => (first, DiffEnd::Checkpoint(&last.id)),
        Some(turn) => {
            let next = find_before_turn(&all, turn.saturating_add(1));
            let from = find_before_turn(&all, turn).filter(|from| next != Some(from));
            let from = from.with_context(|| format!("turn {turn} of run {} changed nothing", folder.id))?;
            // An interrupted turn ends where the next one begins, or now if it was the last.
            let end = find_after_turn(&all, turn).or(next);
            (from, end.map_or(DiffEnd::Now, |end| DiffEnd::Checkpoint(&end.id)))
        }
    };
    let until = if arguments.now { DiffEnd::Now } else { until };
    let text = format_diff(checkpoints.diff(&from.id, until)?);
    // A pipe gets the text unescaped, so that the diff can be applied; a terminal gets it escaped.
    let text = secrets::environment_redactor().redact(&text).into_owned();
    output::content(&text)?;
    Ok(ExitCode::SUCCESS)
}

pub(crate) fn restore(arguments: &Restore, app: &App) -> anyhow::Result<ExitCode> {
    let (folder, checkpoints, all) = open_run(app, &arguments.run)?;
    if arguments.list {
        for checkpoint in &all {
            output::print(&format!("{}  {}\n", checkpoint.id, display_safe(&checkpoint.label)))?;
        }
        return Ok(ExitCode::SUCCESS);
    }
    let to = match (&arguments.checkpoint, arguments.to) {
        (Some(id), _) => id.parse()?,
        (None, Some(turn)) => {
            find_before_turn(&all, turn).map_or_else(|| nothing_since(&folder, turn), |to| Ok(to.id))?
        }
        (None, None) => ends(&all, &folder)?.0.id,
    };
    let foreign = match (arguments.keep, arguments.force) {
        (true, _) => ForeignChanges::Keep,
        (_, true) => ForeignChanges::Overwrite,
        _ => ForeignChanges::Refuse,
    };
    let (restored, tense) = if arguments.dry_run {
        (checkpoints.preview_restore(&to, foreign), "would be")
    } else {
        // The lock of the journal proves that the run does not work: its changes would conflict with the
        // restored files.
        let journal = FileJournal::open(folder.journal())
            .with_context(|| format!("run {} cannot be restored while it works", folder.id))?;
        let restored = checkpoints.restore(&to, foreign);
        drop(journal);
        (restored, "were")
    };
    let restored = restored.map_err(|error| add_advice(error.into()))?;
    if arguments.json {
        output::line(&in_json(&restored))?;
    } else {
        output::print(&describe_restore(&restored, tense))?;
        if let Some(undo) = &restored.undo {
            output::note(&format!("undo with: windlass restore {} --checkpoint {undo}", folder.id));
        }
    }
    let is_whole = !restored.kept.iter().any(|kept| matches!(kept.why, SkipReason::Failed(_)));
    Ok(if is_whole { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn open_run(app: &App, run: &str) -> anyhow::Result<(RunFolder, Checkpoints, Vec<Checkpoint>)> {
    let folder = find_named_run(app, run)?;
    let checkpoints = open_checkpoints(&folder, &folder.settings()?)?;
    let all = checkpoints.list()?;
    Ok((folder, checkpoints, all))
}

/// Returns the first and the last checkpoint of a run.
fn ends<'c>(all: &'c [Checkpoint], folder: &RunFolder) -> anyhow::Result<(&'c Checkpoint, &'c Checkpoint)> {
    all.first().zip(all.last()).with_context(|| format!("run {} has no checkpoints", folder.id))
}

fn nothing_since<T>(folder: &RunFolder, turn: u32) -> anyhow::Result<T> {
    anyhow::bail!("run {} has changed nothing from turn {turn} on", folder.id)
}

fn add_advice(error: anyhow::Error) -> anyhow::Error {
    let foreign = error
        .downcast_ref()
        .is_some_and(|error| matches!(error, windlass_checkpoint::CheckpointError::Foreign { .. }));
    if foreign {
        error.context("pass --keep to leave them as they are, or --force to restore them, too")
    } else {
        error
    }
}

fn describe_restore(restored: &RestoreResult, tense: &str) -> String {
    let mut text = String::new();
    let mut line = |what: &str, path: &str| {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{what} {}", display_safe(path));
    };
    for path in &restored.written {
        line("restored", path);
    }
    for path in &restored.removed {
        line("removed ", path);
    }
    for kept in &restored.kept {
        line("kept    ", &format!("{} ({})", kept.path, reason(&kept.why)));
    }
    let (removed, kept) = (restored.removed.len(), restored.kept.len());
    let written = count_noun(restored.written.len(), "file");
    // Writing to a string cannot fail.
    let _ = writeln!(
        text,
        "{written} {tense} restored, {removed} removed; left because of other changes: {kept}"
    );
    text
}

fn reason(why: &SkipReason) -> String {
    match why {
        SkipReason::Foreign => "another program changed it since".to_owned(),
        SkipReason::Unknown => "created since, and not in a checkpoint".to_owned(),
        SkipReason::Failed(words) => words.clone(),
        _ => "it stays".to_owned(),
    }
}

fn in_json(restored: &RestoreResult) -> serde_json::Value {
    let kept = restored.kept.iter().map(|kept| json!({"path": kept.path, "why": reason(&kept.why)}));
    json!({
        "undo": restored.undo.map(|undo| undo.to_string()),
        "written": restored.written,
        "removed": restored.removed,
        "kept": kept.collect::<Vec<_>>(),
    })
}
