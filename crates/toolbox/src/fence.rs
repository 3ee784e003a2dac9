//! The file rules of a mode, applied to every path of a call including the targets of symbolic links
//! (RULES L11, H6).
//!
//! A declared write requires the group `edit` and must match its pattern, whatever group the tool is in. The
//! rule therefore also covers a saved image and the destination of a move. Exception: a call that starts a
//! process or calls a server is not checked if the tool's group is `command` or `mcp`. The files that such a
//! call accesses are unknown before it runs, and a mode that grants the group accepts this.

use windlass_protocol::{Effect, ResultStatus, Target};

use crate::entry::Entry;
use crate::refusal::CallRefusal;
use crate::{FilePattern, ToolGroup, WorkMode};

/// Checks the declared effects of a call.
pub(crate) fn effects(mode: Option<&WorkMode>, entry: &Entry, effects: &[Effect]) -> Result<(), String> {
    let Some(fence) = Fence::for_call(mode, entry, effects) else { return Ok(()) };
    if fence.has_pattern() && !effects.iter().any(is_telling) {
        return Err(fence.describe_unclear_files());
    }
    effects.iter().try_for_each(|effect| fence.effect(effect))
}

/// Checks the certain effects of a call that still streams. Missing effects are not an error.
pub(crate) fn early_effects(
    mode: Option<&WorkMode>,
    entry: &Entry,
    effects: &[Effect],
) -> Result<(), String> {
    let Some(fence) = Fence::for_call(mode, entry, effects) else { return Ok(()) };
    effects.iter().filter(|effect| is_telling(effect)).try_for_each(|effect| fence.effect(effect))
}

/// Checks the resolved targets of a call's paths.
pub(crate) fn targets(
    mode: Option<&WorkMode>,
    entry: &Entry,
    effects: &[Effect],
    targets: &[Target],
) -> Result<(), String> {
    let Some(fence) = Fence::for_call(mode, entry, effects) else { return Ok(()) };
    for effect in effects {
        let Some(path) = effect.path() else { continue };
        let leads = targets.iter().filter(|target| target.path == path && !target.resolved.is_empty());
        for target in leads {
            fence.path(effect, &target.resolved)?;
        }
    }
    Ok(())
}

/// Returns whether an effect describes a known access.
fn is_telling(effect: &Effect) -> bool {
    !matches!(effect, Effect::Unknown)
}

struct Fence<'a> {
    mode: &'a WorkMode,
    entry: &'a Entry,
}

impl<'a> Fence<'a> {
    /// Returns the file rules for a call, or `None` without a mode or if the accesses of the call cannot be
    /// known.
    fn for_call(mode: Option<&'a WorkMode>, entry: &'a Entry, effects: &[Effect]) -> Option<Self> {
        let is_elsewhere = |effect: &Effect| matches!(effect, Effect::Execute { .. } | Effect::Mcp { .. });
        let is_unbounded =
            matches!(entry.group, ToolGroup::Command | ToolGroup::Mcp) && effects.iter().any(is_elsewhere);
        mode.filter(|_| !is_unbounded).map(|mode| Self { mode, entry })
    }

    /// Returns whether the mode has a file pattern for the tool's group. The call must then declare the files
    /// it accesses.
    fn has_pattern(&self) -> bool {
        self.mode.files(self.entry.group).is_some()
    }

    fn effect(&self, effect: &Effect) -> Result<(), String> {
        match effect {
            Effect::Unknown if self.has_pattern() => Err(self.describe_unclear_files()),
            _ => effect.path().map_or(Ok(()), |path| self.path(effect, path)),
        }
    }

    /// Checks a path of an effect: the declared path or its resolved target.
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
                Err(format!("{} only {files} can be {verb}, and {path} is not one of them", self.begin()))
            }
            _ => Ok(()),
        }
    }

    fn describe_unclear_files(&self) -> String {
        let files = self.mode.files(self.entry.group).map_or_else(String::new, ToString::to_string);
        format!(
            "{} only {files} can be touched, and the call does not name clearly which files it touches",
            self.begin()
        )
    }

    fn begin(&self) -> String {
        format!("{} was not run: in the mode {} ({})", self.entry.shown, self.mode.name, self.mode.slug)
    }
}

/// Creates the refusal of a call because of a problem that the checks of this module found.
pub(crate) fn refuse(problem: &str) -> CallRefusal {
    CallRefusal::new(ResultStatus::Denied, format!("{problem}.")).with_advice(
        "Choose another file, change the mode with switch_mode if the task needs it, or continue without.",
    )
}
