//! A call taken apart into what is judged: each effect, where links lead, what a command reads and writes.

use std::borrow::Cow;

use windlass_protocol::{Effect, Target, TargetKind};

use crate::place::{Place, normal};
use crate::reading::Reading;
use crate::{EffectKind, Facts, Reason, Step, Verdict};

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
    /// What the words of a command say, for the effect that starts it.
    pub(crate) reading: Option<Reading>,
}

/// From where a part is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Origin {
    /// The tool says it.
    Tool,
    /// A link in the effect's path leads there.
    Link,
    /// The words of a command say it: what happens is the command's matter, so this can only make it stricter.
    Command,
}

/// Everything that a call does, the tool's own effects first.
pub(crate) fn parts(facts: &Facts) -> Vec<Part<'_>> {
    let mut parts: Vec<Part<'_>> = Vec::new();
    for effect in facts.judged() {
        let target = effect.path().and_then(|path| facts.targets.iter().find(|target| target.path == path));
        if let Some(resolved) = target.and_then(|target| resolved(effect, target)) {
            parts.push(Part { target, ..Part::new(Cow::Owned(resolved), Origin::Link) });
        }
        let part = Part { target, ..Part::of_effect(effect) };
        if let (Some(reading), Effect::Execute { directory, .. }) = (&part.reading, effect) {
            parts.extend(of_command(reading, directory));
        }
        parts.push(part);
    }
    parts
}

/// The same effect on the file to which a link leads.
fn resolved(effect: &Effect, target: &Target) -> Option<Effect> {
    if target.resolved == target.path || target.kind == TargetKind::Outside {
        return None;
    }
    let path = target.resolved.clone();
    match effect {
        Effect::Read { .. } => Some(Effect::Read { path }),
        Effect::Write { bytes, .. } => Some(Effect::Write { path, bytes: *bytes }),
        // A link is removed, never what it leads to.
        _ => None,
    }
}

fn of_command<'a>(reading: &Reading, directory: &str) -> Vec<Part<'a>> {
    let place = |path: &String| {
        let is_absolute = path.starts_with(['/', '~', '\\']) || matches!(directory, "" | ".");
        if is_absolute { path.clone() } else { format!("{directory}/{path}") }
    };
    let reads = reading.reads();
    let reads = reads.iter().map(|path| Effect::Read { path: place(path) });
    let writes = reading.writes();
    let writes = writes.iter().map(|path| Effect::Write { path: place(path), bytes: None });
    let part = |effect| Part::new(Cow::Owned(effect), Origin::Command);
    reads.chain(writes).map(part).collect()
}

impl<'a> Part<'a> {
    /// An effect alone, before anybody has looked at what it meets.
    pub(crate) fn of_effect(effect: &'a Effect) -> Self {
        Self::new(Cow::Borrowed(effect), Origin::Tool)
    }

    fn new(effect: Cow<'a, Effect>, origin: Origin) -> Self {
        let reading = match effect.as_ref() {
            Effect::Execute { command, .. } => Some(Reading::of(command)),
            _ => None,
        };
        let place = effect.path().map_or(Place::Inside, Place::of);
        let path = effect.path().map(normal);
        Self { effect, origin, target: None, place, path, reading }
    }
}

impl Part<'_> {
    /// What this part came to.
    pub(crate) fn step(&self, stage: u8, verdict: Verdict, reason: Reason) -> Step {
        Step::new(stage, verdict, reason, self.about())
    }

    /// Whether a rule about a kind of effect is about this. What a command writes it may as well remove.
    pub(crate) fn is(&self, kind: EffectKind) -> bool {
        let own = EffectKind::of(&self.effect);
        own == kind
            || (self.origin == Origin::Command && own == EffectKind::Write && kind == EffectKind::Delete)
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
