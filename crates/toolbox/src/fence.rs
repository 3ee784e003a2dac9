//! Which files a call may touch in a mode: every path of it, wherever links lead (RULES L11, H6).
//!
//! What a tool says that it writes needs the group `edit` and its pattern, whatever group the tool is in, so that a picture
//! that is kept and the other end of a move are held too. A call that starts a process or calls a server, of a tool whose
//! group is for that, is not read for this: what it touches is not known before it runs, and a mode that gives the group
//! says so by giving it.

use windlass_protocol::{Effect, Target};

use crate::entry::Entry;
use crate::{FilePattern, ToolGroup, WorkMode};

/// Checks what a call says that it does.
pub(crate) fn effects(mode: Option<&WorkMode>, entry: &Entry, effects: &[Effect]) -> Result<(), String> {
    let Some(fence) = Fence::of(mode, entry, effects) else { return Ok(()) };
    if fence.has_pattern() && !effects.iter().any(is_telling) {
        return Err(fence.untold());
    }
    effects.iter().try_for_each(|effect| fence.effect(effect))
}

/// Checks what is sure of a call that still streams: what it has not told yet is not held against it.
pub(crate) fn early_effects(
    mode: Option<&WorkMode>,
    entry: &Entry,
    effects: &[Effect],
) -> Result<(), String> {
    let Some(fence) = Fence::of(mode, entry, effects) else { return Ok(()) };
    effects.iter().filter(|effect| is_telling(effect)).try_for_each(|effect| fence.effect(effect))
}

/// Checks where the paths of a call lead.
pub(crate) fn targets(
    mode: Option<&WorkMode>,
    entry: &Entry,
    effects: &[Effect],
    targets: &[Target],
) -> Result<(), String> {
    let Some(fence) = Fence::of(mode, entry, effects) else { return Ok(()) };
    for effect in effects {
        let Some(path) = effect.path() else { continue };
        let leads = targets.iter().filter(|target| target.path == path && !target.resolved.is_empty());
        for target in leads {
            fence.path(effect, &target.resolved)?;
        }
    }
    Ok(())
}

/// Whether an effect says what the call does with files.
fn is_telling(effect: &Effect) -> bool {
    !matches!(effect, Effect::Unknown)
}

struct Fence<'a> {
    mode: &'a WorkMode,
    entry: &'a Entry,
}

impl<'a> Fence<'a> {
    /// The fence of a call; none where there is no mode, or where what the call does cannot be known.
    fn of(mode: Option<&'a WorkMode>, entry: &'a Entry, effects: &[Effect]) -> Option<Self> {
        let is_elsewhere = |effect: &Effect| matches!(effect, Effect::Execute { .. } | Effect::Mcp { .. });
        let is_unbounded =
            matches!(entry.group, ToolGroup::Command | ToolGroup::Mcp) && effects.iter().any(is_elsewhere);
        mode.filter(|_| !is_unbounded).map(|mode| Self { mode, entry })
    }

    /// Whether the tool's own group has a pattern: then a call has to say what it touches.
    fn has_pattern(&self) -> bool {
        self.mode.files(self.entry.group).is_some()
    }

    fn effect(&self, effect: &Effect) -> Result<(), String> {
        match effect {
            Effect::Unknown if self.has_pattern() => Err(self.untold()),
            _ => effect.path().map_or(Ok(()), |path| self.path(effect, path)),
        }
    }

    /// Checks a path that an effect touches: its own, or where that leads.
    fn path(&self, effect: &Effect, path: &str) -> Result<(), String> {
        match effect {
            Effect::Write { .. }
            | Effect::WriteTree { .. }
            | Effect::Delete { .. }
            | Effect::DeleteTree { .. } => {
                if !self.mode.gives(ToolGroup::Edit) {
                    return Err(format!(
                        "{} and writes {path}, and this mode changes no files",
                        self.begin()
                    ));
                }
                self.matches(self.mode.files(ToolGroup::Edit), "written", path)
            }
            Effect::Read { .. } | Effect::ReadTree { .. } if self.entry.group == ToolGroup::Read => {
                self.matches(self.mode.files(ToolGroup::Read), "read", path)
            }
            _ => Ok(()),
        }
    }

    fn matches(&self, files: Option<&FilePattern>, verb: &str, path: &str) -> Result<(), String> {
        match files {
            Some(files) if !files.has(path) => {
                Err(format!("{} only {files} can be {verb}, and {path} is none of them", self.begin()))
            }
            _ => Ok(()),
        }
    }

    fn untold(&self) -> String {
        let files = self.mode.files(self.entry.group).map_or_else(String::new, ToString::to_string);
        format!(
            "{} only {files} can be touched, and the call does not say clearly which it would touch",
            self.begin()
        )
    }

    fn begin(&self) -> String {
        format!("{} was not run: in the mode {} ({})", self.entry.shown, self.mode.name, self.mode.slug)
    }
}

/// The whole text for the model, with what to do next.
pub(crate) fn told(problem: &str) -> String {
    format!(
        "{problem}. Take another file, change the mode with switch_mode if the task needs it, or go on without."
    )
}
