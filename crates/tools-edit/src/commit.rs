//! Execution of a plan: writes all files, or none.

use windlass_protocol::ErrorText;
use windlass_sandbox::{Contents, ExpectedState, FileError, Version, Workspace, WorkspacePath};
use windlass_tool::CancellationToken;

use crate::planned::PlannedChange;

/// Inverse of an executed step.
enum Undo {
    /// The file was created, possibly with folders.
    Unmake(WorkspacePath, Version, Vec<WorkspacePath>),
    /// The file was changed or removed.
    PutBack(Contents, ExpectedState),
}

/// Executes a plan. Files are created and changed before any is removed, so that little has to be restored
/// after an error. A call that is stopped between two steps takes back the steps before, so that it changes all
/// files or none.
///
/// # Errors
/// Describes the failed step and every change that could not be undone. If it lists none of these, no file is
/// changed.
pub(crate) fn commit(
    workspace: &Workspace,
    planned: &[PlannedChange],
    stop: &CancellationToken,
) -> Result<(), ErrorText> {
    let mut done = Vec::new();
    for step in planned.iter().map(Step::Write).chain(planned.iter().map(Step::Remove)) {
        if stop.is_cancelled() {
            return Err(roll_back(workspace, done, "the call was stopped".into()));
        }
        if let Err(error) = step.make(workspace, &mut done) {
            return Err(roll_back(workspace, done, error.into()));
        }
    }
    for plan in planned {
        let known =
            plan.before.as_ref().is_none_or(|before| workspace.last_seen_version(&before.path).is_some());
        if let (true, Some(after), Some(path)) = (known, &plan.after, plan.lands(workspace)) {
            workspace.remember(&path, Version::compute(after));
        }
    }
    Ok(())
}

enum Step<'p> {
    Write(&'p PlannedChange),
    Remove(&'p PlannedChange),
}

impl Step<'_> {
    fn make(&self, workspace: &Workspace, done: &mut Vec<Undo>) -> Result<(), FileError> {
        match self {
            Self::Write(plan) => write(workspace, plan, done),
            Self::Remove(plan) => remove(workspace, plan, done),
        }
    }
}

fn write(workspace: &Workspace, plan: &PlannedChange, done: &mut Vec<Undo>) -> Result<(), FileError> {
    let Some(after) = &plan.after else { return Ok(()) };
    let path = plan.to.as_ref().unwrap_or(&plan.path);
    if let Some(replaced) = &plan.replaced {
        workspace.remove(path, replaced.version)?;
        done.push(Undo::PutBack(replaced.clone(), ExpectedState::Absent));
    }
    let written = match (&plan.before, &plan.to) {
        (Some(before), Some(_)) => workspace.write_like(path, after, plan.state_to_expect(), before),
        _ => workspace.write(path, after, plan.state_to_expect()),
    }?;
    done.push(match (&plan.before, &plan.to) {
        (Some(before), None) => Undo::PutBack(before.clone(), ExpectedState::Unchanged(written.version)),
        _ => Undo::Unmake(written.path, written.version, written.folders),
    });
    Ok(())
}

fn remove(workspace: &Workspace, plan: &PlannedChange, done: &mut Vec<Undo>) -> Result<(), FileError> {
    let Some(before) = plan.before.as_ref().filter(|_| plan.after.is_none() || plan.to.is_some()) else {
        return Ok(());
    };
    workspace.remove(&plan.path, before.version)?;
    done.push(Undo::PutBack(before.clone(), ExpectedState::Absent));
    Ok(())
}

fn roll_back(workspace: &Workspace, done: Vec<Undo>, error: ErrorText) -> ErrorText {
    let mut left = Vec::new();
    for step in done.into_iter().rev() {
        let (path, undone) = match step {
            Undo::Unmake(path, version, folders) => {
                let undone = workspace.remove(&path, version);
                // A folder with content that was created in the meantime is kept.
                folders.iter().rev().all(|folder| workspace.remove_folder(folder).is_ok());
                (path, undone)
            }
            Undo::PutBack(before, now) => {
                let put = workspace.write_like(&before.path, &before.bytes, now, &before);
                (before.path, put.map(drop))
            }
        };
        if let Err(error) = undone {
            left.push(format!("\n- `{path}` could not be put back: {error}"));
        }
    }
    if left.is_empty() {
        return error.map_problem(|problem| format!("{problem}; nothing was changed"));
    }
    error.map_problem(|problem| {
        format!("{problem}. The earlier changes were undone, except:{}", left.concat())
    })
}

impl PlannedChange {
    /// Returns the real path of the file after the change.
    fn lands(&self, workspace: &Workspace) -> Option<WorkspacePath> {
        workspace.real(self.to.as_ref().unwrap_or(&self.path)).ok()
    }
}

#[cfg(test)]
mod tests;
