//! What a patch would make of the files that it names: everything is looked at before anything is written
//! (RULES E4).

use std::collections::HashSet;

use windlass_protocol::PlannedFile;
use windlass_sandbox::{Contents, Expected, FileError, Kind, Version, Workspace, WorkspacePath};
use windlass_text::{Room, Side, diff};
use windlass_tool::Change;

use crate::effort::Effort;
use crate::joined::{now_near, patched};
use crate::lines::Likeness;
use crate::patch::{Hunk, Section};
use crate::places::Order;

/// How much all files of a patch hold together, before and after.
const MAX_HELD_BYTES: usize = 160 * 1024 * 1024;

/// One file, as it is and as it would be.
#[derive(Debug)]
pub(crate) struct Planned {
    /// Where it is, or would be made.
    pub(crate) path: WorkspacePath,
    /// Where it would go.
    pub(crate) to: Option<WorkspacePath>,
    pub(crate) before: Option<Contents>,
    /// What it would hold; nothing if it would be gone.
    pub(crate) after: Option<Vec<u8>>,
    /// What stood where it would go, and would be gone.
    pub(crate) replaced: Option<Contents>,
    /// How much was forgiven to place its hunks.
    pub(crate) likeness: Likeness,
}

/// Plans all files, or says of each file that does not fit why.
pub(crate) fn plan(
    workspace: &Workspace,
    sections: Vec<Section>,
    effort: &Effort,
) -> Result<Vec<Planned>, Vec<String>> {
    let (mut planned, mut problems) = (Vec::new(), Vec::new());
    let mut held = 0_usize;
    for section in merged(workspace, sections) {
        match one(workspace, &section, effort) {
            Ok(plan) => {
                held = held.saturating_add(plan.held());
                planned.push(plan);
            }
            Err(problem) => problems.push(problem),
        }
        if held > MAX_HELD_BYTES {
            problems.push(format!("its files hold over {MAX_HELD_BYTES} bytes; make several patches of it"));
            return Err(problems);
        }
    }
    // A path that is met twice, whatever its spelling, would make the outcome depend on the order.
    let mut seen = HashSet::new();
    for plan in &planned {
        let real = plan.before.as_ref().map_or(&plan.path, |before| &before.path);
        for path in [Some(real), plan.to.as_ref()].into_iter().flatten() {
            if !seen.insert(path.clone()) {
                problems.push(format!("`{path}` is named twice; put all its changes into one part"));
            }
        }
    }
    if problems.is_empty() { Ok(planned) } else { Err(problems) }
}

