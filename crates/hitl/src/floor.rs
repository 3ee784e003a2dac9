//! Stages 1 and 4 of a decision: what no rule can lower.

use windlass_protocol::{Effect, Payload};

use crate::place::Place;
use crate::{Facts, Reason, Source};

/// Stage 1, the floor: denied whatever the rules say.
pub(crate) fn floor(effect: &Effect) -> Option<Reason> {
    let path = effect.path()?;
    if Place::of(path) != Place::Outside {
        return None;
    }
    Some(match effect {
        Effect::Read { .. } => builtin("f.outside_read", format!("{path} is outside the workspace")),
        _ => builtin("f.outside_write", format!("{path} is outside the workspace")),
    })
}

/// Stage 4: asked whatever the allow rules say.
pub(crate) fn must_ask(facts: &Facts, effect: &Effect) -> Option<Reason> {
    if has_hidden_characters(&facts.payload, effect) {
        return Some(builtin("p.control_chars", "the call has control or invisible characters".to_owned()));
    }
    let path = effect.path()?;
    match (Place::of(path), effect) {
        (Place::Protected, Effect::Write { .. } | Effect::Delete { .. }) => {
            Some(builtin("p.protected", format!("{path} decides what runs later")))
        }
        (Place::Secret, _) => Some(builtin("p.secret_file", format!("{path} looks like a secret"))),
        (Place::Inside | Place::Outside | Place::Protected, _) => None,
    }
}

fn builtin(id: &str, text: String) -> Reason {
    Reason::new(id, Source::Builtin, text)
}

/// Whether what a human would be shown is not what would be touched. File contents may hold such characters;
/// paths, commands and tool names may not. A line break is visible in a command, which may have several lines,
/// and hides the rest of a name.
fn has_hidden_characters(payload: &Payload, effect: &Effect) -> bool {
    let named = match effect {
        Effect::Execute { command, directory } => is_hidden_in_command(command) || is_hidden(directory),
        Effect::Connect { host, .. } => is_hidden(host),
        Effect::Spawn { agent } => is_hidden(agent),
        _ => effect.path().is_some_and(is_hidden),
    };
    named || matches!(payload, Payload::Mcp { server, tool, .. } if is_hidden(server) || is_hidden(tool))
}

fn is_hidden(name: &str) -> bool {
    name.contains('\n') || is_hidden_in_command(name)
}

fn is_hidden_in_command(text: &str) -> bool {
    text.chars().any(|character| character != '\n' && crate::display::is_unsafe(character))
}
