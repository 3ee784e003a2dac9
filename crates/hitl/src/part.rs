//! Split of a call into parts: its effects, the targets of links, the files of its commands.

use std::borrow::Cow;

use windlass_protocol::{Effect, Target, TargetKind};

use crate::links::aliases;
use crate::place::{LONGEST_PATH, Place, normal};
use crate::reading::CommandReading;
use crate::{EffectKind, PolicyInput, Reason, RuleLink, Stage, TraceEntry, Verdict};

/// Maximum length of a part's description in a trace, in characters.
const QUOTED: usize = 160;

/// One part of a call, decided separately.
pub(crate) struct Part<'a> {
    pub(crate) effect: Cow<'a, Effect>,
    pub(crate) origin: Origin,
    pub(crate) target: Option<&'a Target>,
    /// The class of the effect's path; `Inside` for an effect without a path.
    pub(crate) place: Place,
    /// The effect's path without `a/../` and `./`, in the form in which globs match it.
    pub(crate) path: Option<String>,
    /// Aliases of the path, by which rules know it because of links.
    pub(crate) aliases: Vec<String>,
    /// The analysis of the command, for an effect that starts a process.
    pub(crate) reading: Option<CommandReading>,
    /// True if each name below the path is a separate part.
    is_listed: bool,
}

/// Origin of a part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Origin {
    /// The tool reports the effect.
    Tool,
    /// A link in the path of an effect leads to the part's path.
    Link,
    /// The path was found below a path of the call, for example in a folder that is removed.
    Below,
    /// The words of a command name the effect. The command decides what really happens, so this part can only
    /// make the decision stricter.
    Command,
    /// A word of a command may be this path. That is uncertain, so a rule about it can only ask.
    Word,
}

/// Returns all parts of a call. Link targets and files of a command precede the effect that they belong to.
pub(crate) fn parts(facts: &PolicyInput) -> Vec<Part<'_>> {
    let mut parts: Vec<Part<'_>> = Vec::new();
    for effect in facts.effects_or_unknown() {
        let target = effect.path().and_then(|path| facts.targets.iter().find(|target| target.path == path));
        if let Some(resolved) = target.and_then(|target| resolve_effect(effect, target)) {
            parts.push(Part { target, ..Part::new(Cow::Owned(resolved), Origin::Link) });
        }
        let below = removals_below(facts, effect, target);
        let is_listed = !below.is_empty();
        parts.extend(below);
        parts.extend(target.and_then(|target| removal_through_link(facts, effect, target)));
        let part = Part { target, is_listed, ..Part::from_effect(effect) };
        if let (Some(reading), Effect::Execute { directory, .. }) = (&part.reading, effect)
            // The part itself denies the call if its folder is too long.
            && directory.len() <= LONGEST_PATH
        {
            parts.extend(command_parts(facts, reading, directory));
        }
        parts.push(part);
    }
    parts.into_iter().map(|part| part.with_aliases(&facts.links)).collect()
}

/// Returns the same effect on the target of a link inside the workspace.
fn resolve_effect(effect: &Effect, target: &Target) -> Option<Effect> {
    if target.resolved == target.path || target.kind == TargetKind::Outside {
        return None;
    }
    let path = target.resolved.clone();
    match effect {
        Effect::Read { .. } => Some(Effect::Read { path }),
        Effect::ReadTree { .. } => Some(Effect::ReadTree { path }),
        Effect::WriteTree { .. } => Some(Effect::WriteTree { path }),
        Effect::Write { bytes, .. } => Some(Effect::Write { path, bytes: *bytes }),
        // A removal affects the link and not its target.
        _ => None,
    }
}

