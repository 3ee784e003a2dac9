//! What a patch would make of the files that it names: everything is looked at before anything is written
//! (RULES E4).

use std::collections::HashSet;

use windlass_sandbox::{Contents, Expected, FileError, Kind, Workspace, WorkspacePath};
use windlass_tool::Change;

use crate::diff::diff;
use crate::nearest::{around, nearest_line};
use crate::patch::{Hunk, HunkLine, Section};
use crate::places::{ByteLine, Lines, Misfit, Place};

/// How much all files of a patch hold together, before and after.
const MAX_HELD_BYTES: usize = 160 * 1024 * 1024;
const MARK: &[u8] = b"\xef\xbb\xbf";

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
    /// Whether white space at line ends was forgiven.
    pub(crate) forgiven: bool,
}

/// Plans all files, or says of each file that does not fit why.
pub(crate) fn plan(workspace: &Workspace, sections: Vec<Section>) -> Result<Vec<Planned>, Vec<String>> {
    let (mut planned, mut problems) = (Vec::new(), Vec::new());
    let mut held = 0_usize;
    for section in merged(workspace, sections) {
        match one(workspace, &section) {
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

fn one(workspace: &Workspace, section: &Section) -> Result<Planned, String> {
    let resolve = |text: &str| workspace.resolve(text).map_err(|error| error.to_string());
    match section {
        Section::Add { path, text } => {
            let path = resolve(path)?;
            free(workspace, &path)?;
            let after = Some(text.clone().into_bytes());
            Ok(Planned { path, to: None, before: None, after, forgiven: false })
        }
        Section::Delete { path } => {
            let path = resolve(path)?;
            let before = Some(plain(workspace, &path)?);
            Ok(Planned { path, to: None, before, after: None, forgiven: false })
        }
        Section::Update { path, to, hunks } => {
            let path = resolve(path)?;
            let to = to.as_deref().map(resolve).transpose()?.filter(|to| *to != path);
            let before = match &to {
                Some(to) => {
                    free(workspace, to)?;
                    plain(workspace, &path)?
                }
                None => workspace.read(&path).map_err(|error| error.to_string())?,
            };
            check_known(workspace, &path, &before, hunks)?;
            let (after, forgiven) = patched(&path, &before.bytes, hunks)?;
            if after == before.bytes && to.is_none() {
                return Err(format!("`{path}` says this already; the patch would change nothing in it"));
            }
            Ok(Planned { path, to, before: Some(before), after: Some(after), forgiven })
        }
    }
}

/// A name that nothing has yet.
fn free(workspace: &Workspace, path: &WorkspacePath) -> Result<(), String> {
    match workspace.kind_of_name(path) {
        Err(FileError::NotFound { .. }) => Ok(()),
        Ok(Kind::File) => {
            Err(format!("`{path}` exists already; use `*** Update File:`, or delete it in a call of its own"))
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
) -> Result<(), String> {
    if workspace.remembered(&before.path).is_none_or(|known| known == before.version) {
        return Ok(());
    }
    let near = hunks.first().map(|hunk| near(&before.bytes, hunk)).unwrap_or_default();
    Err(format!("`{path}` changed since you read it; call read_file on it, then patch what is there.{near}"))
}

fn patched(path: &WorkspacePath, bytes: &[u8], hunks: &[Hunk]) -> Result<(Vec<u8>, bool), String> {
    if bytes.contains(&0) && !hunks.is_empty() {
        return Err(format!("`{path}` is a binary or UTF-16 file and is not edited here"));
    }
    let mut added = hunks.iter().flat_map(|hunk| &hunk.lines).filter_map(HunkLine::added);
    if std::str::from_utf8(bytes).is_err() && !added.all(str::is_ascii) {
        return Err(format!(
            "`{path}` is not UTF-8 text: only lines of plain ASCII can be added to it, as nobody knows its encoding"
        ));
    }
    // The mark at the start belongs to the file and not to its first line.
    let (mark, body) = bytes.split_at(if bytes.starts_with(MARK) { MARK.len() } else { 0 });
    let lines = Lines::of(body);
    let places = lines.places(hunks).map_err(|(position, misfit)| match hunks.get(position) {
        Some(hunk) => misfit_words(path, bytes, hunk, &misfit),
        None => format!("`{path}` does not fit the patch"),
    })?;
    let forgiven = places.iter().any(|place| !place.exact);
    Ok((joined(mark, &lines, hunks, &places), forgiven))
}

/// The file with its hunks: lines that stay keep all their bytes, added ones end as their neighbours do.
fn joined(mark: &[u8], lines: &Lines<'_>, hunks: &[Hunk], places: &[Place]) -> Vec<u8> {
    let mut order: Vec<(&Place, &Hunk)> = places.iter().zip(hunks).collect();
    order.sort_by_key(|(place, _)| (place.range.start, place.range.end));
    let mut text: Vec<ByteLine<'_>> = Vec::with_capacity(lines.all.len());
    let mut at = 0;
    let mut added_last = false;
    for (place, hunk) in order {
        text.extend(lines.all.get(at..place.range.start).unwrap_or_default());
        at = place.range.start;
        for line in &hunk.lines {
            match line {
                HunkLine::Keep(_) => text.extend(lines.all.get(at)),
                HunkLine::Remove(_) => {}
                HunkLine::Add(new) => {
                    text.push(ByteLine { text: new.as_bytes(), end: lines.end_near(at) });
                }
            }
            at = at.saturating_add(usize::from(line.old().is_some()));
        }
        added_last = matches!(hunk.lines.last(), Some(HunkLine::Add(_))) && at == lines.all.len();
    }
    let rest = lines.all.get(at..).unwrap_or_default();
    text.extend(rest);
    // A missing final newline stays missing, and a line that is the last no more gets its end.
    let endless = lines.all.last().is_some_and(|line| line.end.is_empty());
    let last = text.len().saturating_sub(1);
    let mut bytes = mark.to_vec();
    for (position, line) in text.iter().enumerate() {
        bytes.extend_from_slice(line.text);
        match line.end {
            [] if position < last => bytes.extend_from_slice(lines.end_near(lines.all.len())),
            _ if position == last && endless && added_last => {}
            end => bytes.extend_from_slice(end),
        }
    }
    bytes
}

fn misfit_words(path: &WorkspacePath, bytes: &[u8], hunk: &Hunk, misfit: &Misfit) -> String {
    let number = hunk.number;
    match misfit {
        Misfit::Anchor(anchor) => {
            format!("`{path}` has no line `{anchor}`, which line {number} of the patch names")
        }
        Misfit::Missing => format!(
            "the lines that the patch expects at its line {number} do not stand in `{path}`.{}",
            near(bytes, hunk)
        ),
        Misfit::Ambiguous(lines) => {
            let lines: Vec<String> = lines.iter().take(20).map(ToString::to_string).collect();
            format!(
                "the place at line {number} of the patch could be any of the lines {} of `{path}`; add lines around it, or an `@@` line that stands above it, until it is the only one",
                lines.join(", ")
            )
        }
        Misfit::Overlap => {
            format!("two parts of the patch change the same lines of `{path}` (line {number})")
        }
    }
}

/// The file's text near the place that a hunk was meant for.
fn near(bytes: &[u8], hunk: &Hunk) -> String {
    let body = String::from_utf8_lossy(bytes);
    let wanted = hunk.old().join("\n");
    nearest_line(&body, &wanted)
        .map(|line| format!(" The nearest is at line {line}:\n{}", around(&body, line)))
        .unwrap_or_default()
}

impl Planned {
    /// What happens to the file, in one line.
    pub(crate) fn words(&self) -> String {
        let (path, forgiven) =
            (&self.path, if self.forgiven { " (white space at line ends forgiven)" } else { "" });
        match (&self.before, &self.after, &self.to) {
            (None, ..) => format!("A {path}"),
            (_, None, _) => format!("D {path}"),
            (_, _, Some(to)) => format!("R {path} -> {to}{forgiven}"),
            _ => format!("M {path}{forgiven}"),
        }
    }

    fn held(&self) -> usize {
        let before = self.before.as_ref().map_or(0, |before| before.bytes.len());
        before.saturating_add(self.after.as_ref().map_or(0, Vec::len))
    }

    /// What a write to the new place expects there.
    pub(crate) fn expected(&self) -> Expected {
        match (&self.before, &self.to) {
            (Some(before), None) => Expected::Unchanged(before.version),
            _ => Expected::Absent,
        }
    }

    pub(crate) fn diff(&self, max_lines: usize, max_bytes: usize) -> String {
        let (from, to) = (self.path.to_string(), self.to.as_ref().map(ToString::to_string));
        let to = to.as_deref().unwrap_or(&from);
        let before = self.before.as_ref().map(|before| (from.as_str(), before.bytes.as_slice()));
        diff(before, self.after.as_deref().map(|after| (to, after)), max_lines, max_bytes)
    }

    pub(crate) fn change(&self, room: usize) -> Change {
        let path = self.to.as_ref().unwrap_or(&self.path).to_string();
        // Without room the change is told in one line, and nothing is compared.
        let diff =
            if room == 0 { format!("[not shown: {}]\n", self.words()) } else { self.diff(usize::MAX, room) };
        Change::new(path, diff)
    }
}
