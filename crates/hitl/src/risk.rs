//! How much harm a part of a call could do (SECURITY "Risk levels and learning").

use windlass_protocol::{Effect, Risk};

use crate::part::{Origin, Part};
use crate::place::Place;

pub(crate) fn risk_of(part: &Part<'_>) -> Risk {
    match part.effect.as_ref() {
        Effect::Internal => Risk::Low,
        Effect::Read { .. } => match part.place {
            Place::Inside => Risk::Low,
            Place::Secret | Place::Outside | Place::Protected => Risk::High,
        },
        Effect::Write { .. } => match part.place {
            Place::Inside => Risk::Medium,
            Place::Secret => Risk::High,
            // What a command names outside is refused by what confines it, or seen by whoever is asked.
            Place::Outside if part.origin == Origin::Command => Risk::High,
            Place::Outside | Place::Protected => Risk::Critical,
        },
        Effect::Delete { .. } => match part.place {
            Place::Inside | Place::Secret => Risk::High,
            Place::Outside | Place::Protected => Risk::Critical,
        },
        Effect::Execute { .. } => {
            let is_dangerous =
                part.reading.as_ref().is_some_and(|reading| !reading.scan.dangers().is_empty());
            if is_dangerous { Risk::Critical } else { Risk::High }
        }
        Effect::Spawn { .. } => Risk::Medium,
        // An effect that this version does not know is as bad as one that the tool does not know.
        _ => Risk::High,
    }
}
