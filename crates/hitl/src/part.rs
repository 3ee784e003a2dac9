//! A call taken apart into what is judged: each effect, where links lead, what a command reads and writes.

use std::borrow::Cow;

use windlass_protocol::{Effect, Target, TargetKind};

use crate::links::aliases;
use crate::place::{Place, normal};
use crate::reading::Reading;
use crate::{EffectKind, Facts, Reason, RuleLink, Step, Verdict};

/// How much of a text is quoted in a trace.
const QUOTED: usize = 160;

/// One thing that a call does.
pub(crate) struct Part<'a> {
    pub(crate) effect: Cow<'a, Effect>,
    pub(crate) origin: Origin,
    pub(crate) target: Option<&'a Target>,
    /// Where its path lies; inside for what has none.
    pub(crate) place: Place,
    /// Its path with `a/../` and `./` taken out, as globs are compared with it.
    pub(crate) path: Option<String>,
    /// Other names of the path, by which rules know it because of links that they name.
    pub(crate) aliases: Vec<String>,
    /// What the words of a command say, for the effect that starts it.
    pub(crate) reading: Option<Reading>,
    /// Whether each name below the path is a part of its own.
    is_listed: bool,
}

/// From where a part is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Origin {
    /// The tool says it.
    Tool,
    /// A link in the effect's path leads there.
    Link,
    /// It lies below a folder that is removed with everything in it.
    Below,
    /// The words of a command say it: what happens is the command's matter, so this can only make it stricter.
    Command,
    /// A word of a command may be such a path: nothing is known about it, so a rule about it can only ask.
    Word,
}

/// Everything that a call does, the tool's own effects first.
pub(crate) fn parts(facts: &Facts) -> Vec<Part<'_>> {
    let mut parts: Vec<Part<'_>> = Vec::new();
    for effect in facts.judged() {
        let target = effect.path().and_then(|path| facts.targets.iter().find(|target| target.path == path));
        if let Some(resolved) = target.and_then(|target| resolved(effect, target)) {
            parts.push(Part { target, ..Part::new(Cow::Owned(resolved), Origin::Link) });
        }
        let below = below(facts, effect, target);
        let is_listed = !below.is_empty();
        parts.extend(below);
        parts.extend(target.and_then(|target| moved(facts, effect, target)));
        let part = Part { target, is_listed, ..Part::of_effect(effect) };
        if let (Some(reading), Effect::Execute { directory, .. }) = (&part.reading, effect) {
            parts.extend(of_command(facts, reading, directory));
        }
        parts.push(part);
    }
    parts.into_iter().map(|part| part.known_by(&facts.links)).collect()
}

/// The same effect on the file to which a link leads.
fn resolved(effect: &Effect, target: &Target) -> Option<Effect> {
    if target.resolved == target.path || target.kind == TargetKind::Outside {
        return None;
    }
    let path = target.resolved.clone();
    match effect {
        Effect::Read { .. } => Some(Effect::Read { path }),
        Effect::ReadTree { .. } => Some(Effect::ReadTree { path }),
        Effect::WriteTree { .. } => Some(Effect::WriteTree { path }),
        Effect::Write { bytes, .. } => Some(Effect::Write { path, bytes: *bytes }),
        // A link is removed, never what it leads to.
        _ => None,
    }
}

/// The removal of each name that a tool has found below a folder which it removes. A tool that names one names all.
fn below<'a>(facts: &'a Facts, effect: &Effect, target: Option<&Target>) -> Vec<Part<'a>> {
    let Effect::DeleteTree { path } = effect else { return Vec::new() };
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

/// The removal of a name in a folder that a link leads to. The tool may have looked at that folder; else a target of the
/// same name in another folder is that place, or one to which a link of its own name leads.
fn moved<'a>(facts: &Facts, effect: &Effect, target: &'a Target) -> Option<Part<'a>> {
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