/// Returns the removal of each name that a tool reports below a folder which it removes. A tool that reports
/// one name reports all.
fn removals_below<'a>(facts: &'a PolicyInput, effect: &Effect, target: Option<&Target>) -> Vec<Part<'a>> {
    let Effect::DeleteTree { path } = effect else { return Vec::new() };
    if facts.targets.is_empty() {
        return Vec::new();
    }
    let folders: Vec<String> = [Some(path), target.map(|target| &target.resolved)]
        .into_iter()
        .flatten()
        .map(|folder| normal(folder))
        .collect();
    let is_below = |path: &str| {
        let path = normal(path);
        folders.iter().any(|folder| {
            let rest = path.strip_prefix(folder.as_str()).filter(|rest| !rest.is_empty());
            rest.is_some_and(|rest| folder.is_empty() || rest.starts_with('/'))
        })
    };
    let found = facts.targets.iter().filter(|target| is_below(&target.path));
    found
        .map(|target| {
            let effect = Effect::Delete { path: target.path.clone() };
            Part { target: Some(target), ..Part::new(Cow::Owned(effect), Origin::Below) }
        })
        .collect()
}

/// Returns the removal of a name in a folder that is reached through a link. If the tool reported the
/// folder's target, the place is a name in it. Otherwise a resolved path with the same last name is the
/// place.
fn removal_through_link<'a>(facts: &PolicyInput, effect: &Effect, target: &'a Target) -> Option<Part<'a>> {
    let (Effect::Delete { path } | Effect::DeleteTree { path }) = effect else { return None };
    let (folder, name) = path.rsplit_once('/')?;
    let place = match facts.targets.iter().find(|target| target.path == folder) {
        Some(folder) if folder.resolved.is_empty() || folder.resolved == "." => name.to_owned(),
        Some(folder) => format!("{}/{name}", folder.resolved),
        None if target.resolved.rsplit('/').next() == Some(name) => target.resolved.clone(),
        None => return None,
    };
    if place == *path {
        return None;
    }
    let effect = match effect {
        Effect::Delete { .. } => Effect::Delete { path: place },
        _ => Effect::DeleteTree { path: place },
    };
    Some(Part { target: Some(target), ..Part::new(Cow::Owned(effect), Origin::Link) })
}

/// Returns the parts for the files of a command and for the targets of links among them.
fn command_parts<'a>(facts: &PolicyInput, reading: &CommandReading, directory: &str) -> Vec<Part<'a>> {
    let part = |effect| Part::new(Cow::Owned(effect), Origin::Command);
    let mut parts = Vec::new();
    for effect in reading.effects(directory) {
        let leads_out = find_target(facts, &effect).is_some_and(|target| target.kind == TargetKind::Outside);
        parts.extend(follow_named_link(facts, &effect).map(part));
        let part = part(effect);
        parts.push(if leads_out { Part { place: Place::Outside, ..part } } else { part });
    }
    parts
}

/// Returns the parts for the words of a command that may be paths. Only rules about paths examine them.
pub(crate) fn word_parts<'a>(facts: &PolicyInput, part: &Part<'_>) -> Vec<Part<'a>> {
    let (Some(reading), Effect::Execute { directory, .. }) = (&part.reading, part.effect.as_ref()) else {
        return Vec::new();
    };
    let possible = reading.possible(directory);
    let led: Vec<Effect> = possible.iter().filter_map(|effect| follow_named_link(facts, effect)).collect();
    let part = |effect| Part::new(Cow::Owned(effect), Origin::Word).with_aliases(&facts.links);
    possible.into_iter().chain(led).map(part).collect()
}

/// Returns the reported target of an effect's path.
fn find_target<'a>(facts: &'a PolicyInput, effect: &Effect) -> Option<&'a Target> {
    let path = normal(effect.path()?);
    facts.targets.iter().find(|target| target.path == path)
}

/// Returns the same effect on the target of a link that a command names.
fn follow_named_link(facts: &PolicyInput, effect: &Effect) -> Option<Effect> {
    let target = find_target(facts, effect).filter(|target| target.resolved != target.path)?;
    let path = target.resolved.clone();
    Some(match effect {
        Effect::Read { .. } => Effect::Read { path },
        Effect::ReadTree { .. } => Effect::ReadTree { path },
        Effect::Write { .. } => Effect::Write { path, bytes: None },
        Effect::WriteTree { .. } => Effect::WriteTree { path },
        Effect::Delete { .. } => Effect::Delete { path },
        _ => Effect::DeleteTree { path },
    })
}

