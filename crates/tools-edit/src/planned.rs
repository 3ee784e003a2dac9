//! Plan of a patch: all files are checked before any is written (RULES E4).

use std::collections::HashSet;

use windlass_protocol::{ErrorText, PlannedFile};
use windlass_sandbox::{Contents, ExpectedState, FileError, Kind, Version, Workspace, WorkspacePath};
use windlass_text::{Room, Side, diff};
use windlass_tool::Change;

use crate::effort::Effort;
use crate::joined::{apply_hunks, now_near};
use crate::lines::Likeness;
use crate::patch::{Hunk, Section};
use crate::places::Order;

/// Maximum total size of all files of a patch, before and after the change, in bytes.
const MAX_HELD_BYTES: usize = 160 * 1024 * 1024;

/// Planned change of one file.
#[derive(Debug)]
pub(crate) struct PlannedChange {
    /// The path of the file, or of the new file.
    pub(crate) path: WorkspacePath,
    /// The target of a move.
    pub(crate) to: Option<WorkspacePath>,
    pub(crate) before: Option<Contents>,
    /// The content after the change; `None` if the file is removed.
    pub(crate) after: Option<Vec<u8>>,
    /// The file that a move replaces.
    pub(crate) replaced: Option<Contents>,
    /// The greatest tolerance that a hunk needed.
    pub(crate) likeness: Likeness,
}

/// Plans the changes of all files. Returns a message for each file that does not match the patch.
pub(crate) fn plan(
    workspace: &Workspace,
    sections: Vec<Section>,
    effort: &Effort,
) -> Result<Vec<PlannedChange>, Vec<ErrorText>> {
    let (mut planned, mut problems) = (Vec::new(), Vec::new());
    let mut held = 0_usize;
    for section in merge_updates(workspace, sections) {
        match one(workspace, &section, effort) {
            Ok(plan) => {
                held = held.saturating_add(plan.memory_bytes());
                planned.push(plan);
            }
            Err(problem) => problems.push(problem),
        }
        if held > MAX_HELD_BYTES {
            let problem = format!("its files hold over {MAX_HELD_BYTES} bytes");
            problems.push(ErrorText::new(problem).with_advice("Make several patches of it."));
            return Err(problems);
        }
    }
    // If a path occurred twice, in any spelling, the result would depend on the order.
    let mut seen = HashSet::new();
    for plan in &planned {
        let real = plan.before.as_ref().map_or(&plan.path, |before| &before.path);
        for path in [Some(real), plan.to.as_ref()].into_iter().flatten() {
            if !seen.insert(path.clone()) {
                let problem = ErrorText::new(format!("`{path}` is named twice"));
                problems.push(problem.with_advice("Put all changes of a file into one part."));
            }
        }
    }
    if problems.is_empty() { Ok(planned) } else { Err(problems) }
}

/// Merges several updates of one file, because all of them apply to the unchanged file.
fn merge_updates(workspace: &Workspace, sections: Vec<Section>) -> Vec<Section> {
    let mut merged: Vec<Section> = Vec::new();
    for section in sections {
        let Section::Update { path, to: None, hunks } = section else {
            merged.push(section);
            continue;
        };
        let same = merged.iter_mut().find_map(|other| match other {
            Section::Update { path: first, to: None, hunks }
                if workspace.effect_path(first) == workspace.effect_path(&path) =>
            {
                Some(hunks)
            }
            _ => None,
        });
        match same {
            Some(first) => first.extend(hunks),
            None => merged.push(Section::Update { path, to: None, hunks }),
        }
    }
    merged
}

fn one(workspace: &Workspace, section: &Section, effort: &Effort) -> Result<PlannedChange, ErrorText> {
    let resolve = |text: &str| workspace.resolve(text).map_err(ErrorText::from);
    let (replaced, likeness) = (None, Likeness::Exact);
    match section {
        Section::Add { path, text } => {
            let path = resolve(path)?;
            let before = read_existing(workspace, &path)?;
            let after = Some(text.clone().into_bytes());
            Ok(PlannedChange { path, to: None, before, after, replaced, likeness })
        }
        Section::Delete { path } => {
            let path = resolve(path)?;
            let before = Some(plain(workspace, &path)?);
            Ok(PlannedChange { path, to: None, before, after: None, replaced, likeness })
        }
        Section::Update { path, to, hunks } => {
            let path = resolve(path)?;
            let to = to.as_deref().map(resolve).transpose()?.filter(|to| *to != path);
            let (replaced, before) = match &to {
                Some(to) => (read_existing(workspace, to)?, plain(workspace, &path)?),
                None => (None, workspace.read(&path)?),
            };
            check_known(workspace, &path, &before, hunks, effort)?;
            let (after, likeness) = apply_hunks(&path, &before.bytes, hunks, Order::Falling, effort)?;
            if after == before.bytes && to.is_none() {
                let problem =
                    format!("`{path}` already has this content; the patch would change nothing in it");
                return Err(problem.into());
            }
            Ok(PlannedChange { path, to, before: Some(before), after: Some(after), replaced, likeness })
        }
    }
}

