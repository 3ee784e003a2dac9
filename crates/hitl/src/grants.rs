//! Approvals that are remembered for the rest of the session.

mod input;
pub(crate) mod wording;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use windlass_protocol::{Effect, Risk, Target, TargetKind};

use crate::place::components;
use crate::{ApprovalDecision, PolicyInput};

/// Lifetime of a grant: eight hours, in milliseconds.
const LASTS_MS: u64 = 8 * 60 * 60 * 1000;

/// Session grants: approvals by tool, workspace and shape of the call, which [`decide`](crate::decide)
/// consults at stage 6. A grant expires after eight hours. It does not count at a time before it was given,
/// because a clock that was set back proves nothing.
///
/// Grants of several calls are independent: a grant for writing `*.md` in `docs` covers neither another
/// ending nor another folder.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Grants {
    given: BTreeMap<Key, u64>,
}

/// A tool, a workspace and the shape of a call as one text, which can be a key in any format.
type Key = String;

/// Error of remembering an answer (RULES H9: refused with a reason, not ignored).
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum GrantError {
    /// Calls of critical risk are asked each time.
    #[error("a call of critical risk is asked each time; the answer counts once")]
    Critical,
    /// The answer is a denial.
    #[error("only an approval can be remembered")]
    Denied,
    /// The human changed the arguments, so that the approval belongs to that one call.
    #[error("an approval with changed arguments counts once")]
    Edited,
    /// A model decided, and only a human can allow later calls.
    #[error("an approval by a model counts once")]
    ByModel,
}

impl Grants {
    /// Remembers an approval for calls of the same shape.
    ///
    /// # Errors
    /// If the answer is a denial, changes the arguments or is a model's, or the call has critical risk.
    pub fn remember(&mut self, facts: &PolicyInput, decision: &ApprovalDecision) -> Result<(), GrantError> {
        if !decision.approved {
            return Err(GrantError::Denied);
        }
        if decision.arguments.is_some() {
            return Err(GrantError::Edited);
        }
        if decision.is_by_model() {
            return Err(GrantError::ByModel);
        }
        if facts.risk() == Risk::Critical {
            return Err(GrantError::Critical);
        }
        self.given.insert(key(facts), facts.now_ms);
        Ok(())
    }

    /// Returns whether an unexpired grant covers calls of this shape.
    pub fn covers(&self, facts: &PolicyInput) -> bool {
        self.given
            .get(&key(facts))
            .and_then(|given_ms| facts.now_ms.checked_sub(*given_ms))
            .is_some_and(|age_ms| age_ms <= LASTS_MS)
    }

    /// Removes all grants.
    pub fn clear(&mut self) {
        self.given.clear();
    }
}

fn key(facts: &PolicyInput) -> Key {
    let mut key = format!("{}\u{0}{}", facts.tool, facts.scope);
    for part in shape(facts) {
        key.push('\u{1}');
        key.push_str(&part);
    }
    key
}

fn folder_and_ending(path: &str) -> (String, &str) {
    let names: Vec<_> = components(path).collect();
    let (file, folder) = names.split_last().map_or(("", [].as_slice()), |(file, folder)| (*file, folder));
    (folder.join("/"), file.rsplit_once('.').map_or("", |(_, ending)| ending))
}

/// Returns the path that an effect reaches: the target of a link, not the link's name. A removal affects the
/// link itself, so its path stays.
fn place<'a>(facts: &'a PolicyInput, effect: &'a Effect) -> &'a str {
    let path = effect.path().unwrap_or_default();
    match effect {
        Effect::Delete { .. } | Effect::DeleteTree { .. } => path,
        _ => target(facts, path).map_or(path, |target| &target.resolved),
    }
}

fn target<'a>(facts: &'a PolicyInput, path: &str) -> Option<&'a Target> {
    facts.targets.iter().find(|target| target.path == path)
}

fn is_folder(facts: &PolicyInput, effect: &Effect) -> bool {
    let target = effect.path().and_then(|path| target(facts, path));
    target.is_some_and(|target| target.kind == TargetKind::Folder)
}

/// Returns the shape of a call. A file effect contributes the folder and the ending of the path that it
/// reaches, a command its whole text with all other input of the call, a custom effect its fields and the whole
/// payload, another effect the whole payload. If several effects need the payload, it is added once, so that the
/// size of a shape does not multiply. The kind of the call is added where its tool states one.
pub(crate) fn shape(facts: &PolicyInput) -> Vec<String> {
    let effects = facts.effects_or_unknown();
    let is_shared = effects.iter().filter(|effect| needs_payload(effect)).nth(1).is_some();
    let payload = || if is_shared { String::new() } else { facts.payload.text() };
    let mut shape: Vec<String> = effects
        .iter()
        .map(|effect| match effect {
            effect if effect.reaches_below() => {
                format!("{} everything below\u{0}{}", effect.kind(), place(facts, effect))
            }
            Effect::Read { .. } | Effect::Write { .. } | Effect::Delete { .. } => {
                let (folder, ending) = folder_and_ending(place(facts, effect));
                let kind = if is_folder(facts, effect) { " folder" } else { "" };
                format!("{}{kind}\u{0}{folder}\u{0}{ending}", effect.kind())
            }
            Effect::Execute { command, directory } if is_shared => {
                format!("execute\u{0}{directory}\u{0}{command}")
            }
            Effect::Execute { command, directory } => {
                let input = input::other_inputs(&facts.payload, command, directory);
                format!("execute\u{0}{directory}\u{0}{command}\u{0}{input}")
            }
            Effect::Connect { host, port } => format!("network\u{0}{host}\u{0}{port}"),
            Effect::Custom { kind, target, amount } => {
                let amount = amount.as_ref().map(ToString::to_string).unwrap_or_default();
                format!("custom\u{0}{kind}\u{0}{target}\u{0}{amount}\u{0}{}", payload())
            }
            other => format!("{}\u{0}{}", other.kind(), payload()),
        })
        .chain(facts.call_kind.iter().map(|kind| format!("kind\u{0}{kind}")))
        .chain(is_shared.then(|| format!("payload\u{0}{}", facts.payload.text())))
        .collect();
    shape.sort_unstable();
    shape
}

/// Returns whether the shape of an effect contains the payload.
fn needs_payload(effect: &Effect) -> bool {
    effect.path().is_none() && !matches!(effect, Effect::Connect { .. })
}
