//! What the human allowed for the rest of the session.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};
use windlass_protocol::{Effect, Risk, ToolName};

use crate::place::components;
use crate::{ApprovalDecision, Facts};

/// What the human allowed for the rest of the session, by tool and shape of the call.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Grants {
    shapes: BTreeSet<(ToolName, Vec<String>)>,
}

/// Why an answer is not remembered (RULES H9: refused with a reason, not ignored).
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum GrantError {
    /// Calls of this risk are asked each time.
    #[error("a call of critical risk is asked each time; the answer counts once")]
    Critical,
    /// A no is not a grant.
    #[error("only an approval can be remembered")]
    Denied,
}

impl Grants {
    /// Remembers an approval for calls of the same shape.
    ///
    /// # Errors
    /// If the answer was no, or the call is too risky to be remembered.
    pub fn remember(&mut self, facts: &Facts, decision: &ApprovalDecision) -> Result<(), GrantError> {
        if !decision.approved {
            return Err(GrantError::Denied);
        }
        if facts.risk() == Risk::Critical {
            return Err(GrantError::Critical);
        }
        self.shapes.insert((facts.tool.clone(), shape(facts)));
        Ok(())
    }

    /// Whether calls of this shape were allowed.
    pub fn covers(&self, facts: &Facts) -> bool {
        self.shapes.contains(&(facts.tool.clone(), shape(facts)))
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        self.shapes.clear();
    }
}

/// The shape of a call: for files the folder and the ending, for commands the whole command, for the rest
/// the whole payload.
pub(crate) fn shape(facts: &Facts) -> Vec<String> {
    let mut shape: Vec<String> = facts
        .judged()
        .iter()
        .map(|effect| match effect {
            Effect::Read { path } | Effect::Write { path, .. } | Effect::Delete { path } => {
                let names: Vec<_> = components(path).collect();
                let (file, folder) =
                    names.split_last().map_or(("", [].as_slice()), |(file, folder)| (*file, folder));
                let ending = file.rsplit_once('.').map_or("", |(_, ending)| ending);
                format!("{}\u{0}{}\u{0}{ending}", effect.kind(), folder.join("/"))
            }
            Effect::Execute { command, directory } => format!("execute\u{0}{directory}\u{0}{command}"),
            Effect::Connect { host, port } => format!("network\u{0}{host}\u{0}{port}"),
            other => format!("{}\u{0}{}", other.kind(), facts.payload.text()),
        })
        .collect();
    shape.sort_unstable();
    shape
}