/// Returns the existing file at the path of a new or moved one. It may be replaced only if the model has read
/// it: otherwise it may be the user's work (RULES E5).
fn read_existing(workspace: &Workspace, path: &WorkspacePath) -> Result<Option<Contents>, ErrorText> {
    match workspace.kind_of_name(path) {
        Err(FileError::NotFound { .. }) => Ok(None),
        Ok(Kind::File) => {
            let there = workspace.read(path)?;
            match workspace.last_seen_version(&there.path) {
                Some(version) if version == there.version => Ok(Some(there)),
                Some(_) => {
                    Err(ErrorText::new(format!("`{path}` exists already and changed since it was read"))
                        .with_advice("Call read_file on it again if it is to be replaced."))
                }
                None => {
                    Err(ErrorText::new(format!("`{path}` exists already and was not read in this session"))
                        .with_advice(
                            "Use `*** Update File:`, or call read_file on it first if it is to be replaced.",
                        ))
                }
            }
        }
        Ok(kind) => Err(format!("`{path}` is {kind} already").into()),
        Err(error) => Err(error.into()),
    }
}

/// Reads a file that will be removed. A link is refused: only the link would be removed, and it could not be
/// restored.
fn plain(workspace: &Workspace, path: &WorkspacePath) -> Result<Contents, ErrorText> {
    match workspace.kind_of_name(path)? {
        Kind::File => Ok(workspace.read(path)?),
        kind => Err(ErrorText::new(format!("`{path}` is {kind}, expected a regular file"))
            .with_advice("Use delete_file to remove it.")),
    }
}

/// Refuses a file that changed since the model read it (RULES E5).
fn check_known(
    workspace: &Workspace,
    path: &WorkspacePath,
    before: &Contents,
    hunks: &[Hunk],
    effort: &Effort,
) -> Result<(), ErrorText> {
    if workspace.last_seen_version(&before.path).is_none_or(|known| known == before.version) {
        return Ok(());
    }
    let near = now_near(&before.bytes, hunks, effort).map(|near| format!(". The nearest is {near}"));
    let near = near.unwrap_or_default();
    Err(ErrorText::new(format!("`{path}` changed since it was read{near}"))
        .with_advice("Call read_file on it, then patch the current content."))
}

impl PlannedChange {
    /// Describes the change of the file in one line.
    pub(crate) fn words(&self) -> String {
        let path = &self.path;
        let forgiven = self.likeness.forgiven().map(|what| format!(" ({what})")).unwrap_or_default();
        match (&self.before, &self.after, &self.to) {
            (None, ..) => format!("A {path}"),
            (_, None, _) => format!("D {path}"),
            (_, _, Some(to)) if self.replaced.is_some() => {
                format!("R {path} -> {to}, in place of what was there{forgiven}")
            }
            (_, _, Some(to)) => format!("R {path} -> {to}{forgiven}"),
            _ => format!("M {path}{forgiven}"),
        }
    }

    fn memory_bytes(&self) -> usize {
        let len = |contents: &Option<Contents>| contents.as_ref().map_or(0, |it| it.bytes.len());
        let before = len(&self.before).saturating_add(len(&self.replaced));
        before.saturating_add(self.after.as_ref().map_or(0, Vec::len))
    }

    /// Returns the expected state of the target when it is written, after a replaced file is removed.
    pub(crate) fn state_to_expect(&self) -> ExpectedState {
        match (&self.before, &self.to) {
            (Some(before), None) => ExpectedState::Unchanged(before.version),
            _ => ExpectedState::Absent,
        }
    }

    pub(crate) fn diff(&self, room: Room) -> String {
        let (from, to) = (self.path.to_string(), self.to.as_ref().map(ToString::to_string));
        let to = to.as_deref().unwrap_or(&from);
        let before = self.before.as_ref().map(|before| Side::new(&from, &before.bytes));
        diff(before, self.after.as_deref().map(|after| Side::new(to, after)), room)
    }

    /// Returns the states of the changed files, before and after.
    pub(crate) fn states(&self, workspace: &Workspace) -> Vec<PlannedFile> {
        let version = |contents: &Option<Contents>| contents.as_ref().map(|contents| contents.version);
        let after = self.after.as_deref().map(Version::compute);
        match &self.to {
            None => vec![workspace.plan_change(&self.path, version(&self.before), after)],
            Some(to) => vec![
                workspace.plan_change(to, version(&self.replaced), after),
                workspace.plan_change(&self.path, version(&self.before), None),
            ],
        }
    }

    /// Returns the changes for a human: the file itself, and the file that it replaces. `room` is the
    /// remaining size for diffs in bytes.
    pub(crate) fn changes(&self, room: usize) -> Vec<Change> {
        let path = self.to.as_ref().unwrap_or(&self.path).to_string();
        // Without room describe the change in one line and do not compute a diff.
        if room == 0 {
            return vec![Change::new(path, format!("[not shown: {}]\n", self.words()))];
        }
        let room = Room::default().with_bytes(room);
        let lost = self.replaced.as_ref().map(|lost| diff(Some(Side::new(&path, &lost.bytes)), None, room));
        let all = lost.into_iter().chain([self.diff(room)]);
        all.map(|diff| Change::new(path.clone(), diff)).collect()
    }
}