/// Several updates of one file are one, as all are made on the file as it is.
fn merged(workspace: &Workspace, sections: Vec<Section>) -> Vec<Section> {
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

fn one(workspace: &Workspace, section: &Section, effort: &Effort) -> Result<Planned, String> {
    let resolve = |text: &str| workspace.resolve(text).map_err(|error| error.to_string());
    let (replaced, likeness) = (None, Likeness::Exact);
    match section {
        Section::Add { path, text } => {
            let path = resolve(path)?;
            let before = standing(workspace, &path)?;
            let after = Some(text.clone().into_bytes());
            Ok(Planned { path, to: None, before, after, replaced, likeness })
        }
        Section::Delete { path } => {
            let path = resolve(path)?;
            let before = Some(plain(workspace, &path)?);
            Ok(Planned { path, to: None, before, after: None, replaced, likeness })
        }
        Section::Update { path, to, hunks } => {
            let path = resolve(path)?;
            let to = to.as_deref().map(resolve).transpose()?.filter(|to| *to != path);
            let (replaced, before) = match &to {
                Some(to) => (standing(workspace, to)?, plain(workspace, &path)?),
                None => (None, workspace.read(&path).map_err(|error| error.to_string())?),
            };
            check_known(workspace, &path, &before, hunks, effort)?;
            let (after, likeness) = patched(&path, &before.bytes, hunks, Order::Falling, effort)?;
            if after == before.bytes && to.is_none() {
                return Err(format!("`{path}` says this already; the patch would change nothing in it"));
            }
            Ok(Planned { path, to, before: Some(before), after: Some(after), replaced, likeness })
        }
    }
}

/// What has the name of a file that is to be made. Only what the model has read is replaced: anything else may be
/// the user's work (RULES E5).
fn standing(workspace: &Workspace, path: &WorkspacePath) -> Result<Option<Contents>, String> {
    match workspace.kind_of_name(path) {
        Err(FileError::NotFound { .. }) => Ok(None),
        Ok(Kind::File) => {
            let there = workspace.read(path).map_err(|error| error.to_string())?;
            match workspace.remembered(&there.path) {
                Some(version) if version == there.version => Ok(Some(there)),
                Some(_) => Err(format!(
                    "`{path}` exists already and changed since you read it; call read_file on it again if it is to be replaced"
                )),
                None => Err(format!(
                    "`{path}` exists already and you have not read it; use `*** Update File:`, or call read_file on it first if it is to be replaced"
                )),
            }
        }
        Ok(kind) => Err(format!("`{path}` is {kind} already")),
        Err(error) => Err(error.to_string()),
    }
}

/// A file that is to go away: of a link only the link would go, and could not be put back.
fn plain(workspace: &Workspace, path: &WorkspacePath) -> Result<Contents, String> {
    match workspace.kind_of_name(path).map_err(|error| error.to_string())? {
        Kind::File => workspace.read(path).map_err(|error| error.to_string()),
        kind => Err(format!("`{path}` is {kind}, a regular file is wanted; use delete_file to remove it")),
    }
}

/// RULES E5: what the model last saw has to be what is there.
fn check_known(
    workspace: &Workspace,
    path: &WorkspacePath,
    before: &Contents,
    hunks: &[Hunk],
    effort: &Effort,
) -> Result<(), String> {
    if workspace.remembered(&before.path).is_none_or(|known| known == before.version) {
        return Ok(());
    }
    let near = now_near(&before.bytes, hunks, effort).map(|near| format!(" The nearest is {near}"));
    let near = near.unwrap_or_default();
    Err(format!("`{path}` changed since you read it; call read_file on it, then patch what is there.{near}"))
}

impl Planned {
    /// What happens to the file, in one line.
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

    fn held(&self) -> usize {
        let len = |contents: &Option<Contents>| contents.as_ref().map_or(0, |it| it.bytes.len());
        let before = len(&self.before).saturating_add(len(&self.replaced));
        before.saturating_add(self.after.as_ref().map_or(0, Vec::len))
    }

    /// What a write to the new place expects there, when what it replaces is gone.
    pub(crate) fn expected(&self) -> Expected {
        match (&self.before, &self.to) {
            (Some(before), None) => Expected::Unchanged(before.version),
            _ => Expected::Absent,
        }
    }

    pub(crate) fn diff(&self, room: Room) -> String {
        let (from, to) = (self.path.to_string(), self.to.as_ref().map(ToString::to_string));
        let to = to.as_deref().unwrap_or(&from);
        let before = self.before.as_ref().map(|before| Side::new(&from, &before.bytes));
        diff(before, self.after.as_deref().map(|after| Side::new(to, after)), room)
    }

    /// The files that it touches, before and after.
    pub(crate) fn states(&self, workspace: &Workspace) -> Vec<PlannedFile> {
        let version = |contents: &Option<Contents>| contents.as_ref().map(|contents| contents.version);
        let after = self.after.as_deref().map(Version::of);
        match &self.to {
            None => vec![workspace.planned(&self.path, version(&self.before), after)],
            Some(to) => vec![
                workspace.planned(to, version(&self.replaced), after),
                workspace.planned(&self.path, version(&self.before), None),
            ],
        }
    }

    /// What a human is shown: the change, and what it takes the place of.
    pub(crate) fn changes(&self, room: usize) -> Vec<Change> {
        let path = self.to.as_ref().unwrap_or(&self.path).to_string();
        // Without room the change is told in one line, and nothing is compared.
        if room == 0 {
            return vec![Change::new(path, format!("[not shown: {}]\n", self.words()))];
        }
        let room = Room::default().with_bytes(room);
        let lost = self.replaced.as_ref().map(|lost| diff(Some(Side::new(&path, &lost.bytes)), None, room));
        let all = lost.into_iter().chain([self.diff(room)]);
        all.map(|diff| Change::new(path.clone(), diff)).collect()
    }
}