impl<'a> Part<'a> {
    /// Creates the part of an effect that a tool reports, without a target.
    pub(crate) fn from_effect(effect: &'a Effect) -> Self {
        Self::new(Cow::Borrowed(effect), Origin::Tool)
    }

    /// Creates the part of an effect on a path that was found below a path of the call.
    pub(crate) fn from_found_path(effect: &'a Effect) -> Self {
        Self::new(Cow::Borrowed(effect), Origin::Below)
    }

    /// Sets the aliases that the part's path has because of links.
    pub(crate) fn with_aliases(mut self, links: &[RuleLink]) -> Self {
        if !links.is_empty() {
            let reaches_below = self.reaches_unlisted();
            self.aliases =
                self.path.as_deref().map_or_else(Vec::new, |path| aliases(links, path, reaches_below));
        }
        self
    }

    fn new(effect: Cow<'a, Effect>, origin: Origin) -> Self {
        let reading = match effect.as_ref() {
            Effect::Execute { command, .. } => Some(CommandReading::read(command)),
            _ => None,
        };
        let place = effect.path().map_or(Place::Inside, Place::parse);
        // A path that no system takes is denied whatever it is, except where the words of a command name it.
        let by_command = matches!(origin, Origin::Command | Origin::Word);
        let path = effect.path().filter(|path| by_command || path.len() <= LONGEST_PATH).map(normal);
        Self { effect, origin, target: None, place, path, aliases: Vec::new(), reading, is_listed: false }
    }
}

impl Part<'_> {
    /// Returns whether a command is proved to only read, and a full sandbox holds it to that. Such a command is like
    /// the reading of a file inside the workspace; the paths that it reads are parts of their own.
    pub(crate) fn reads_confined(&self, facts: &PolicyInput) -> bool {
        facts.is_confined() && self.reading.as_ref().is_some_and(|reading| reading.reads_only(true))
    }

    /// Returns whether the effect reaches names below its path that are not separate parts.
    pub(crate) fn reaches_unlisted(&self) -> bool {
        self.effect.reaches_below() && !self.is_listed
    }

    /// Creates the result of this part.
    pub(crate) fn to_entry(&self, stage: Stage, verdict: Verdict, reason: Reason) -> TraceEntry {
        TraceEntry::new(stage, verdict, reason, self.describe())
    }

    /// Returns whether a rule about a kind of effect applies to this part. A command that writes a file may
    /// also remove it, and vice versa. A word that may be a written path counts as read, written and removed.
    pub(crate) fn is(&self, kind: EffectKind) -> bool {
        if self.origin == Origin::Word && matches!(self.effect.as_ref(), Effect::Write { .. }) {
            return matches!(kind, EffectKind::Read | EffectKind::Write | EffectKind::Delete);
        }
        let own = EffectKind::from_effect(&self.effect);
        let changes = |kind| matches!(kind, EffectKind::Write | EffectKind::Delete);
        own == kind || (self.origin == Origin::Command && changes(own) && changes(kind))
    }

    /// Describes the part for a trace.
    pub(crate) fn describe(&self) -> String {
        let text = match self.effect.as_ref() {
            Effect::Execute { command, .. } => format!("execute {command}"),
            Effect::Connect { host, port } => format!("network {host}:{port}"),
            Effect::Mcp { server, tool, .. } => format!("mcp {server} {tool}"),
            Effect::Spawn { agent } => format!("spawn {agent}"),
            Effect::Custom { kind, target, amount } => match amount {
                Some(amount) => format!("{kind} {target} {amount}"),
                None => format!("{kind} {target}"),
            },
            effect => match effect.path() {
                Some(path) => format!("{} {path}", effect.kind()),
                None => effect.kind().to_owned(),
            },
        };
        match text.char_indices().nth(QUOTED) {
            Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
            None => text,
        }
    }
}
