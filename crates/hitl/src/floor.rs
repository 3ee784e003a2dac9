//! Stage 1 of a decision: the floor, denials that no rule can lift.

use windlass_protocol::{Effect, TargetKind};

use crate::part::{Origin, Part};
use crate::place::Place;
use crate::{Policy, Reason, Source, host};

/// Returns the reason to deny a part of a call regardless of the rules, or `None`.
pub(crate) fn floor(policy: &Policy, part: &Part<'_>) -> Option<Reason> {
    if let Effect::Connect { host, port } = part.effect.as_ref() {
        let is_private = host::is_private(host) && !policy.is_reachable(host, *port);
        return is_private
            .then(|| builtin("f.private_net", format!("{host} is not an address of the public internet")));
    }
    let path = part.effect.path()?;
    let writes = !part.effect.is_read();
    if let Some(own) = policy.own_reached(part) {
        return Some(builtin(own.rule_id(), own.text(path)));
    }
    if let Some(reason) = check_target(part, path, writes) {
        return Some(reason);
    }
    // A word of a command is possibly not a path, and a sandbox would refuse the access. It leads to a
    // question (`p.outside`) and not to a denial.
    if part.origin == Origin::Command || part.place != Place::Outside {
        return None;
    }
    Some(refuse_outside(path, writes))
}

fn check_target(part: &Part<'_>, path: &str, writes: bool) -> Option<Reason> {
    match part.target?.kind {
        TargetKind::Special => {
            Some(builtin("f.device", format!("{path} is a pipe, a device or a socket, not a file")))
        }
        // Removing a link does not touch its target.
        TargetKind::Outside
            if !matches!(part.effect.as_ref(), Effect::Delete { .. } | Effect::DeleteTree { .. }) =>
        {
            Some(refuse_outside(path, writes))
        }
        _ => None,
    }
}

fn refuse_outside(path: &str, writes: bool) -> Reason {
    let id = if writes { "f.outside_write" } else { "f.outside_read" };
    builtin(id, format!("{path} is outside the workspace"))
}

fn builtin(id: &str, text: String) -> Reason {
    Reason::new(id, Source::Builtin, text)
}
