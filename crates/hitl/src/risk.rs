//! Risk of a part of a call (SECURITY "Risk levels and learning").

use windlass_protocol::{Effect, Risk};

use crate::PolicyInput;
use crate::must_ask::removes_unseen;
use crate::part::{Origin, Part};
use crate::place::Place;

pub(crate) fn risk_of(facts: &PolicyInput, part: &Part<'_>) -> Risk {
    match part.effect.as_ref() {
        Effect::Internal => Risk::Low,
        Effect::Read { .. } | Effect::ReadTree { .. } => match part.place {
            Place::Inside => Risk::Low,
            Place::Secret | Place::Outside | Place::Protected => Risk::High,
        },
        effect if !effect.is_read() && is_of_repository(part) => Risk::Critical,
        Effect::Write { .. } | Effect::WriteTree { .. } => match part.place {
            Place::Inside => Risk::Medium,
            Place::Secret => Risk::High,
            // A sandbox refuses a command's write outside the workspace, or the human sees the command.
            Place::Outside if part.origin == Origin::Command => Risk::High,
            Place::Outside | Place::Protected => Risk::Critical,
        },
        // The folder may contain a repository or other protected files.
        Effect::DeleteTree { .. } if removes_unseen(part) => Risk::Critical,
        Effect::Delete { .. } | Effect::DeleteTree { .. } => match part.place {
            Place::Inside | Place::Secret => Risk::High,
            Place::Outside | Place::Protected => Risk::Critical,
        },
        Effect::Execute { .. } if part.reads_confined(facts) => Risk::Low,
        Effect::Execute { .. } => {
            let is_dangerous =
                part.reading.as_ref().is_some_and(|reading| !reading.scan.dangers().is_empty());
            if is_dangerous { Risk::Critical } else { Risk::High }
        }
        Effect::Spawn { .. } => Risk::Medium,
        // Treat an effect of a later version like an unknown effect.
        _ => Risk::High,
    }
}

/// Returns whether the part's path is a file of a git repository, which decides what git runs.
fn is_of_repository(part: &Part<'_>) -> bool {
    part.effect.path().is_some() && part.target.is_some_and(|target| target.in_repository)
}
