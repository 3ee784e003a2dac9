//! What a command's words say about it.

use std::collections::HashSet;

use windlass_command::{Access, Certainty, Command, DoubtKind, Effects, Scan, Simple, TouchKind, Touched};
use windlass_protocol::Effect;

/// A command that was read twice: strictly for what may be allowed, generously for what must be denied or asked.
pub(crate) struct Reading {
    pub(crate) scan: Scan,
    parsed: Result<Command, windlass_command::Error>,
    /// What the plain words do; nothing where the command is not one of plain words.
    effects: Option<Effects>,
}

/// Why a command that was read is not one that a rule could let through.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Hindrance {
    /// The program is known, and these words make it more than reading.
    Unproven,
    /// The program runs another one with other words or rights.
    Wraps,
}

impl Reading {
    pub(crate) fn of(command: &str) -> Self {
        let parsed = Command::parse(command);
        Self { scan: Scan::of(command), effects: parsed.as_ref().ok().map(Command::effects), parsed }
    }

    /// Why the command was not judged to its end, if it was not.
    pub(crate) fn too_much(&self) -> Option<String> {
        self.scan.excess().map(|excess| excess.to_string())
    }

    /// Why it cannot be said for sure what runs, if so.
    pub(crate) fn not_simple(&self) -> Option<String> {
        match &self.parsed {
            Err(error) => Some(format!("the command is not plain words: {error}")),
            Ok(_) if self.scan.certainty() == Certainty::Partial => {
                Some("what the command runs cannot be told from its words".to_owned())
            }
            Ok(_) => None,
        }
    }

    /// The programs with their words, if all of it is sure.
    pub(crate) fn simple(&self) -> Option<&[Simple]> {
        let sure = self.scan.certainty() == Certainty::Whole && self.scan.dangers().is_empty();
        self.parsed.as_ref().ok().filter(|_| sure).map(Command::commands)
    }

    /// What the command does to files where it starts in a folder: each effect once, rather too many than too few. What is
    /// read is known only of a command of plain words.
    pub(crate) fn effects(&self, directory: &str) -> Vec<Effect> {
        let written = |path: &String| Effect::Write { path: placed(directory, path), bytes: None };
        let mut effects: Vec<Effect> = self.scan.writes().iter().map(written).collect();
        effects.extend(self.touched(true).map(|touched| effect_of(directory, touched)));
        let mut seen = HashSet::new();
        effects.retain(|effect| effect.path() != Some("/dev/null") && seen.insert(effect.clone()));
        effects
    }

    /// What the command may do to files by its words, without being known to.
    pub(crate) fn possible(&self, directory: &str) -> Vec<Effect> {
        self.touched(false).map(|touched| effect_of(directory, touched)).collect()
    }

    /// How many programs, and words that may be paths, rules are compared with.
    pub(crate) fn count(&self) -> usize {
        self.touched(false).count().saturating_add(self.scan.found().len())
    }

    fn touched(&self, sure: bool) -> impl Iterator<Item = &Touched> {
        self.effects.iter().flat_map(Effects::touched).filter(move |touched| touched.is_sure() == sure)
    }

    /// Whether it is proved that the whole command reads only, given whether something confines it.
    pub(crate) fn reads_only(&self, is_confined: bool) -> bool {
        self.simple().is_some()
            && self.effects.as_ref().is_some_and(|effects| match effects.access() {
                Access::ReadOnly => true,
                Access::NeedsSandbox => is_confined,
                Access::Unproven => false,
            })
    }
}

/// A path of a command that starts in a folder, relative to the workspace.
fn placed(directory: &str, path: &str) -> String {
    let is_absolute = path.starts_with(['/', '~', '\\']) || matches!(directory, "" | ".");
    if is_absolute { path.to_owned() } else { format!("{directory}/{path}") }
}

fn effect_of(directory: &str, touched: &Touched) -> Effect {
    let path =
        if touched.is_from_root() { touched.path().to_owned() } else { placed(directory, touched.path()) };
    match (touched.kind(), touched.reaches_below()) {
        (TouchKind::Read, false) => Effect::Read { path },
        (TouchKind::Read, true) => Effect::ReadTree { path },
        (TouchKind::Write | TouchKind::Any, false) => Effect::Write { path, bytes: None },
        (TouchKind::Write | TouchKind::Any, true) => Effect::WriteTree { path },
        (TouchKind::Delete, false) => Effect::Delete { path },
        (TouchKind::Delete, true) => Effect::DeleteTree { path },
    }
}

/// What keeps a rule that names a program from letting these words through. Whether it is confined was asked before.
pub(crate) fn hindrance(argv: &[String]) -> Option<Hindrance> {
    for doubt in Effects::of_argv(argv).doubts() {
        match doubt.kind() {
            // Nobody here knows the program; whoever wrote the rule does.
            DoubtKind::UnknownProgram if argv.first().is_some_and(|program| program == doubt.program()) => {}
            // Where it writes is judged by itself, as a write.
            DoubtKind::Writes => {}
            DoubtKind::Runs => return Some(Hindrance::Wraps),
            _ => return Some(Hindrance::Unproven),
        }
    }
    None
}
