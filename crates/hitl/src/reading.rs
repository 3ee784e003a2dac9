//! Analysis of a command's words.

use std::collections::HashSet;

use windlass_command::{
    Access, Certainty, Command, DoubtKind, Effects, Scan, Simple, TouchKind, TouchedPath,
};
use windlass_protocol::Effect;

/// A command in two readings: a strict one for what may be allowed, and a generous one (`scan`) for what must
/// be denied or asked.
pub(crate) struct CommandReading {
    pub(crate) scan: Scan,
    parsed: Result<Command, windlass_command::Error>,
    /// The effects of a command of plain words; `None` for any other command.
    effects: Option<Effects>,
}

/// Reason why no rule can allow a program with these arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Hindrance {
    /// The program is known, and with these arguments it may do more than read.
    Unproven,
    /// The program runs another program with other arguments or rights.
    Wraps,
}

impl CommandReading {
    pub(crate) fn read(command: &str) -> Self {
        let parsed = Command::parse(command);
        Self { scan: Scan::read(command), effects: parsed.as_ref().ok().map(Command::effects), parsed }
    }

    /// Returns why the analysis of the command stopped early, or `None` if it is complete.
    pub(crate) fn too_much(&self) -> Option<String> {
        self.scan.excess().map(|excess| excess.to_string())
    }

    /// Returns why it is uncertain which programs run, or `None` if it is certain.
    pub(crate) fn not_simple(&self) -> Option<String> {
        match &self.parsed {
            Err(error) => Some(format!("the command is not plain words: {error}")),
            Ok(_) if self.scan.certainty() == Certainty::Partial => {
                Some("the words of the command do not show which programs it runs".to_owned())
            }
            Ok(_) => None,
        }
    }

    /// Returns whether the command is not plain words, but its text names each program that runs: a here-document, or
    /// commands on several lines. Deny rules have seen all of its programs, and a grant names its whole text.
    pub(crate) fn is_whole_text(&self) -> bool {
        self.parsed.is_err() && self.scan.certainty() == Certainty::Whole && self.scan.excess().is_none()
    }

    /// Returns the programs with their arguments, if the analysis is certain and finds no danger.
    pub(crate) fn simple(&self) -> Option<&[Simple]> {
        let sure = self.scan.certainty() == Certainty::Whole && self.scan.dangers().is_empty();
        self.parsed.as_ref().ok().filter(|_| sure).map(Command::commands)
    }

    /// Returns the effects of the command on files if it starts in a folder, without duplicates. The list
    /// errs on the side of too many effects. Reads are known only for a command of plain words.
    pub(crate) fn effects(&self, directory: &str) -> Vec<Effect> {
        let written = |path: &String| Effect::Write { path: resolve_path(directory, path), bytes: None };
        let mut effects: Vec<Effect> = self.scan.writes().iter().map(written).collect();
        effects.extend(self.touches(true).map(|touched| effect_of(directory, touched)));
        let mut seen = HashSet::new();
        effects.retain(|effect| effect.path() != Some("/dev/null") && seen.insert(effect.clone()));
        effects
    }

    /// Returns effects on files that the words suggest but do not prove.
    pub(crate) fn possible(&self, directory: &str) -> Vec<Effect> {
        self.touches(false).map(|touched| effect_of(directory, touched)).collect()
    }

    /// Returns the number of programs and possible paths that each rule is compared with.
    pub(crate) fn count(&self) -> usize {
        self.touches(false).count().saturating_add(self.scan.programs().len())
    }

    fn touches(&self, sure: bool) -> impl Iterator<Item = &TouchedPath> {
        self.effects.iter().flat_map(Effects::touches).filter(move |touched| touched.is_sure() == sure)
    }

    /// Returns whether the whole command is proved to only read. Some programs are proved only if a sandbox
    /// confines them.
    pub(crate) fn reads_only(&self, is_confined: bool) -> bool {
        self.simple().is_some()
            && self.effects.as_ref().is_some_and(|effects| match effects.access() {
                Access::ReadOnly => true,
                Access::NeedsSandbox => is_confined,
                Access::Unproven => false,
            })
    }
}

/// Resolves a path of a command against the folder in which the command starts, relative to the workspace.
fn resolve_path(directory: &str, path: &str) -> String {
    let is_absolute = path.starts_with(['/', '~', '\\']) || matches!(directory, "" | ".");
    if is_absolute { path.to_owned() } else { format!("{directory}/{path}") }
}

fn effect_of(directory: &str, touched: &TouchedPath) -> Effect {
    let path = if touched.is_from_root() {
        touched.path().to_owned()
    } else {
        resolve_path(directory, touched.path())
    };
    match (touched.kind(), touched.reaches_below()) {
        (TouchKind::Read, false) => Effect::Read { path },
        (TouchKind::Read, true) => Effect::ReadTree { path },
        (TouchKind::Write | TouchKind::Any, false) => Effect::Write { path, bytes: None },
        (TouchKind::Write | TouchKind::Any, true) => Effect::WriteTree { path },
        (TouchKind::Delete, false) => Effect::Delete { path },
        (TouchKind::Delete, true) => Effect::DeleteTree { path },
    }
}

/// Returns why a rule that names a program cannot allow these arguments. The caller has checked the
/// confinement.
pub(crate) fn hindrance(argv: &[String]) -> Option<Hindrance> {
    for doubt in Effects::from_argv(argv).doubts() {
        match doubt.kind() {
            // The program is not known here. The author of the rule knows it.
            DoubtKind::UnknownProgram if argv.first().is_some_and(|program| program == doubt.program()) => {}
            // Each written path is a part of its own, decided as a write.
            DoubtKind::Writes => {}
            DoubtKind::Runs => return Some(Hindrance::Wraps),
            _ => return Some(Hindrance::Unproven),
        }
    }
    None
}
