//! What a command's words say about it.

use windlass_command::{Access, Certainty, Command, DoubtKind, Effects, Scan, Simple};

/// A command that was read twice: strictly for what may be allowed, generously for what must be denied or asked.
pub(crate) struct Reading {
    pub(crate) scan: Scan,
    parsed: Result<Command, windlass_command::Error>,
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
        Self { scan: Scan::of(command), parsed: Command::parse(command) }
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

    /// The paths that are read, as written; known only of a command of plain words.
    pub(crate) fn reads(&self) -> Vec<String> {
        self.parsed.as_ref().map(|command| command.effects().reads().to_vec()).unwrap_or_default()
    }

    /// The paths that are written, changed or removed, as written: rather too many than too few.
    pub(crate) fn writes(&self) -> Vec<String> {
        let mut writes = self.scan.writes().to_vec();
        if let Ok(command) = &self.parsed {
            writes.extend(command.effects().writes().iter().cloned());
        }
        writes.sort_unstable();
        writes.dedup();
        writes.retain(|path| path != "/dev/null");
        writes
    }

    /// Whether it is proved that the whole command reads only, given whether something confines it.
    pub(crate) fn reads_only(&self, is_confined: bool) -> bool {
        self.simple().is_some()
            && self.parsed.as_ref().is_ok_and(|command| match command.effects().access() {
                Access::ReadOnly => true,
                Access::NeedsSandbox => is_confined,
                Access::Unproven => false,
            })
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