/// What a command does to files, and the same where a link in its words leads elsewhere.
fn of_command<'a>(facts: &Facts, reading: &Reading, directory: &str) -> Vec<Part<'a>> {
    let part = |effect| Part::new(Cow::Owned(effect), Origin::Command);
    let mut parts = Vec::new();
    for effect in reading.effects(directory) {
        let leads_out = met(facts, &effect).is_some_and(|target| target.kind == TargetKind::Outside);
        parts.extend(led(facts, &effect).map(part));
        let part = part(effect);
        parts.push(if leads_out { Part { place: Place::Outside, ..part } } else { part });
    }
    parts
}

/// The parts of a command that rest on words which may be paths or not. Only rules about paths look at them.
pub(crate) fn of_words<'a>(facts: &Facts, part: &Part<'_>) -> Vec<Part<'a>> {
    let (Some(reading), Effect::Execute { directory, .. }) = (&part.reading, part.effect.as_ref()) else {
        return Vec::new();
    };
    let possible = reading.possible(directory);
    let led: Vec<Effect> = possible.iter().filter_map(|effect| led(facts, effect)).collect();
    let part = |effect| Part::new(Cow::Owned(effect), Origin::Word).known_by(&facts.links);
    possible.into_iter().chain(led).map(part).collect()
}

/// What the path of an effect meets, where somebody looked.
fn met<'a>(facts: &'a Facts, effect: &Effect) -> Option<&'a Target> {
    let path = normal(effect.path()?);
    facts.targets.iter().find(|target| target.path == path)
}

/// The same effect on what a link in a command's words leads to.
fn led(facts: &Facts, effect: &Effect) -> Option<Effect> {
    let target = met(facts, effect).filter(|target| target.resolved != target.path)?;
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
    /// An effect alone, before anybody has looked at what it meets.
    pub(crate) fn of_effect(effect: &'a Effect) -> Self {
        Self::new(Cow::Borrowed(effect), Origin::Tool)
    }

    /// An effect on a path that was found below one of the call's.
    pub(crate) fn of_found(effect: &'a Effect) -> Self {
        Self::new(Cow::Borrowed(effect), Origin::Below)
    }

    /// The same part with the names that its path has because of links.
    pub(crate) fn known_by(mut self, links: &[RuleLink]) -> Self {
        if !links.is_empty() {
            let reaches_below = self.reaches_unlisted();
            self.aliases =
                self.path.as_deref().map_or_else(Vec::new, |path| aliases(links, path, reaches_below));
        }
        self
    }

    fn new(effect: Cow<'a, Effect>, origin: Origin) -> Self {
        let reading = match effect.as_ref() {
            Effect::Execute { command, .. } => Some(Reading::of(command)),
            _ => None,
        };
        let place = effect.path().map_or(Place::Inside, Place::of);
        let path = effect.path().map(normal);
        Self { effect, origin, target: None, place, path, aliases: Vec::new(), reading, is_listed: false }
    }
}

impl Part<'_> {
    /// Whether it reaches names that are not parts of their own.
    pub(crate) fn reaches_unlisted(&self) -> bool {
        self.effect.reaches_below() && !self.is_listed
    }

    /// What this part came to.
    pub(crate) fn step(&self, stage: u8, verdict: Verdict, reason: Reason) -> Step {
        Step::new(stage, verdict, reason, self.about())
    }

    /// Whether a rule about a kind of effect is about this. What a command writes it may as well remove, and
    /// the other way round.
    pub(crate) fn is(&self, kind: EffectKind) -> bool {
        if self.origin == Origin::Word && matches!(self.effect.as_ref(), Effect::Write { .. }) {
            return matches!(kind, EffectKind::Read | EffectKind::Write | EffectKind::Delete);
        }
        let own = EffectKind::of(&self.effect);
        let changes = |kind| matches!(kind, EffectKind::Write | EffectKind::Delete);
        own == kind || (self.origin == Origin::Command && changes(own) && changes(kind))
    }

    /// What it is, in a few words for a trace.
    pub(crate) fn about(&self) -> String {
        let text = match self.effect.as_ref() {
            Effect::Execute { command, .. } => format!("execute {command}"),
            Effect::Connect { host, port } => format!("network {host}:{port}"),
            Effect::Mcp { server, tool, .. } => format!("mcp {server} {tool}"),
            Effect::Spawn { agent } => format!("spawn {agent}"),
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
